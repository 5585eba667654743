import type { Container } from "../../api/core/pod/container.ts";
import type { ContainerStatus } from "../../api/core/pod/container-status.ts";
import { type Amounts, toResourceList } from "../../api/core/pod/resources.ts";
import type { PodCondition, PodStatus } from "../../api/core/pod/status.ts";
import { formatTime } from "../../util/clock.ts";
import type { ResizeCondition } from "../allocation/allocations.ts";
import { type Requirements, wholePod, withSizes } from "../allocation/sizes.ts";
import { podLimits, podRequests, podResources } from "./resources.ts";
import type { PodView } from "./view.ts";

type List = Readonly<Record<string, string>>;

/** Returns the sizes in a container's status: the accepted ones, and those in use while it runs. */
export function containerSizes(
  { resize }: Pick<PodView, "resize">,
  { name, resources }: Container,
  isRunning: boolean,
): Pick<ContainerStatus, "allocatedResources" | "resources"> {
  const { requests } = resources;
  const present = isRunning ? resize?.actuated.get(name) : undefined;
  return {
    ...(requests !== undefined && { allocatedResources: requests }),
    resources: present === undefined ? resources : inUse(resources, present),
  };
}

/** Returns the accepted sizes with the amounts of CPU and memory that are in use. */
function inUse(accepted: Requirements, present: Requirements): Requirements {
  const { limits, requests } = accepted;
  return {
    ...accepted,
    ...(limits !== undefined && { limits: overlay(limits, present.limits) }),
    ...(requests !== undefined && { requests: overlay(requests, present.requests) }),
  };
}

function overlay(accepted: List, present: List = {}): List {
  const used = Object.entries(present).filter(([name]) => name === "cpu" || name === "memory");
  return { ...accepted, ...Object.fromEntries(used) };
}

/** Returns the sizes of the whole Pod for its status (kubelet `convertToAPIPodLevelResourcesStatus`, KEP-5419). */
export function podSizes({
  pod,
  resize,
}: Pick<PodView, "pod" | "resize">): Pick<PodStatus, "allocatedResources" | "resources"> {
  const { spec } = pod;
  const actuated = resize?.actuated;
  const pods = actuated?.get(wholePod) ?? spec.resources;
  const present =
    actuated === undefined || actuated.size === 0
      ? spec
      : withSizes(spec, { pod: pods, containers: actuated });
  const allocated = podRequests(spec);
  const requests = podRequests(present);
  const { cpuQuota, memoryLimitBytes } = podResources({ spec: present });
  const limits = podLimits(present);
  if (pod.status.phase === "Running") {
    if (cpuQuota === undefined) limits.delete("cpu");
    if (memoryLimitBytes === undefined) limits.delete("memory");
  }
  const named = (name: string, amounts: Amounts) =>
    amounts.size === 0 ? {} : { [name]: toResourceList(amounts) };
  return {
    ...named("allocatedResources", allocated),
    resources: { ...named("requests", requests), ...named("limits", limits) },
  };
}

/** Returns the conditions of a resize. */
export function resizeConditions({ resize }: Pick<PodView, "resize">): readonly PodCondition[] {
  const shown = (type: string, condition: ResizeCondition | undefined): readonly PodCondition[] => {
    if (condition === undefined) return [];
    const { reason, message, generation, since } = condition;
    return [
      {
        type,
        status: "True",
        ...(generation > 0 && { observedGeneration: generation }),
        lastTransitionTime: formatTime(since),
        ...(reason !== "" && { reason }),
        ...(message !== "" && { message }),
      },
    ];
  };
  return [...shown("PodResizePending", resize?.pending), ...shown("PodResizeInProgress", resize?.inProgress)];
}
