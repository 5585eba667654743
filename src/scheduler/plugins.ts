import type { WeightedPlugin } from "./framework.ts";
import {
  balancedAllocation,
  nodePorts,
  nodeResourcesFit,
  schedulingGates,
} from "./plugins/node-resources.ts";
import { nodeAffinity, nodeName } from "./plugins/node-selection.ts";
import { nodeUnschedulable, taintToleration } from "./plugins/taints.ts";

/** The default profile, in the order in which filters run; weights are upstream's (`apis/config/v1/default_plugins.go`). */
export const defaultPlugins: readonly WeightedPlugin[] = [
  { plugin: schedulingGates, weight: 0 },
  { plugin: nodeUnschedulable, weight: 0 },
  { plugin: nodeName, weight: 0 },
  { plugin: taintToleration, weight: 3 },
  { plugin: nodeAffinity, weight: 2 },
  { plugin: nodePorts, weight: 0 },
  { plugin: nodeResourcesFit, weight: 1 },
  { plugin: balancedAllocation, weight: 1 },
];
