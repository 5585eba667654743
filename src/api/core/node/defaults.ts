import type { Draft } from "../../../meta/schema.ts";
import type { Node } from "./schema.ts";

/** The one range and the first of all ranges are the same; where they are not, clients that know only one are right. */
export function defaultNode({ spec, status }: Draft<Node>): void {
  const { podCIDR = "", podCIDRs = [] } = spec;
  if (podCIDR !== "" && podCIDR !== podCIDRs[0]) spec.podCIDRs = [podCIDR];
  if (podCIDR === "" && podCIDRs[0] !== undefined) [spec.podCIDR] = podCIDRs;
  if (status.capacity !== undefined) status.allocatable ??= { ...status.capacity };
}
