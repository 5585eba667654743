import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, messages, optional, pointer, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.networking.v1");

export const ParentReference = message("ParentReference", "Refers to what has an address.", {
  group: optional(1, string, "Its group; empty for the core group."),
  resource: optional(2, string, "Its resource."),
  namespace: optional(3, string, "Its namespace."),
  name: optional(4, string, "Its name."),
});
export type ParentReference = Out<typeof ParentReference>;

export const IPAddressSpec = message("IPAddressSpec", "Whose an address is.", {
  parentRef: pointer(1, ParentReference, "What has it; it cannot be changed."),
});
export type IPAddressSpec = Out<typeof IPAddressSpec>;

export const IPAddress = message("IPAddress", "An address that is in use; its name is the address.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, IPAddressSpec, "Whose it is."),
});

export const ipAddresses = defineKind(IPAddress, {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IPAddress",
  plural: "ipaddresses",
  namespaced: false,
  shortNames: ["ip"],
});
export type IPAddress = ObjectOf<typeof ipAddresses>;
