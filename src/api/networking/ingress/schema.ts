import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  inline,
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
import { TypedLocalObjectReference } from "../../core/v1/reference.ts";

const message = messages("io.k8s.api.networking.v1");

export const ServiceBackendPort = message(
  "ServiceBackendPort",
  "A port of a Service, by name or by number.",
  {
    name: optional(1, string, "Its name."),
    number: optional(2, int32, "Its number."),
  },
  { atomic: true },
);
export type ServiceBackendPort = Out<typeof ServiceBackendPort>;

export const IngressServiceBackend = message("IngressServiceBackend", "A Service that takes traffic.", {
  name: required(1, string, "The Service, in the same namespace."),
  port: optional(2, ServiceBackendPort, "The port."),
});
export type IngressServiceBackend = Out<typeof IngressServiceBackend>;

export const IngressBackend = message("IngressBackend", "Where traffic goes: to one of the two.", {
  service: pointer(4, IngressServiceBackend, "A Service."),
  resource: pointer(3, TypedLocalObjectReference, "Any other object that the controller knows."),
});
export type IngressBackend = Out<typeof IngressBackend>;

export const HTTPIngressPath = message("HTTPIngressPath", "Where requests for a path go.", {
  path: optional(1, string, "The path."),
  pathType: pointer(
    3,
    oneOf("Exact", "ImplementationSpecific", "Prefix"),
    "How the path is compared: as a whole, as the controller likes, or element by element.",
  ),
  backend: required(2, IngressBackend, "Where they go."),
});
export type HTTPIngressPath = Out<typeof HTTPIngressPath>;

export const HTTPIngressRuleValue = message("HTTPIngressRuleValue", "Where HTTP requests go.", {
  paths: required(1, list(HTTPIngressPath), "By path."),
});
export type HTTPIngressRuleValue = Out<typeof HTTPIngressRuleValue>;

export const IngressRuleValue = message("IngressRuleValue", "Where requests go, by protocol.", {
  http: pointer(1, HTTPIngressRuleValue, "Where HTTP requests go."),
});
export type IngressRuleValue = Out<typeof IngressRuleValue>;

export const IngressRule = message("IngressRule", "Where requests for a host go.", {
  host: optional(1, string, "The host; its first label may be `*`. All hosts when empty."),
  ingressRuleValue: inline(2, IngressRuleValue, "Where they go."),
});
export type IngressRule = Out<typeof IngressRule>;

export const IngressTLS = message("IngressTLS", "A certificate for hosts.", {
  hosts: optional(1, list(string), "The hosts in the certificate."),
  secretName: optional(2, string, "The Secret with the certificate and its key."),
});
export type IngressTLS = Out<typeof IngressTLS>;

export const IngressSpec = message("IngressSpec", "What an Ingress shall do.", {
  ingressClassName: pointer(4, string, "The class, which tells the controller in charge."),
  defaultBackend: pointer(1, IngressBackend, "Where requests go that no rule is for."),
  tls: optional(2, list(IngressTLS), "Certificates."),
  rules: optional(3, list(IngressRule), "Where requests go, by host."),
});
export type IngressSpec = Out<typeof IngressSpec>;

export const IngressPortStatus = message("IngressPortStatus", "A port of a load balancer.", {
  port: required(1, int32, "The port."),
  protocol: required(2, oneOf("SCTP", "TCP", "UDP"), "The transport."),
  error: pointer(3, string, "Why it does not work."),
});
export type IngressPortStatus = Out<typeof IngressPortStatus>;

export const IngressLoadBalancerIngress = message(
  "IngressLoadBalancerIngress",
  "One entry point of a load balancer.",
  {
    ip: optional(1, string, "Its address."),
    hostname: optional(2, string, "Its name."),
    ports: optional(4, list(IngressPortStatus), "Its ports."),
  },
);
export type IngressLoadBalancerIngress = Out<typeof IngressLoadBalancerIngress>;

export const IngressLoadBalancerStatus = message("IngressLoadBalancerStatus", "A load balancer.", {
  ingress: optional(1, list(IngressLoadBalancerIngress), "Its entry points."),
});
export type IngressLoadBalancerStatus = Out<typeof IngressLoadBalancerStatus>;

export const IngressStatus = message("IngressStatus", "What is known about an Ingress.", {
  loadBalancer: optional(1, IngressLoadBalancerStatus, "Its load balancer."),
});
export type IngressStatus = Out<typeof IngressStatus>;

export const Ingress = message("Ingress", "Brings HTTP requests from outside to Services.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, IngressSpec, "The desired state."),
  status: optional(3, IngressStatus, "The observed state."),
});

export const ingresses = defineKind(Ingress, {
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  plural: "ingresses",
  namespaced: true,
  shortNames: ["ing"],
  status: true,
});
export type Ingress = ObjectOf<typeof ingresses>;
