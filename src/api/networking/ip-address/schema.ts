import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, messages, optional, pointer, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.networking.v1");

export const ParentReference = message("ParentReference", "A reference to the owner of an address.", {
  group: optional(1, string, "The object's group; empty for the core group."),
  resource: optional(2, string, "The object's resource."),
  namespace: optional(3, string, "The object's namespace."),
  name: optional(4, string, "The object's name."),
});
export type ParentReference = Out<typeof ParentReference>;

export const IPAddressSpec = message("IPAddressSpec", "The owner of an address.", {
  parentRef: pointer(1, ParentReference, "The object that uses the address; immutable."),
});
export type IPAddressSpec = Out<typeof IPAddressSpec>;

export const IPAddress = message("IPAddress", "An IP address in use; the object's name is the address.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, IPAddressSpec, "The owner of the address."),
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
