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

export const ServicePort = message("ServicePort", "A service port.", {
  name: optional(1, string, "The name."),
  protocol: optional(2, oneOf("SCTP", "TCP", "UDP"), "The protocol.", { default: "TCP" }),
  appProtocol: pointer(6, string, "The app protocol."),
  port: required(3, int32, "The port."),
  targetPort: optional(4, intOrString, "The target port."),
  nodePort: optional(5, int32, "The node port."),
});
export type ServicePort = Out<typeof ServicePort>;

export const ClientIPConfig = message("ClientIPConfig", "A client ip config.", {
  timeoutSeconds: pointer(1, int32, "The timeout seconds."),
});
export type ClientIPConfig = Out<typeof ClientIPConfig>;

export const SessionAffinityConfig = message("SessionAffinityConfig", "A session affinity config.", {
  clientIP: pointer(1, ClientIPConfig, "The client ip."),
});
export type SessionAffinityConfig = Out<typeof SessionAffinityConfig>;

export const ServiceSpec = message("ServiceSpec", "A service spec.", {
  ports: optional(1, keyed(ServicePort, "port", "protocol"), "The ports.", { merge: "port" }),
  selector: optional(2, atomicMap(string), "The selector."),
  clusterIP: optional(3, string, "The cluster ip."),
  clusterIPs: optional(18, list(string), "The cluster i ps."),
  type: optional(4, oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"), "The type.", {
    default: "ClusterIP",
  }),
  externalIPs: optional(5, list(string), "The external i ps."),
  sessionAffinity: optional(7, oneOf("ClientIP", "None"), "The session affinity.", { default: "None" }),
  loadBalancerIP: optional(8, string, "The load balancer ip."),
  loadBalancerSourceRanges: optional(9, list(string), "The load balancer source ranges."),
  externalName: optional(10, string, "The external name."),
  externalTrafficPolicy: optional(11, oneOf("Cluster", "Local"), "The external traffic policy."),
  healthCheckNodePort: optional(12, int32, "The health check node port."),
  publishNotReadyAddresses: optional(13, boolean, "The publish not ready addresses."),
  sessionAffinityConfig: pointer(14, SessionAffinityConfig, "The session affinity config."),
  ipFamilies: optional(19, list(oneOf("IPv4", "IPv6")), "The ip families."),
  ipFamilyPolicy: pointer(
    17,
    oneOf("PreferDualStack", "RequireDualStack", "SingleStack"),
    "The ip family policy.",
  ),
  allocateLoadBalancerNodePorts: pointer(20, boolean, "The allocate load balancer node ports."),
  loadBalancerClass: pointer(21, string, "The load balancer class."),
  internalTrafficPolicy: pointer(22, oneOf("Cluster", "Local"), "The internal traffic policy."),
  trafficDistribution: pointer(23, string, "The traffic distribution."),
});
export type ServiceSpec = Out<typeof ServiceSpec>;

export const PortStatus = message("PortStatus", "A port status.", {
  port: required(1, int32, "The port."),
  protocol: required(2, oneOf("SCTP", "TCP", "UDP"), "The protocol."),
  error: pointer(3, string, "The error."),
});
export type PortStatus = Out<typeof PortStatus>;

export const LoadBalancerIngress = message("LoadBalancerIngress", "A load balancer ingress.", {
  ip: optional(1, string, "The ip."),
  hostname: optional(2, string, "The hostname."),
  ipMode: pointer(3, string, "The ip mode."),
  ports: optional(4, list(PortStatus), "The ports."),
});
export type LoadBalancerIngress = Out<typeof LoadBalancerIngress>;

export const LoadBalancerStatus = message("LoadBalancerStatus", "A load balancer status.", {
  ingress: optional(1, list(LoadBalancerIngress), "The ingress."),
});
export type LoadBalancerStatus = Out<typeof LoadBalancerStatus>;

export const ServiceStatus = message("ServiceStatus", "A service status.", {
  loadBalancer: optional(1, LoadBalancerStatus, "The load balancer."),
  conditions: optional(2, keyed(Condition, "type"), "The conditions.", { merge: "type" }),
});
export type ServiceStatus = Out<typeof ServiceStatus>;

export const Service = message("Service", "A service.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, ServiceSpec, "The spec."),
  status: optional(3, ServiceStatus, "The status."),
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
