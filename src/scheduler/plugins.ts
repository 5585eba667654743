import type { Profile } from "./framework.ts";
import { balancedAllocation } from "./plugins/balanced-allocation.ts";
import { imageLocality } from "./plugins/image-locality.ts";
import { interPodAffinity } from "./plugins/inter-pod-affinity.ts";
import { nodeAffinity } from "./plugins/node-affinity.ts";
import { nodeName } from "./plugins/node-name.ts";
import { nodePorts } from "./plugins/node-ports.ts";
import { nodeResourcesFit } from "./plugins/node-resources-fit.ts";
import { nodeUnschedulable } from "./plugins/node-unschedulable.ts";
import { podTopologySpread } from "./plugins/pod-topology-spread.ts";
import { defaultPreemption } from "./preemption/plan.ts";
import { schedulingGates } from "./plugins/scheduling-gates.ts";
import { taintToleration } from "./plugins/taint-toleration.ts";

/** The default profile, in the order in which filters run; weights are upstream's (`apis/config/v1/default_plugins.go`). */
export const defaultProfile: Profile = () => [
  { plugin: schedulingGates, weight: 0 },
  { plugin: nodeUnschedulable, weight: 0 },
  { plugin: nodeName, weight: 0 },
  { plugin: taintToleration, weight: 3 },
  { plugin: nodeAffinity, weight: 2 },
  { plugin: nodePorts, weight: 0 },
  { plugin: nodeResourcesFit(), weight: 1 },
  { plugin: podTopologySpread(), weight: 2 },
  { plugin: interPodAffinity, weight: 2 },
  { plugin: defaultPreemption, weight: 0 },
  { plugin: balancedAllocation, weight: 1 },
  { plugin: imageLocality, weight: 1 },
];
