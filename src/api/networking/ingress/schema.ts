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
    name: optional(1, string, "The port's name."),
    number: optional(2, int32, "The port's number."),
  },
  { atomic: true },
);
export type ServiceBackendPort = Out<typeof ServiceBackendPort>;

export const IngressServiceBackend = message("IngressServiceBackend", "A Service as a backend.", {
  name: required(1, string, "The Service, in the same namespace."),
  port: optional(2, ServiceBackendPort, "The port."),
});
export type IngressServiceBackend = Out<typeof IngressServiceBackend>;

export const IngressBackend = message("IngressBackend", "The backend of requests; one of the two is set.", {
  service: pointer(4, IngressServiceBackend, "A Service."),
  resource: pointer(3, TypedLocalObjectReference, "A backend object of another kind."),
});
export type IngressBackend = Out<typeof IngressBackend>;

export const HTTPIngressPath = message("HTTPIngressPath", "The backend for a path.", {
  path: optional(1, string, "The path."),
  pathType: pointer(
    3,
    oneOf("Exact", "ImplementationSpecific", "Prefix"),
    "The matching of the path: Exact, ImplementationSpecific, or Prefix, which compares elements.",
  ),
  backend: required(2, IngressBackend, "The backend of the path."),
});
export type HTTPIngressPath = Out<typeof HTTPIngressPath>;

export const HTTPIngressRuleValue = message("HTTPIngressRuleValue", "The rules for HTTP requests.", {
  paths: required(1, list(HTTPIngressPath), "The backends by path."),
});
export type HTTPIngressRuleValue = Out<typeof HTTPIngressRuleValue>;

export const IngressRuleValue = message("IngressRuleValue", "The backends of requests, by protocol.", {
  http: pointer(1, HTTPIngressRuleValue, "The rules for HTTP requests."),
});
export type IngressRuleValue = Out<typeof IngressRuleValue>;

export const IngressRule = message("IngressRule", "The rules for a host.", {
  host: optional(1, string, "The host, whose first label may be `*`; all hosts when empty."),
  ingressRuleValue: inline(2, IngressRuleValue, "The backends of requests for the host."),
});
export type IngressRule = Out<typeof IngressRule>;

export const IngressTLS = message("IngressTLS", "A certificate for hosts.", {
  hosts: optional(1, list(string), "The hosts in the certificate."),
  secretName: optional(2, string, "The Secret with the certificate and its key."),
});
export type IngressTLS = Out<typeof IngressTLS>;

export const IngressSpec = message("IngressSpec", "The desired state of an Ingress.", {
  ingressClassName: pointer(4, string, "The IngressClass."),
  defaultBackend: pointer(1, IngressBackend, "The backend of requests that no rule matches."),
  tls: optional(2, list(IngressTLS), "Certificates."),
  rules: optional(3, list(IngressRule), "The rules, by host."),
});
export type IngressSpec = Out<typeof IngressSpec>;

export const IngressPortStatus = message("IngressPortStatus", "A port of a load balancer.", {
  port: required(1, int32, "The port."),
  protocol: required(2, oneOf("SCTP", "TCP", "UDP"), "The transport protocol."),
  error: pointer(3, string, "The reason of a failure."),
});
export type IngressPortStatus = Out<typeof IngressPortStatus>;

export const IngressLoadBalancerIngress = message(
  "IngressLoadBalancerIngress",
  "One entry point of a load balancer.",
  {
    ip: optional(1, string, "The entry point's IP address."),
    hostname: optional(2, string, "The entry point's host name."),
    ports: optional(4, list(IngressPortStatus), "The ports of the entry point."),
  },
);
export type IngressLoadBalancerIngress = Out<typeof IngressLoadBalancerIngress>;

export const IngressLoadBalancerStatus = message("IngressLoadBalancerStatus", "A load balancer.", {
  ingress: optional(1, list(IngressLoadBalancerIngress), "The load balancer's entry points."),
});
export type IngressLoadBalancerStatus = Out<typeof IngressLoadBalancerStatus>;

export const IngressStatus = message("IngressStatus", "The observed state of an Ingress.", {
  loadBalancer: optional(1, IngressLoadBalancerStatus, "The load balancer."),
});
export type IngressStatus = Out<typeof IngressStatus>;

export const Ingress = message("Ingress", "Routes external HTTP requests to Services.", {
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
