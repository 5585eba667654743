import { expect, test } from "vitest";
import { decode } from "../../meta/decode.ts";
import { argumentTypes, type ArgumentName, type PluginArguments } from "./arguments.ts";
import { KubeSchedulerConfiguration } from "./schema.ts";
import { validateConfiguration } from "./validation.ts";

const profile = { schedulerName: "me", percentageOfNodesToScore: 35 };
const valid = {
  leaderElection: { leaderElect: true, resourceLock: "leases" },
  parallelism: 8,
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 1,
  profiles: [profile, { ...profile, schedulerName: "other" }],
  extenders: [{ prioritizeVerb: "prioritize", weight: 1 }],
};

const reasons = (configuration: object, args: readonly PluginArguments[] = []) =>
  [...validateConfiguration(decode(KubeSchedulerConfiguration, configuration), args)].map(
    ({ field, reason }) => `${field} ${reason.replace("FieldValue", "")}`,
  );

/** After upstream's `TestValidateKubeSchedulerConfigurationV1`. */
test.each<[object, ...string[]]>([
  [{}],
  [{ parallelism: 0 }, "parallelism Invalid"],
  [{ parallelism: 1 }],
  [{ leaderElection: { resourceLock: "configmap" } }, "leaderElection.resourceLock Invalid"],
  [{ leaderElection: {} }],
  [{ percentageOfNodesToScore: 101 }, "percentageOfNodesToScore Invalid"],
  [{ percentageOfNodesToScore: -1 }, "percentageOfNodesToScore Invalid"],
  [{ percentageOfNodesToScore: 0 }],
  [{ percentageOfNodesToScore: 100 }],
  [{ profiles: [profile, {}] }, "profiles[1].schedulerName Required"],
  [{ profiles: [profile, profile] }, "profiles[1].schedulerName Duplicate"],
  [
    { profiles: [profile, { schedulerName: "other", percentageOfNodesToScore: 101 }] },
    "profiles[1].percentageOfNodesToScore Invalid",
  ],
  [{ podInitialBackoffSeconds: 0 }, "podInitialBackoffSeconds Invalid"],
  [{ podInitialBackoffSeconds: 2 }, "podMaxBackoffSeconds Invalid"],
  [{ podInitialBackoffSeconds: 2, podMaxBackoffSeconds: 2 }],
  [
    { profiles: [{ ...profile, pluginConfig: [{ name: "config" }, { name: "config" }] }] },
    "profiles[0].pluginConfig[1] Duplicate",
  ],
  [{ extenders: [{ prioritizeVerb: "prioritize", weight: -1 }] }, "extenders[0].weight Invalid"],
  [{ extenders: [{ prioritizeVerb: "prioritize" }] }, "extenders[0].weight Invalid"],
  [{ extenders: [{ filterVerb: "filter" }] }],
  [
    { extenders: [{ managedResources: [{ name: "example.com/foo" }, { name: "example.com/foo" }] }] },
    "extenders[0].managedResources[1].name Invalid",
  ],
  [
    { extenders: [{ managedResources: [{ name: "a/b/c" }] }] },
    "extenders[0].managedResources[0].name Invalid",
  ],
  [{ extenders: [{ bindVerb: "foo" }, { bindVerb: "bar" }] }, "extenders Invalid"],
  [{ extenders: [{ bindVerb: "foo" }, {}] }],
])("the configuration with %j has the problems %j", (more, ...problems) => {
  expect(reasons({ ...valid, ...more })).toEqual(problems);
});

const constraint = { maxSkew: 1, topologyKey: "node", whenUnsatisfiable: "DoNotSchedule" };
const spread = (...defaultConstraints: readonly object[]) => ({ defaultingType: "List", defaultConstraints });
const fit = (scoringStrategy: object) => ({ scoringStrategy });
const shaped = (...shape: readonly (readonly [utilization: number, score: number])[]) =>
  fit({
    type: "RequestedToCapacityRatio",
    requestedToCapacityRatio: { shape: shape.map(([utilization, score]) => ({ utilization, score })) },
  });
const shape = (i: number, field: string) =>
  `scoringStrategy.requestedToCapacityRatio.shape[${i}].${field} Invalid`;
const terms = (key: string) => ({
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: ["a"] }] }],
  },
});

/** After upstream's `validation_pluginargs_test.go`. */
test.each<[plugin: ArgumentName, args: object, ...problems: string[]]>([
  ["DefaultPreemption", {}],
  [
    "DefaultPreemption",
    { minCandidateNodesPercentage: -1, minCandidateNodesAbsolute: 100 },
    "minCandidateNodesPercentage Invalid",
  ],
  ["DefaultPreemption", { minCandidateNodesPercentage: 101 }, "minCandidateNodesPercentage Invalid"],
  ["DefaultPreemption", { minCandidateNodesPercentage: 100 }],
  ["DefaultPreemption", { minCandidateNodesAbsolute: -1 }, "minCandidateNodesAbsolute Invalid"],
  ["DefaultPreemption", { minCandidateNodesPercentage: 0 }],
  ["DefaultPreemption", { minCandidateNodesAbsolute: 0 }],
  [
    "DefaultPreemption",
    { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 },
    "minCandidateNodesPercentage Invalid",
    "minCandidateNodesAbsolute Invalid",
  ],
  ["InterPodAffinity", { hardPodAffinityWeight: 0 }],
  ["InterPodAffinity", { hardPodAffinityWeight: 100 }],
  ["InterPodAffinity", { hardPodAffinityWeight: -1 }, "hardPodAffinityWeight Invalid"],
  ["InterPodAffinity", { hardPodAffinityWeight: 101 }, "hardPodAffinityWeight Invalid"],
  ["VolumeBinding", { bindTimeoutSeconds: 0 }],
  ["VolumeBinding", { bindTimeoutSeconds: -10 }, "bindTimeoutSeconds Invalid"],
  ["NodeAffinity", {}],
  ["NodeAffinity", { addedAffinity: terms("label-1") }],
  [
    "NodeAffinity",
    { addedAffinity: terms("invalid/label/key") },
    "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key Invalid",
  ],
  ["NodeResourcesBalancedAllocation", {}],
  ["NodeResourcesBalancedAllocation", { resources: [{ name: "cpu", weight: 1 }, { name: "memory" }] }],
  [
    "NodeResourcesBalancedAllocation",
    { resources: [{ name: "cpu", weight: 2 }, { name: "memory" }] },
    "resources[0].weight Invalid",
  ],
  [
    "NodeResourcesBalancedAllocation",
    { resources: [{ name: "cpu" }, { name: "cpu" }] },
    "resources[1].name Duplicate",
  ],
  ["NodeResourcesFit", {}],
  ["NodeResourcesFit", { ignoredResources: ["example.com"], ignoredResourceGroups: ["example.com"] }],
  ["NodeResourcesFit", { ignoredResources: ["a", "a".repeat(64)] }, "ignoredResources[1] Invalid"],
  ["NodeResourcesFit", { ignoredResourceGroups: ["a", "a".repeat(64)] }, "ignoredResourceGroups[1] Invalid"],
  ["NodeResourcesFit", { ignoredResourceGroups: ["example.com/aa"] }, "ignoredResourceGroups[0] Invalid"],
  ["NodeResourcesFit", fit({ type: "Invalid" }), "scoringStrategy.type NotSupported"],
  ["NodeResourcesFit", fit({}), "scoringStrategy.type NotSupported"],
  ["NodeResourcesFit", fit({ type: "LeastAllocated", resources: [{ name: "cpu" }] })],
  ["NodeResourcesFit", fit({ type: "MostAllocated", resources: [{ name: "cpu", weight: 100 }] })],
  [
    "NodeResourcesFit",
    fit({
      type: "MostAllocated",
      resources: [
        { name: "cpu", weight: -1 },
        { name: "memory", weight: 101 },
      ],
    }),
    "scoringStrategy.resources[0].weight Invalid",
    "scoringStrategy.resources[1].weight Invalid",
  ],
  [
    "NodeResourcesFit",
    fit({ type: "LeastAllocated", requestedToCapacityRatio: {} }),
    "scoringStrategy.requestedToCapacityRatio Forbidden",
  ],
  [
    "NodeResourcesFit",
    fit({ type: "RequestedToCapacityRatio" }),
    "scoringStrategy.requestedToCapacityRatio Required",
  ],
  ["NodeResourcesFit", shaped(), "scoringStrategy.requestedToCapacityRatio.shape Required"],
  ["NodeResourcesFit", shaped([0, 0], [20, 3], [100, 10])],
  ["NodeResourcesFit", shaped([-1, 3]), shape(0, "utilization")],
  ["NodeResourcesFit", shaped([101, 3]), shape(0, "utilization")],
  ["NodeResourcesFit", shaped([10, 3], [10, 3]), shape(1, "utilization")],
  ["NodeResourcesFit", shaped([10, 3], [20, 3], [15, 3], [12, 3]), shape(2, "utilization")],
  ["NodeResourcesFit", shaped([10, -1]), shape(0, "score")],
  ["NodeResourcesFit", shaped([10, 11]), shape(0, "score")],
  ["PodTopologySpread", {}],
  ["PodTopologySpread", spread()],
  [
    "PodTopologySpread",
    spread(constraint, { maxSkew: 2, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" }),
  ],
  ["PodTopologySpread", spread(constraint, { ...constraint, whenUnsatisfiable: "ScheduleAnyway" })],
  ["PodTopologySpread", spread(constraint, { ...constraint, topologyKey: "zone" })],
  ["PodTopologySpread", spread({ ...constraint, maxSkew: 0 }), "defaultConstraints[0].maxSkew Invalid"],
  [
    "PodTopologySpread",
    spread({ ...constraint, topologyKey: "" }),
    "defaultConstraints[0].topologyKey Required",
  ],
  [
    "PodTopologySpread",
    spread({ ...constraint, topologyKey: "-" }),
    "defaultConstraints[0].topologyKey Invalid",
  ],
  [
    "PodTopologySpread",
    spread({ ...constraint, whenUnsatisfiable: "" }),
    "defaultConstraints[0].whenUnsatisfiable Required",
  ],
  [
    "PodTopologySpread",
    spread({ ...constraint, whenUnsatisfiable: "other" }),
    "defaultConstraints[0].whenUnsatisfiable NotSupported",
  ],
  ["PodTopologySpread", spread(constraint, { ...constraint, maxSkew: 2 }), "defaultConstraints[1] Duplicate"],
  [
    "PodTopologySpread",
    spread({ ...constraint, labelSelector: { matchLabels: { a: "b" } } }),
    "defaultConstraints[0].labelSelector Forbidden",
  ],
  ["PodTopologySpread", { defaultingType: "Other" }, "defaultingType NotSupported"],
  ["PodTopologySpread", { ...spread(constraint), defaultingType: "System" }, "defaultingType Invalid"],
])("the arguments of %s %j have the problems %j", (name, args, ...problems) => {
  const profiles = [{ ...profile, pluginConfig: [{ name: "Other" }, { name, args }] }];
  const decoded: PluginArguments = { [name]: decode<unknown>(argumentTypes[name], args) };
  const path = "profiles[0].pluginConfig[1].args.";
  expect(reasons({ ...valid, profiles }, [decoded])).toEqual(problems.map((problem) => path + problem));
});
