import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int32,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { ObjectReference } from "../v1/reference.ts";

const message = messages("io.k8s.api.core.v1");

export const EndpointAddress = message(
  "EndpointAddress",
  "An address of an endpoint.",
  {
    ip: required(1, string, "The address."),
    hostname: optional(3, string, "The endpoint's host name."),
    nodeName: pointer(4, string, "The node that it is on."),
    targetRef: pointer(2, ObjectReference, "The object behind the endpoint, usually a Pod."),
  },
  { atomic: true },
);
export type EndpointAddress = Out<typeof EndpointAddress>;

export const EndpointPort = message(
  "EndpointPort",
  "A port of an endpoint.",
  {
    name: optional(1, string, "The Service's port."),
    port: required(2, int32, "The number."),
    protocol: optional(3, oneOf("SCTP", "TCP", "UDP"), "The transport protocol.", { default: "TCP" }),
    appProtocol: pointer(4, string, "The application's protocol, as a hint."),
  },
  { atomic: true },
);
export type EndpointPort = Out<typeof EndpointPort>;

export const EndpointSubset = message(
  "EndpointSubset",
  "A group of addresses with the same ports; each address has each port.",
  {
    addresses: optional(1, list(EndpointAddress), "The ready addresses."),
    notReadyAddresses: optional(2, list(EndpointAddress), "The addresses that are not ready."),
    ports: optional(3, list(EndpointPort), "The ports."),
  },
);
export type EndpointSubset = Out<typeof EndpointSubset>;

export const Endpoints = message("Endpoints", "The endpoints of a Service; superseded by EndpointSlice.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  subsets: optional(2, list(EndpointSubset), "All endpoints, grouped by their ports."),
});

export const endpoints = defineKind(Endpoints, {
  group: "",
  version: "v1",
  kind: "Endpoints",
  plural: "endpoints",
  namespaced: true,
  shortNames: ["ep"],
});
export type Endpoints = ObjectOf<typeof endpoints>;
