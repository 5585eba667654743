import { cidrWarnings } from "../../core/warnings/ip.ts";
import type { NetworkPolicy } from "./schema.ts";
import { subnetsOf } from "./validation.ts";

/** Subnets that mean something else to some readers, or that are spelled oddly. */
export function networkPolicyWarnings(policy: NetworkPolicy): readonly string[] {
  return [...subnetsOf(policy)].flatMap(([subnet, place]) => cidrWarnings(subnet, place));
}
