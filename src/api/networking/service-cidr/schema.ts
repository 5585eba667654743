import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, keyed, list, messages, optional, string } from "../../../meta/schema.ts";
import { Condition, ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.networking.v1");

export const ServiceCIDRSpec = message("ServiceCIDRSpec", "The subnets of Service IPs.", {
  cidrs: optional(1, list(string), "One subnet, or one of each IP family; immutable."),
});
export type ServiceCIDRSpec = Out<typeof ServiceCIDRSpec>;

export const ServiceCIDRStatus = message("ServiceCIDRStatus", "The observed state of a ServiceCIDR.", {
  conditions: optional(1, keyed(Condition, "type"), "The conditions, one for each type.", {
    merge: "type",
  }),
});
export type ServiceCIDRStatus = Out<typeof ServiceCIDRStatus>;

export const ServiceCIDR = message("ServiceCIDR", "A range of IP addresses for Services.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, ServiceCIDRSpec, "The desired state."),
  status: optional(3, ServiceCIDRStatus, "The observed state."),
});

export const serviceCIDRs = defineKind(ServiceCIDR, {
  group: "networking.k8s.io",
  version: "v1",
  kind: "ServiceCIDR",
  plural: "servicecidrs",
  namespaced: false,
  status: true,
});
export type ServiceCIDR = ObjectOf<typeof serviceCIDRs>;
