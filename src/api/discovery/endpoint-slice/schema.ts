import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
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
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { ObjectReference } from "../../core/v1/reference.ts";

const message = messages("io.k8s.api.discovery.v1");

export const EndpointConditions = message("EndpointConditions", "The state of an endpoint.", {
  ready: pointer(1, boolean, "Whether the endpoint is ready for traffic; absent means true."),
  serving: pointer(2, boolean, "Whether the endpoint can serve, even if it is terminating."),
  terminating: pointer(3, boolean, "Whether the endpoint is terminating."),
});
export type EndpointConditions = Out<typeof EndpointConditions>;

export const ForZone = message("ForZone", "A zone that should use an endpoint.", {
  name: required(1, string, "The zone."),
});
export type ForZone = Out<typeof ForZone>;

export const ForNode = message("ForNode", "A node that should use an endpoint.", {
  name: required(1, string, "The node."),
});
export type ForNode = Out<typeof ForNode>;

export const EndpointHints = message("EndpointHints", "The preferred consumers of an endpoint.", {
  forZones: optional(1, list(ForZone), "Zones, at most 8."),
  forNodes: optional(2, list(ForNode), "Nodes, at most 8."),
});
export type EndpointHints = Out<typeof EndpointHints>;

export const Endpoint = message("Endpoint", "One backend of a Service.", {
  addresses: required(
    1,
    set(string),
    "The endpoint's addresses, which are equivalent; consumers use the first.",
  ),
  conditions: optional(2, EndpointConditions, "The endpoint's conditions."),
  hostname: pointer(3, string, "The endpoint's host name."),
  targetRef: pointer(4, ObjectReference, "The object behind the endpoint, usually a Pod."),
  deprecatedTopology: optional(5, map(string), "Deprecated; topology labels of v1beta1."),
  nodeName: pointer(6, string, "The node that it is on."),
  zone: pointer(7, string, "The zone that it is in."),
  hints: pointer(8, EndpointHints, "The preferred consumers of the endpoint."),
});
export type Endpoint = Out<typeof Endpoint>;

export const EndpointPort = message(
  "EndpointPort",
  "A port of all endpoints in a slice.",
  {
    name: pointer(1, string, "The Service's port.", { default: "" }),
    protocol: pointer(2, oneOf("SCTP", "TCP", "UDP"), "The transport protocol.", { default: "TCP" }),
    port: pointer(3, int32, "The number; any port when absent."),
    appProtocol: pointer(4, string, "The application's protocol, as a hint."),
  },
  { atomic: true },
);
export type EndpointPort = Out<typeof EndpointPort>;

export const EndpointSlice = message("EndpointSlice", "A part of a Service's endpoints.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  addressType: required(4, oneOf("FQDN", "IPv4", "IPv6"), "The type of the addresses; immutable."),
  endpoints: required(2, list(Endpoint), "The endpoints, at most 1000."),
  ports: required(3, list(EndpointPort), "The ports of each endpoint."),
});

export const endpointSlices = defineKind(EndpointSlice, {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  namespaced: true,
});
export type EndpointSlice = ObjectOf<typeof endpointSlices>;
