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
import { ObjectReference } from "./reference.ts";

const message = messages("io.k8s.api.core.v1");

export const EndpointAddress = message(
  "EndpointAddress",
  "A endpoint address.",
  {
    ip: required(1, string, "The ip."),
    hostname: optional(3, string, "The hostname."),
    nodeName: pointer(4, string, "The node name."),
    targetRef: pointer(2, ObjectReference, "The target ref."),
  },
  { atomic: true },
);
export type EndpointAddress = Out<typeof EndpointAddress>;

export const EndpointPort = message(
  "EndpointPort",
  "A endpoint port.",
  {
    name: optional(1, string, "The name."),
    port: required(2, int32, "The port."),
    protocol: optional(3, oneOf("SCTP", "TCP", "UDP"), "The protocol.", { default: "TCP" }),
    appProtocol: pointer(4, string, "The app protocol."),
  },
  { atomic: true },
);
export type EndpointPort = Out<typeof EndpointPort>;

export const EndpointSubset = message("EndpointSubset", "A endpoint subset.", {
  addresses: optional(1, list(EndpointAddress), "The addresses."),
  notReadyAddresses: optional(2, list(EndpointAddress), "The not ready addresses."),
  ports: optional(3, list(EndpointPort), "The ports."),
});
export type EndpointSubset = Out<typeof EndpointSubset>;

export const Endpoints = message("Endpoints", "A endpoints.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  subsets: optional(2, list(EndpointSubset), "The subsets."),
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
