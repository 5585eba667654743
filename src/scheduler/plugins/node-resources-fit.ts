import type { Pod } from "../../api/core/pod/schema.ts";
import { type DeviceClass, deviceClasses } from "../../api/resource/device-class/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { changeOf } from "../cluster-event.ts";
import { implicitResource } from "./dynamic-resources/extended-resources.ts";
import { type Plugin, type Unfit, unresolvable, unschedulable } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import { nonZeroRequest, podRequest, type Resources } from "../resources.ts";
import type { PluginArguments, ScoringStrategy } from "../configuration/arguments.ts";
import {
  cpuAndMemory,
  leastAllocated,
  mostAllocated,
  requestedToCapacityRatio,
  type ResourceScorer,
} from "./resource-scores.ts";

/** Finds the extended resources of a Pod that claims for devices provide where nodes do not have them (KEP-5004). */
type DeviceResources = (pod: Pod) => ReadonlyMap<string, unknown>;

const noDevices: DeviceResources = () => new Map();

/** Rejects nodes without room for the Pod's request; prefers the emptier node (`LeastAllocated`) by default. */
export function nodeResourcesFit(
  {
    ignoredResources = [],
    ignoredResourceGroups = [],
    scoringStrategy = {},
  }: NonNullable<PluginArguments["NodeResourcesFit"]> = {},
  devicesFor: DeviceResources = noDevices,
): Plugin {
  const score = scorerOf(scoringStrategy);
  const isIgnored = (name: string) =>
    ignoredResources.includes(name) || ignoredResourceGroups.includes(name.split("/")[0] ?? "");
  return {
    name: "NodeResourcesFit",
    reads: [deviceClasses],
    keyOf(pod) {
      const names = [...devicesFor(pod).keys()];
      return names.length === 0 ? undefined : JSON.stringify(names);
    },
    preFilter(pod) {
      const request = podRequest(pod);
      const devices = devicesFor(pod);
      const isLeftOut = (name: string, node: NodeInfo) =>
        isIgnored(name) || (devices.has(name) && node.allocatable.get(name) === 0);
      return { type: "filtering", filter: (node) => insufficient(node, request, isLeftOut) };
    },
    preScore(pod) {
      const request = nonZeroRequest(pod);
      return { score: (node) => score(request, node) };
    },
    helps(pod, event) {
      const { old, object } = changeOf(deviceClasses, event) ?? {};
      if (object !== undefined) return givesResource(old, object, pod);
      if (event.type === "nodeAdded" || event.type === "podRemoved") return true;
      if (event.type === "nodeUpdated")
        return !deepEqual(event.old.status.allocatable, event.node.status.allocatable);
      return (
        event.type === "assignedPodUpdated" &&
        shrinks(podRequest(event.old), podRequest(event.pod), podRequest(pod))
      );
    },
  };
}

/** Reports whether the class is new for an extended resource that the Pod asks for. */
function givesResource(old: DeviceClass | undefined, now: DeviceClass, pod: Pod): boolean {
  if (old !== undefined && old.spec.extendedResourceName === now.spec.extendedResourceName) return false;
  const { scalars } = podRequest(pod);
  return [implicitResource(now), now.spec.extendedResourceName ?? ""].some((name) => scalars.has(name));
}

/** Reports whether a Pod was resized to less of a resource that the other Pod asks for (KEP-1287). */
function shrinks(old: Resources, now: Resources, wanted: Resources): boolean {
  const names = ["cpu", "memory", "ephemeral-storage", ...wanted.scalars.keys()];
  return names.some((name) => wanted.get(name) > 0 && now.get(name) < old.get(name));
}

function scorerOf({
  type,
  resources = [],
  requestedToCapacityRatio: ratio,
}: ScoringStrategy): ResourceScorer {
  const weighted = resources.map(({ name = "", weight = 1 }) => ({ name, weight }));
  const counted = weighted.length === 0 ? cpuAndMemory : weighted;
  switch (type) {
    case "MostAllocated":
      return mostAllocated(counted);
    case "RequestedToCapacityRatio": {
      const shape = ratio?.shape ?? [];
      const points = shape.map(({ utilization = 0, score: own = 0 }) => ({ utilization, score: own }));
      return requestedToCapacityRatio(points, counted);
    }
    default:
      return leastAllocated(counted);
  }
}

function insufficient(
  node: NodeInfo,
  wanted: Resources,
  isLeftOut: (name: string, node: NodeInfo) => boolean,
): Unfit | undefined {
  const { pods, allocatable, requested } = node;
  let reasons: string[] | undefined;
  let isOver = false;
  const check = (reason: string, amount: number, taken: number, all: number) => {
    if (amount <= all - taken) return;
    (reasons ??= []).push(reason);
    // More than the whole node: no removal of Pods makes room.
    isOver ||= amount > all;
  };
  check("Too many pods", 1, pods.size, allocatable.pods);
  if (wanted.milliCpu > 0)
    check("Insufficient cpu", wanted.milliCpu, requested.milliCpu, allocatable.milliCpu);
  if (wanted.memory > 0) check("Insufficient memory", wanted.memory, requested.memory, allocatable.memory);
  if (wanted.ephemeralStorage > 0) {
    const { ephemeralStorage } = requested;
    check(
      "Insufficient ephemeral-storage",
      wanted.ephemeralStorage,
      ephemeralStorage,
      allocatable.ephemeralStorage,
    );
  }
  for (const [name, amount] of wanted.scalars) {
    if (amount > 0 && !isLeftOut(name, node))
      check(`Insufficient ${name}`, amount, requested.get(name), allocatable.get(name));
  }
  if (reasons === undefined) return undefined;
  return isOver ? unresolvable(...reasons) : unschedulable(...reasons);
}
