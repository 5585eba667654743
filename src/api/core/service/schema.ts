import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  atomicMap,
  boolean,
  int32,
  intOrString,
  keyed,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { Condition, ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const ServicePort = message("ServicePort", "A port of a Service.", {
  name: optional(1, string, "The name, unique in the Service; needed when there are several ports."),
  protocol: optional(2, oneOf("SCTP", "TCP", "UDP"), "The transport.", { default: "TCP" }),
  appProtocol: pointer(6, string, "The application's protocol, as a hint."),
  port: required(3, int32, "The port that clients use."),
  targetPort: optional(4, intOrString, "The Pods' port, by number or name; `port` when absent."),
  nodePort: optional(5, int32, "The port on each node."),
});
export type ServicePort = Out<typeof ServicePort>;

export const ClientIPConfig = message("ClientIPConfig", "Affinity by the client's address.", {
  timeoutSeconds: pointer(1, int32, "How long a client stays with its Pod."),
});
export type ClientIPConfig = Out<typeof ClientIPConfig>;

export const SessionAffinityConfig = message("SessionAffinityConfig", "Details of the session affinity.", {
  clientIP: pointer(1, ClientIPConfig, "For affinity ClientIP."),
});
export type SessionAffinityConfig = Out<typeof SessionAffinityConfig>;

export const ServiceSpec = message("ServiceSpec", "What a Service shall be.", {
  ports: optional(1, keyed(ServicePort, "port", "protocol"), "The ports.", { merge: "port" }),
  selector: optional(
    2,
    atomicMap(string),
    "Labels of the Pods behind it; empty when endpoints are kept by others.",
  ),
  clusterIP: optional(3, string, "Its first address in the cluster; None for a headless one."),
  clusterIPs: optional(18, list(string), "All addresses, at most one of each family."),
  type: optional(
    4,
    oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"),
    "From where it can be reached.",
    { default: "ClusterIP" },
  ),
  externalIPs: optional(5, list(string), "Further addresses whose traffic nodes accept."),
  sessionAffinity: optional(7, oneOf("ClientIP", "None"), "Whether a client stays with its Pod.", {
    default: "None",
  }),
  loadBalancerIP: optional(8, string, "The load balancer's address that is wished for."),
  loadBalancerSourceRanges: optional(9, list(string), "Client ranges that the load balancer lets in."),
  externalName: optional(10, string, "The DNS name it stands for; only for ExternalName."),
  externalTrafficPolicy: optional(
    11,
    oneOf("Cluster", "Local"),
    "Whether traffic from outside stays on its node.",
  ),
  healthCheckNodePort: optional(12, int32, "The port that load balancers check; for the Local policy."),
  publishNotReadyAddresses: optional(13, boolean, "Whether Pods that are not ready are listed as well."),
  sessionAffinityConfig: pointer(14, SessionAffinityConfig, "Details of the session affinity."),
  ipFamilies: optional(19, list(oneOf("IPv4", "IPv6")), "The IP families, the main one first."),
  ipFamilyPolicy: pointer(
    17,
    oneOf("PreferDualStack", "RequireDualStack", "SingleStack"),
    "Whether it has one family or two.",
  ),
  allocateLoadBalancerNodePorts: pointer(20, boolean, "Whether a load balancer needs node ports."),
  loadBalancerClass: pointer(21, string, "Who implements the load balancer."),
  internalTrafficPolicy: pointer(
    22,
    oneOf("Cluster", "Local"),
    "Whether traffic in the cluster stays on its node.",
  ),
  trafficDistribution: pointer(23, string, "Which endpoints are preferred, such as PreferSameZone."),
});
export type ServiceSpec = Out<typeof ServiceSpec>;

export const PortStatus = message("PortStatus", "A port of a load balancer.", {
  port: required(1, int32, "The port."),
  protocol: required(2, oneOf("SCTP", "TCP", "UDP"), "The transport."),
  error: pointer(3, string, "Why it does not work."),
});
export type PortStatus = Out<typeof PortStatus>;

export const LoadBalancerIngress = message("LoadBalancerIngress", "One entry point of a load balancer.", {
  ip: optional(1, string, "Its address."),
  hostname: optional(2, string, "Its name."),
  ipMode: pointer(3, string, "Whether nodes answer for the address (VIP) or the balancer forwards (Proxy)."),
  ports: optional(4, list(PortStatus), "Its ports."),
});
export type LoadBalancerIngress = Out<typeof LoadBalancerIngress>;

export const LoadBalancerStatus = message("LoadBalancerStatus", "A load balancer.", {
  ingress: optional(1, list(LoadBalancerIngress), "Its entry points."),
});
export type LoadBalancerStatus = Out<typeof LoadBalancerStatus>;

export const ServiceStatus = message("ServiceStatus", "What is known about a Service.", {
  loadBalancer: optional(1, LoadBalancerStatus, "Its load balancer."),
  conditions: optional(2, keyed(Condition, "type"), "Aspects of the state, one entry for each type.", {
    merge: "type",
  }),
});
export type ServiceStatus = Out<typeof ServiceStatus>;

export const Service = message("Service", "A stable name and address for a changing set of Pods.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, ServiceSpec, "The desired state."),
  status: optional(3, ServiceStatus, "The observed state."),
});

export const services = defineKind(Service, {
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  namespaced: true,
  shortNames: ["svc"],
  categories: ["all"],
  status: true,
  subresources: {
    proxy: {
      kind: { group: "", version: "v1", kind: "ServiceProxyOptions" },
      verbs: ["create", "delete", "get", "patch", "update"],
    },
  },
});
export type Service = ObjectOf<typeof services>;
