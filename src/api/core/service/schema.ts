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
  protocol: optional(2, oneOf("SCTP", "TCP", "UDP"), "The transport protocol.", { default: "TCP" }),
  appProtocol: pointer(6, string, "The application's protocol, as a hint."),
  port: required(3, int32, "The port that clients use."),
  targetPort: optional(4, intOrString, "The Pods' port, by number or name; `port` when absent."),
  nodePort: optional(5, int32, "The port on each node."),
});
export type ServicePort = Out<typeof ServicePort>;

export const ClientIPConfig = message("ClientIPConfig", "Affinity by the client's address.", {
  timeoutSeconds: pointer(1, int32, "The duration of the affinity in seconds."),
});
export type ClientIPConfig = Out<typeof ClientIPConfig>;

export const SessionAffinityConfig = message("SessionAffinityConfig", "Details of the session affinity.", {
  clientIP: pointer(1, ClientIPConfig, "The configuration of ClientIP affinity."),
});
export type SessionAffinityConfig = Out<typeof SessionAffinityConfig>;

export const ServiceSpec = message("ServiceSpec", "The desired state of a Service.", {
  ports: optional(1, keyed(ServicePort, "port", "protocol"), "The ports.", { merge: "port" }),
  selector: optional(
    2,
    atomicMap(string),
    "The labels of the Pods behind the Service; empty when the endpoints are managed externally.",
  ),
  clusterIP: optional(3, string, "The Service's primary IP address; None for a headless Service."),
  clusterIPs: optional(18, list(string), "All addresses, at most one of each family."),
  type: optional(
    4,
    oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"),
    "The type of the Service.",
    { default: "ClusterIP" },
  ),
  externalIPs: optional(5, list(string), "Additional addresses whose traffic the nodes accept."),
  sessionAffinity: optional(
    7,
    oneOf("ClientIP", "None"),
    "Whether connections of one client go to the same Pod.",
    {
      default: "None",
    },
  ),
  loadBalancerIP: optional(8, string, "The requested address of the load balancer."),
  loadBalancerSourceRanges: optional(9, list(string), "The client subnets that the load balancer accepts."),
  externalName: optional(10, string, "The DNS name of the alias; only for ExternalName."),
  externalTrafficPolicy: optional(
    11,
    oneOf("Cluster", "Local"),
    "Whether external traffic only goes to endpoints on the receiving node.",
  ),
  healthCheckNodePort: optional(
    12,
    int32,
    "The port for health checks of load balancers; only for the Local policy.",
  ),
  publishNotReadyAddresses: optional(13, boolean, "Whether endpoints include Pods that are not ready."),
  sessionAffinityConfig: pointer(14, SessionAffinityConfig, "Details of the session affinity."),
  ipFamilies: optional(19, list(oneOf("IPv4", "IPv6")), "The IP families; the first is the primary one."),
  ipFamilyPolicy: pointer(
    17,
    oneOf("PreferDualStack", "RequireDualStack", "SingleStack"),
    "The policy for IP families: single-stack or dual-stack.",
  ),
  allocateLoadBalancerNodePorts: pointer(
    20,
    boolean,
    "Whether node ports are allocated for a load balancer.",
  ),
  loadBalancerClass: pointer(21, string, "The implementation of the load balancer."),
  internalTrafficPolicy: pointer(
    22,
    oneOf("Cluster", "Local"),
    "Whether traffic in the cluster only goes to endpoints on the same node.",
  ),
  trafficDistribution: pointer(23, string, "The preferred endpoints, such as PreferSameZone."),
});
export type ServiceSpec = Out<typeof ServiceSpec>;

export const PortStatus = message("PortStatus", "A port of a load balancer.", {
  port: required(1, int32, "The port."),
  protocol: required(2, oneOf("SCTP", "TCP", "UDP"), "The transport protocol."),
  error: pointer(3, string, "The reason of a failure."),
});
export type PortStatus = Out<typeof PortStatus>;

export const LoadBalancerIngress = message("LoadBalancerIngress", "One entry point of a load balancer.", {
  ip: optional(1, string, "The entry point's IP address."),
  hostname: optional(2, string, "The entry point's host name."),
  ipMode: pointer(3, string, "Whether nodes answer for the address (VIP) or the balancer forwards (Proxy)."),
  ports: optional(4, list(PortStatus), "The ports of the entry point."),
});
export type LoadBalancerIngress = Out<typeof LoadBalancerIngress>;

export const LoadBalancerStatus = message("LoadBalancerStatus", "A load balancer.", {
  ingress: optional(1, list(LoadBalancerIngress), "The load balancer's entry points."),
});
export type LoadBalancerStatus = Out<typeof LoadBalancerStatus>;

export const ServiceStatus = message("ServiceStatus", "The observed state of a Service.", {
  loadBalancer: optional(1, LoadBalancerStatus, "The load balancer."),
  conditions: optional(2, keyed(Condition, "type"), "The conditions, one for each type.", {
    merge: "type",
  }),
});
export type ServiceStatus = Out<typeof ServiceStatus>;

export const Service = message("Service", "A stable name and address for a set of Pods.", {
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
