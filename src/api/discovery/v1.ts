import { defineKind, type ObjectOf } from "../../meta/kind.ts";
import {
  type Out,
  boolean,
  int32,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  set,
  string,
} from "../../meta/schema.ts";
import { ObjectMeta } from "../../meta/v1.ts";
import { ObjectReference } from "../core/v1/reference.ts";

const message = messages("io.k8s.api.discovery.v1");

export const EndpointConditions = message("EndpointConditions", "A endpoint conditions.", {
  ready: pointer(1, boolean, "The ready."),
  serving: pointer(2, boolean, "The serving."),
  terminating: pointer(3, boolean, "The terminating."),
});
export type EndpointConditions = Out<typeof EndpointConditions>;

export const ForZone = message("ForZone", "A for zone.", {
  name: required(1, string, "The name."),
});
export type ForZone = Out<typeof ForZone>;

export const ForNode = message("ForNode", "A for node.", {
  name: required(1, string, "The name."),
});
export type ForNode = Out<typeof ForNode>;

export const EndpointHints = message("EndpointHints", "A endpoint hints.", {
  forZones: optional(1, list(ForZone), "The for zones."),
  forNodes: optional(2, list(ForNode), "The for nodes."),
});
export type EndpointHints = Out<typeof EndpointHints>;

export const Endpoint = message("Endpoint", "A endpoint.", {
  addresses: required(1, set(string), "The addresses."),
  conditions: optional(2, EndpointConditions, "The conditions."),
  hostname: pointer(3, string, "The hostname."),
  targetRef: pointer(4, ObjectReference, "The target ref."),
  deprecatedTopology: optional(5, map(string), "The deprecated topology."),
  nodeName: pointer(6, string, "The node name."),
  zone: pointer(7, string, "The zone."),
  hints: pointer(8, EndpointHints, "The hints."),
});
export type Endpoint = Out<typeof Endpoint>;

export const EndpointPort = message(
  "EndpointPort",
  "A endpoint port.",
  {
    name: pointer(1, string, "The name.", { default: "" }),
    protocol: pointer(2, oneOf("SCTP", "TCP", "UDP"), "The protocol.", { default: "TCP" }),
    port: pointer(3, int32, "The port."),
    appProtocol: pointer(4, string, "The app protocol."),
  },
  { atomic: true },
);
export type EndpointPort = Out<typeof EndpointPort>;

export const EndpointSlice = message("EndpointSlice", "A endpoint slice.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  addressType: required(4, oneOf("FQDN", "IPv4", "IPv6"), "The address type."),
  endpoints: required(2, list(Endpoint), "The endpoints."),
  ports: required(3, list(EndpointPort), "The ports."),
});

export const endpointSlices = defineKind(EndpointSlice, {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  namespaced: true,
});
export type EndpointSlice = ObjectOf<typeof endpointSlices>;
