import { type Registration, serve } from "../../meta/strategy.ts";
import { ingressClasses } from "./ingress-class/schema.ts";
import { ingressClassStrategy } from "./ingress-class/strategy.ts";
import { ingresses } from "./ingress/schema.ts";
import { ingressStrategy } from "./ingress/strategy.ts";
import { ipAddresses } from "./ip-address/schema.ts";
import { ipAddressStrategy } from "./ip-address/strategy.ts";
import { networkPolicies } from "./network-policy/schema.ts";
import { networkPolicyStrategy } from "./network-policy/strategy.ts";
import { serviceCIDRs } from "./service-cidr/schema.ts";
import { serviceCIDRStrategy } from "./service-cidr/strategy.ts";

/** The group `networking.k8s.io`. */
export const networkingRegistrations: readonly Registration[] = [
  serve(ingressClasses, ingressClassStrategy),
  serve(ingresses, ingressStrategy),
  serve(ipAddresses, ipAddressStrategy),
  serve(networkPolicies, networkPolicyStrategy),
  serve(serviceCIDRs, serviceCIDRStrategy),
];
