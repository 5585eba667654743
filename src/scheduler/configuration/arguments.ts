import { NodeAffinity as NodeAffinityType, TopologySpreadConstraint } from "../../api/core/v1/scheduling.ts";
import {
  boolean,
  duration,
  int32,
  int64,
  list,
  messages,
  type MessageType,
  optional,
  type Out,
  pointer,
  string,
} from "../../meta/schema.ts";

/** The arguments of plugins (kube-scheduler `config/v1/types_pluginargs.go`). The field numbers are arbitrary. */
const message = messages("io.k8s.kube-scheduler.config.v1");

const typeMeta = {
  apiVersion: optional(101, string, "The version of the arguments."),
  kind: optional(102, string, "The plugin's name with `Args`."),
};

const ResourceSpec = message("ResourceSpec", "A resource that counts in scores.", {
  name: optional(1, string, "The resource."),
  weight: optional(2, int64, "1 to 100. Default: 1."),
});

const UtilizationShapePoint = message("UtilizationShapePoint", "A point of the function of utilization.", {
  utilization: optional(1, int32, "0 to 100."),
  score: optional(2, int32, "0 to 10."),
});

const RequestedToCapacityRatioParam = message("RequestedToCapacityRatioParam", "A function of utilization.", {
  shape: optional(1, list(UtilizationShapePoint), "The points, by utilization."),
});

const ScoringStrategy = message("ScoringStrategy", "The way in which nodes are scored.", {
  type: optional(1, string, "LeastAllocated, MostAllocated or RequestedToCapacityRatio."),
  resources: optional(2, list(ResourceSpec), "The resources that count. Default: cpu and memory."),
  requestedToCapacityRatio: pointer(3, RequestedToCapacityRatioParam, "For RequestedToCapacityRatio."),
});

const NodeResourcesFitArgs = message("NodeResourcesFitArgs", "Arguments of NodeResourcesFit.", {
  ...typeMeta,
  ignoredResources: optional(1, list(string), "Extended resources that every node is taken to have."),
  ignoredResourceGroups: optional(2, list(string), "Groups of such resources: `example.com`."),
  scoringStrategy: pointer(3, ScoringStrategy, "Default: LeastAllocated."),
});

const NodeResourcesBalancedAllocationArgs = message(
  "NodeResourcesBalancedAllocationArgs",
  "Arguments of NodeResourcesBalancedAllocation.",
  { ...typeMeta, resources: optional(1, list(ResourceSpec), "The resources to balance.") },
);

const NodeAffinityArgs = message("NodeAffinityArgs", "Arguments of NodeAffinity.", {
  ...typeMeta,
  addedAffinity: pointer(1, NodeAffinityType, "Rules for all Pods of the profile, beside their own."),
});

const InterPodAffinityArgs = message("InterPodAffinityArgs", "Arguments of InterPodAffinity.", {
  ...typeMeta,
  hardPodAffinityWeight: pointer(1, int32, "The weight of required terms of other Pods in scores.", {
    default: 1,
  }),
  ignorePreferredTermsOfExistingPods: optional(2, boolean, "Leaves the preferences of other Pods out."),
});

const PodTopologySpreadArgs = message("PodTopologySpreadArgs", "Arguments of PodTopologySpread.", {
  ...typeMeta,
  defaultConstraints: optional(
    1,
    list(TopologySpreadConstraint),
    "For Pods without constraints of their own.",
  ),
  defaultingType: optional(2, string, "System or List.", { default: "System" }),
});

const DefaultPreemptionArgs = message("DefaultPreemptionArgs", "Arguments of DefaultPreemption.", {
  ...typeMeta,
  minCandidateNodesPercentage: pointer(1, int32, "The share of nodes to look at.", { default: 10 }),
  minCandidateNodesAbsolute: pointer(2, int32, "The least number of nodes to look at.", { default: 100 }),
});

const VolumeBindingArgs = message("VolumeBindingArgs", "Arguments of VolumeBinding.", {
  ...typeMeta,
  bindTimeoutSeconds: pointer(1, int64, "The time for binding the volumes of a Pod.", { default: 600 }),
});

const DynamicResourcesArgs = message("DynamicResourcesArgs", "Arguments of DynamicResources.", {
  ...typeMeta,
  filterTimeout: pointer(1, duration, "The time for finding devices on one node; at most 20 ms are taken.", {
    default: "10s",
  }),
  bindingTimeout: pointer(2, duration, "The time in which drivers must prepare devices.", {
    default: "10m0s",
  }),
});

/** The arguments that plugins take, by the plugin's name. */
export const argumentTypes = {
  DefaultPreemption: DefaultPreemptionArgs,
  DynamicResources: DynamicResourcesArgs,
  InterPodAffinity: InterPodAffinityArgs,
  NodeAffinity: NodeAffinityArgs,
  NodeResourcesBalancedAllocation: NodeResourcesBalancedAllocationArgs,
  NodeResourcesFit: NodeResourcesFitArgs,
  PodTopologySpread: PodTopologySpreadArgs,
  VolumeBinding: VolumeBindingArgs,
} as const satisfies Readonly<Record<string, MessageType>>;

export type ArgumentName = keyof typeof argumentTypes;

/** The arguments of one profile's plugins. A plugin without an entry has its defaults. */
export type PluginArguments = { readonly [N in ArgumentName]?: Out<(typeof argumentTypes)[N]> };

export type ScoringStrategy = Out<typeof ScoringStrategy>;
export type ResourceSpec = Out<typeof ResourceSpec>;
