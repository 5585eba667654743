import type { Draft } from "../../../meta/schema.ts";
import { aggregate, isHugePage, isPodLevelResource, type ResourceList, toResourceList } from "./resources.ts";
import type { Pod } from "./schema.ts";
import type { PodSpec } from "./spec.ts";
import type { ResourceRequirements } from "../v1/resources.ts";
import { defaultPodSpec } from "./spec-defaults.ts";

export function defaultPod({ spec }: Draft<Pod>): void {
  defaultPodSpec(spec);
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  for (const { resources } of containers) requestLimits(resources);
  defaultPodLevelResources(spec);
  spec.enableServiceLinks ??= true;
  // Applies to Pods, not to templates.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  if (spec.hostNetwork === true) {
    for (const { ports = [] } of containers) for (const port of ports) port.hostPort ??= port.containerPort;
  }
}

/** Sets each absent request to the limit. */
function requestLimits(resources: Draft<ResourceRequirements>): void {
  if (resources.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests };
}

/**
 * Defaults the Pod-level resources, if there are any (KEP-2837): huge page limits and requests from its
 * containers, other requests from its limits.
 */
function defaultPodLevelResources(spec: Draft<PodSpec>): void {
  const { resources } = spec;
  if (resources === undefined) return;
  const { requests = {}, limits = {} } = resources;
  if (Object.keys(requests).length + Object.keys(limits).length === 0) return;
  const fromContainers = toResourceList(aggregate(spec, (container) => container.resources.limits));
  const hugePages = pick(fromContainers, (name) => isHugePage(name) && requests[name] === undefined);
  const allLimits = { ...hugePages, ...limits };
  if (Object.keys(allLimits).length === 0) return;
  resources.limits = allLimits;
  const asked = toResourceList(aggregate(spec, (container) => container.resources.requests));
  resources.requests = {
    ...pick(allLimits, isPodLevelResource),
    ...pick(asked, (name) => name === "cpu" || name === "memory"),
    ...requests,
  };
}

function pick(list: ResourceList, wanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(list).filter(([name]) => wanted(name)));
}
