import type { Draft } from "../../../meta/schema.ts";
import type { Node } from "./schema.ts";

/**
 * Makes `podCIDR` and the first of `podCIDRs` equal. If they differ, `podCIDR` counts, because older clients
 * only know that field.
 */
export function defaultNode({ spec, status }: Draft<Node>): void {
  const { podCIDR = "", podCIDRs = [] } = spec;
  if (podCIDR !== "" && podCIDR !== podCIDRs[0]) spec.podCIDRs = [podCIDR];
  if (podCIDR === "" && podCIDRs[0] !== undefined) [spec.podCIDR] = podCIDRs;
  if (status.capacity !== undefined) status.allocatable ??= { ...status.capacity };
}
