import { compareQuantities, parseQuantity } from "../../../meta/quantity.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import type { ContainerStatus } from "../pod/container-status.ts";
import { qosClass } from "../pod/qos.ts";
import {
  aggregate,
  type Amounts,
  isHugePage,
  isPodLevelResource,
  type ResourceList,
} from "../pod/resources.ts";
import type { Pod } from "../pod/schema.ts";
import type { PodAffinityTerm } from "../v1/scheduling.ts";
import { isExtended } from "../validation/resources.ts";
import { addAmounts, parseAmounts, pick, whole } from "./amounts.ts";
import { type Evaluator, holds } from "./evaluator.ts";

const compute = ["cpu", "memory", "ephemeral-storage"] as const;

const resources: ReadonlySet<string> = new Set([
  "count/pods",
  "pods",
  ...compute,
  ...compute.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);

const deviceClassPrefix = "deviceclass.resource.kubernetes.io/";

/** The rules of Pods (upstream `quota/v1/evaluator/core/pods.go`). */
export const podEvaluator: Evaluator<Pod> = {
  uses: (name) =>
    resources.has(name) ||
    isHugePage(name) ||
    name.startsWith("requests.hugepages-") ||
    isExtendedRequest(name),
  usage(pod, now) {
    const used: Amounts = new Map([["count/pods", whole(1)]]);
    if (isCharged(pod, now)) addAmounts(used, computeUsage(podRequests(pod), podLimits(pod)));
    return used;
  },
  isInScope(pod, requirement) {
    switch (requirement.scopeName) {
      case "Terminating":
        return hasDeadline(pod);
      case "NotTerminating":
        return !hasDeadline(pod);
      case "BestEffort":
        return isBestEffort(pod);
      case "NotBestEffort":
        return !isBestEffort(pod);
      case "PriorityClass":
        return holds(requirement, pod.spec.priorityClassName);
      case "CrossNamespacePodAffinity":
        return affinityTerms(pod).some(
          ({ namespaces = [], namespaceSelector }) =>
            namespaces.length > 0 || namespaceSelector !== undefined,
        );
      default:
        return false;
    }
  },
  missing: ({ spec }, required) => missingAmounts(spec, required),
  charges({ subresource, object, old }) {
    if (subresource === "resize") return old !== undefined;
    return subresource === "" && (old === undefined || hasDeadline(object) !== hasDeadline(old));
  },
  replenishes: (pod, old, now) =>
    hasDeadline(pod) !== hasDeadline(old) ||
    (isCharged(old, now) && !isCharged(pod, now)) ||
    !deepEqual(statusResources(pod), statusResources(old)),
};

/** Reports whether the name is of the form `requests.example.com/device`. */
function isExtendedRequest(name: string): boolean {
  const isNative = !name.includes("/") || name.includes("kubernetes.io/");
  return name.startsWith("requests.") && (!isNative || name.startsWith(`requests.${deviceClassPrefix}`));
}

/**
 * Reports whether the Pod uses compute resources. A terminated Pod uses none, and neither does a Pod that
 * should long have been gone: a lost node must not prevent the replacement of its Pods.
 */
function isCharged({ metadata, status }: Pod, now: number): boolean {
  if (status.phase === "Failed" || status.phase === "Succeeded") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function hasDeadline({ spec: { activeDeadlineSeconds } }: Pod): boolean {
  return activeDeadlineSeconds !== undefined && activeDeadlineSeconds >= 0;
}

function isBestEffort({ spec, status }: Pod): boolean {
  return (status.qosClass ?? qosClass(spec)) === "BestEffort";
}

function affinityTerms({ spec: { affinity } }: Pod): readonly PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one) => [
    ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
  ]);
}

function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const used: Amounts = new Map([["pods", whole(1)]]);
  for (const [name, amount] of requests) {
    const isPlain = isHugePage(name) || compute.some((one) => one === name);
    if (isPlain) used.set(name, amount);
    if (isPlain || isExtended(name) || name.startsWith(deviceClassPrefix))
      used.set(`requests.${name}`, amount);
  }
  for (const name of compute) {
    const amount = limits.get(name);
    if (amount !== undefined) used.set(`limits.${name}`, amount);
  }
  return used;
}

/** The requests of a Pod, or its larger ones during a resize (component-helpers `PodRequests`). */
function podRequests(pod: Pod): Amounts {
  const { spec } = pod;
  const statuses = statusesOf(pod);
  const isInfeasible = isResizeInfeasible(pod);
  const total = aggregate(spec, (container) => {
    const status = statuses.get(container.name);
    const { requests } = container.resources;
    if (status?.resources === undefined) return requests;
    const present = [status.resources.requests, status.allocatedResources];
    return greatest(isInfeasible ? present : [requests, ...present]);
  });
  replaceByPodLevel(total, spec.resources?.requests);
  addAmounts(total, parseAmounts(spec.overhead));
  return total;
}

/** The limits of a Pod. Its overhead raises only limits that exist. */
function podLimits(pod: Pod): Amounts {
  const { spec } = pod;
  const statuses = statusesOf(pod);
  const isInfeasible = isResizeInfeasible(pod);
  const total = aggregate(spec, (container) => {
    const status = statuses.get(container.name);
    const { limits } = container.resources;
    if (status?.resources === undefined) return limits;
    return isInfeasible ? status.resources.limits : greatest([limits, status.resources.limits]);
  });
  replaceByPodLevel(total, spec.resources?.limits);
  addAmounts(total, pick(parseAmounts(spec.overhead), total));
  return total;
}

function replaceByPodLevel(total: Amounts, list: ResourceList = {}): void {
  for (const [name, amount] of parseAmounts(list)) if (isPodLevelResource(name)) total.set(name, amount);
}

function greatest(lists: readonly (ResourceList | undefined)[]): ResourceList {
  const most: Record<string, string> = {};
  for (const list of lists) {
    for (const [name, text] of Object.entries(list ?? {})) {
      const known = most[name];
      if (known === undefined || compareQuantities(parseQuantity(text), parseQuantity(known)) > 0)
        most[name] = text;
    }
  }
  return most;
}

/** The statuses of the containers that can be resized: not those of plain init containers. */
function statusesOf({ spec, status }: Pod): ReadonlyMap<string, ContainerStatus> {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const names = new Set([...spec.containers, ...sidecars].map(({ name }) => name));
  const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  return new Map(all.filter(({ name }) => names.has(name)).map((one) => [one.name, one]));
}

function isResizeInfeasible({ status }: Pod): boolean {
  return (status.conditions ?? []).some(
    ({ type, reason }) => type === "PodResizePending" && reason === "Infeasible",
  );
}

function statusResources(pod: Pod): readonly unknown[] {
  return [...statusesOf(pod).values()].map(({ name, resources: sizes }) => [name, sizes]);
}

/**
 * The resources for which every container needs an amount when a quota limits them. Upstream calls the rule a
 * mistake and keeps it.
 */
const required: readonly string[] = ["cpu", "memory"].flatMap((name) => [
  name,
  `requests.${name}`,
  `limits.${name}`,
]);

function missingAmounts(spec: Pod["spec"], limited: ReadonlySet<string>): string | undefined {
  const podLevel = { ...spec.resources?.requests, ...spec.resources?.limits };
  if (Object.keys(podLevel).some(isPodLevelResource)) return undefined;
  const missing = required
    .filter((name) => limited.has(name))
    .toSorted()
    .map((name) => [name, containersWithout(spec, name)] as const)
    .filter(([, names]) => names.length > 0);
  if (missing.length === 0) return undefined;
  return `must specify ${missing.map(([name, names]) => `${name} for: ${names.join(",")}`).join("; ")}`;
}

function containersWithout(
  { containers, initContainers = [] }: Pod["spec"],
  name: string,
): readonly string[] {
  const names = [...containers, ...initContainers]
    .filter(({ resources: { requests, limits } }) => {
      return !computeUsage(parseAmounts(requests), parseAmounts(limits)).has(name);
    })
    .map((one) => one.name);
  return [...new Set(names)].toSorted();
}
