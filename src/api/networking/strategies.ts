import { root } from "../../meta/field-error.ts";
import type { Draft } from "../../meta/schema.ts";
import { type Registration, serve, type Strategy } from "../../meta/strategy.ts";
import { canonicalIpProblems } from "../../meta/validation/ip.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { ipWarnings } from "../core/warnings/ip.ts";
import { keepMetadata } from "../status-metadata.ts";
import {
  ingressClassColumns,
  ingressColumns,
  ipAddressColumns,
  networkPolicyColumns,
  serviceCIDRColumns,
} from "./printers.ts";
import { type IngressClass, ingressClasses } from "./v1/ingress-class.ts";
import { type Ingress, ingresses } from "./v1/ingress.ts";
import { type IPAddress, ipAddresses } from "./v1/ip-address.ts";
import { networkPolicies, type NetworkPolicy } from "./v1/network-policy.ts";
import { type ServiceCIDR, serviceCIDRs } from "./v1/service-cidr.ts";
import {
  validateIPAddress,
  validateSameParent,
  validateServiceCIDR,
  validateServiceCIDRUpdate,
} from "./validation-addresses.ts";
import { validateIngressClass, validateSameController } from "./validation-ingress-class.ts";
import {
  classAnnotation,
  validateIngress,
  validateIngressCreate,
  validateIngressStatus,
} from "./validation-ingress.ts";
import { networkPolicyWarnings, validateNetworkPolicy } from "./validation-policy.ts";

const ingressStrategy: Strategy<Ingress> = {
  validateCreate: validateIngressCreate,
  validateUpdate: validateIngress,
  validateStatusUpdate: validateIngressStatus,
  warnings: ingressWarnings,
  generation: true,
  columns: ingressColumns,
};

function ingressWarnings({ metadata, spec, status }: Ingress, old: Ingress | undefined): readonly string[] {
  if (old === undefined) {
    const isOld =
      metadata.annotations?.[classAnnotation] !== undefined && spec.ingressClassName === undefined;
    return isOld
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [];
  }
  if (deepEqual(status, old.status)) return [];
  const place = root.child("status", "loadBalancer", "ingress");
  return (status.loadBalancer.ingress ?? []).flatMap(({ ip = "" }, i) => ipWarnings(ip, place.index(i)));
}

const ingressClassStrategy: Strategy<IngressClass> = {
  validate: validateIngressClass,
  validateUpdate: validateSameController,
  generation: true,
  columns: ingressClassColumns,
};

const networkPolicyStrategy: Strategy<NetworkPolicy> = {
  setDefaults: defaultTypes,
  validateCreate: (policy) => validateNetworkPolicy(policy),
  validateUpdate: validateNetworkPolicy,
  warnings: networkPolicyWarnings,
  generation: true,
  columns: networkPolicyColumns,
};

/** A policy is about what comes in, and also about what goes out where it says something of that. */
function defaultTypes({ spec }: Draft<NetworkPolicy>): void {
  spec.policyTypes ??= spec.egress === undefined ? ["Ingress"] : ["Ingress", "Egress"];
}

const ipAddressStrategy: Strategy<IPAddress> = {
  validateName: canonicalIpProblems,
  validate: validateIPAddress,
  validateUpdate: validateSameParent,
  columns: ipAddressColumns,
};

const serviceCIDRStrategy: Strategy<ServiceCIDR> = {
  prepareForUpdate(draft, old, { subresource }) {
    if (subresource === "status") keepMetadata(draft.metadata, old.metadata);
  },
  validateCreate: validateServiceCIDR,
  validateUpdate: validateServiceCIDRUpdate,
  columns: serviceCIDRColumns,
};

/** The group `networking.k8s.io`. */
export const networkingRegistrations: readonly Registration[] = [
  serve(ingressClasses, ingressClassStrategy),
  serve(ingresses, ingressStrategy),
  serve(ipAddresses, ipAddressStrategy),
  serve(networkPolicies, networkPolicyStrategy),
  serve(serviceCIDRs, serviceCIDRStrategy),
];
