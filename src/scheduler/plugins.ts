import type { PluginArguments } from "./configuration/arguments.ts";
import type { Handle, Plugin, Profile } from "./framework.ts";
import { balancedAllocation } from "./plugins/balanced-allocation.ts";
import { DeviceState } from "./plugins/dynamic-resources/device-state.ts";
import { dynamicResources } from "./plugins/dynamic-resources/plugin.ts";
import { imageLocality } from "./plugins/image-locality.ts";
import { interPodAffinity } from "./plugins/inter-pod-affinity.ts";
import { nodeAffinity } from "./plugins/node-affinity.ts";
import { nodeName } from "./plugins/node-name.ts";
import { nodePorts } from "./plugins/node-ports.ts";
import { nodeResourcesFit } from "./plugins/node-resources-fit.ts";
import { nodeUnschedulable } from "./plugins/node-unschedulable.ts";
import { nodeVolumeLimits } from "./plugins/node-volume-limits.ts";
import { podTopologySpread } from "./plugins/pod-topology-spread.ts";
import { defaultPreemption } from "./preemption/plan.ts";
import { schedulingGates } from "./plugins/scheduling-gates.ts";
import { taintToleration } from "./plugins/taint-toleration.ts";
import { volumeBinding } from "./plugins/volume-binding/plugin.ts";
import { volumeRestrictions } from "./plugins/volume-restrictions.ts";
import { volumeZone } from "./plugins/volume-zone.ts";

/** A plugin that a configuration can name. */
export interface PluginEntry {
  readonly name: string;
  /** The weight of its scores in the default profile; 0 for a plugin that does not score. */
  readonly weight: number;
  readonly make: (args: PluginArguments, handle: Handle) => Plugin;
}

/** A plugin whose work the scheduler itself does: the order of the queue, and the binding. */
function builtIn(name: string): PluginEntry {
  return { name, weight: 0, make: () => ({ name }) };
}

/** The plugins of the default profile, in its order, with its weights: upstream's (`apis/config/v1/default_plugins.go`). */
export const pluginEntries: readonly PluginEntry[] = [
  { name: "SchedulingGates", weight: 0, make: () => schedulingGates },
  builtIn("PrioritySort"),
  { name: "NodeUnschedulable", weight: 0, make: () => nodeUnschedulable },
  { name: "NodeName", weight: 0, make: () => nodeName },
  { name: "TaintToleration", weight: 3, make: () => taintToleration },
  { name: "NodeAffinity", weight: 2, make: (args) => nodeAffinity(args.NodeAffinity) },
  { name: "NodePorts", weight: 0, make: () => nodePorts },
  {
    name: "NodeResourcesFit",
    weight: 1,
    make: (args, handle) =>
      nodeResourcesFit(args.NodeResourcesFit, (pod) => DeviceState.of(handle).classesFor(pod)),
  },
  { name: "VolumeRestrictions", weight: 0, make: (_, handle) => volumeRestrictions(handle) },
  { name: "NodeVolumeLimits", weight: 0, make: (_, handle) => nodeVolumeLimits(handle) },
  { name: "VolumeBinding", weight: 0, make: (args, handle) => volumeBinding(handle, args.VolumeBinding) },
  { name: "VolumeZone", weight: 0, make: (_, handle) => volumeZone(handle) },
  { name: "PodTopologySpread", weight: 2, make: (args) => podTopologySpread(args.PodTopologySpread) },
  { name: "InterPodAffinity", weight: 2, make: (args) => interPodAffinity(args.InterPodAffinity) },
  {
    name: "DynamicResources",
    weight: 2,
    make: (args, handle) => dynamicResources(handle, args.DynamicResources),
  },
  { name: "DefaultPreemption", weight: 0, make: (args) => defaultPreemption(args.DefaultPreemption) },
  {
    name: "NodeResourcesBalancedAllocation",
    weight: 1,
    make: (args) => balancedAllocation(args.NodeResourcesBalancedAllocation),
  },
  { name: "ImageLocality", weight: 1, make: () => imageLocality },
  builtIn("DefaultBinder"),
];

export const defaultProfile: Profile = (handle) =>
  pluginEntries.map(({ weight, make }) => ({ plugin: make({}, handle), weight }));
