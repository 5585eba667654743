import { cidrWarnings } from "../../core/warnings/ip.ts";
import type { NetworkPolicy } from "./schema.ts";
import { subnetsOf } from "./validation.ts";

/** Warnings about subnets that are ambiguous or not canonical. */
export function networkPolicyWarnings(policy: NetworkPolicy): readonly string[] {
  return [...subnetsOf(policy)].flatMap(([subnet, place]) => cidrWarnings(subnet, place));
}
