import type { Draft } from "../../../meta/schema.ts";
import type { LimitRange } from "../v1/limit-range.ts";
import type { Namespace } from "../v1/namespace.ts";
import type { Node } from "../v1/node.ts";
import type { ReplicationController } from "../v1/replication-controller.ts";
import { defaultPodSpec } from "./pod-spec.ts";

/** Each namespace can be selected by its name. */
export function defaultNamespace({ metadata }: Draft<Namespace>): void {
  if (metadata.name === undefined) return;
  metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
}

/** The one range and the first of all ranges are the same; where they are not, clients that know only one are right. */
export function defaultNode({ spec, status }: Draft<Node>): void {
  const { podCIDR = "", podCIDRs = [] } = spec;
  if (podCIDR !== "" && podCIDR !== podCIDRs[0]) spec.podCIDRs = [podCIDR];
  if (podCIDR === "" && podCIDRs[0] !== undefined) [spec.podCIDR] = podCIDRs;
  if (status.capacity !== undefined) status.allocatable ??= { ...status.capacity };
}

/** For containers: the default limit is the maximum, the default request that limit, else the minimum. */
export function defaultLimitRange({ spec }: Draft<LimitRange>): void {
  for (const item of spec.limits) {
    if (item.type !== "Container") continue;
    const limits = { ...item.max, ...item.default };
    const requests = { ...item.min, ...limits, ...item.defaultRequest };
    if (Object.keys(limits).length > 0) item.default = limits;
    if (Object.keys(requests).length > 0) item.defaultRequest = requests;
  }
}

/** Selector and labels come from the template. */
export function defaultReplicationController({ metadata, spec }: Draft<ReplicationController>): void {
  if (spec.template === undefined) return;
  defaultPodSpec(spec.template.spec);
  const { labels } = spec.template.metadata;
  if (labels === undefined) return;
  spec.selector ??= { ...labels };
  metadata.labels ??= { ...labels };
}
