import { expect, test } from "vitest";
import { decode } from "../../meta/decode.ts";
import { describe } from "../../meta/field-error.ts";
import { argumentTypes, type ArgumentName, type PluginArguments } from "./arguments.ts";
import { KubeSchedulerConfiguration } from "./schema.ts";
import { validateConfiguration } from "./validation.ts";

const sortedBy = (name: string) => ({ queueSort: { enabled: [{ name }] } });
const profile = { schedulerName: "me", percentageOfNodesToScore: 35, plugins: sortedBy("CustomSort") };
const other = { ...profile, schedulerName: "other" };
const election = {
  leaderElect: true,
  resourceLock: "leases",
  leaseDuration: "30s",
  renewDeadline: "15s",
  retryPeriod: "5s",
  resourceNamespace: "name",
  resourceName: "name",
};
const valid = {
  apiVersion: "kubescheduler.config.k8s.io/v1",
  leaderElection: election,
  clientConnection: { burst: 10 },
  parallelism: 8,
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 1,
  profiles: [profile, other],
  extenders: [{ prioritizeVerb: "prioritize", weight: 1 }],
};
const elected = (more: object) => ({ leaderElection: { ...election, ...more } });
const managed = (name: string) => ({ extenders: [{ managedResources: [{ name }] }] });

const issues = (configuration: object, args: readonly PluginArguments[] = []) => [
  ...validateConfiguration(decode(KubeSchedulerConfiguration, configuration), args),
];
const reasons = (configuration: object, args: readonly PluginArguments[] = []) =>
  issues(configuration, args).map(({ field, reason }) => `${field} ${reason.replace("FieldValue", "")}`);

const removed = ["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"];

/** After upstream's `TestValidateKubeSchedulerConfigurationV1`. */
test.each<[object, ...string[]]>([
  [{}],
  [{ parallelism: 0 }, "parallelism Invalid"],
  [{ parallelism: 1 }],
  [elected({ resourceName: "" }), "leaderElection.resourceName Required"],
  [elected({ resourceNamespace: "" }), "leaderElection.resourceNamespace Required"],
  [elected({ resourceLock: "configmap" }), "leaderElection.resourceLock Invalid"],
  [{ percentageOfNodesToScore: 101 }, "percentageOfNodesToScore Invalid"],
  [{ percentageOfNodesToScore: -1 }, "percentageOfNodesToScore Invalid"],
  [{ percentageOfNodesToScore: 0 }],
  [{ percentageOfNodesToScore: 100 }],
  [{ profiles: [profile, { ...other, schedulerName: "" }] }, "profiles[1].schedulerName Required"],
  [{ profiles: [profile, profile] }, "profiles[1].schedulerName Duplicate"],
  [
    { profiles: [profile, { ...other, percentageOfNodesToScore: 101 }] },
    "profiles[1].percentageOfNodesToScore Invalid",
  ],
  [
    { profiles: [profile, { ...other, percentageOfNodesToScore: -1 }] },
    "profiles[1].percentageOfNodesToScore Invalid",
  ],
  [
    { profiles: [profile, { ...other, plugins: sortedBy("AnotherSort") }] },
    "profiles[1].plugins.queueSort Invalid",
  ],
  [{ profiles: [{ ...profile, plugins: {} }, other] }, "profiles[1].plugins.queueSort Invalid"],
  [
    {
      profiles: [
        { ...profile, plugins: sortedBy("PrioritySort"), pluginConfig: [{ name: "PrioritySort" }] },
        { ...other, pluginConfig: [{ name: "CustomSort" }] },
      ],
    },
    "profiles[1].plugins.queueSort Invalid",
  ],
  [
    {
      profiles: [
        {
          ...profile,
          plugins: { ...profile.plugins, score: { enabled: removed.map((name) => ({ name })) } },
        },
        other,
      ],
    },
    ...removed.map((_, i) => `profiles[0].plugins.score.enabled[${i}] Invalid`),
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
  [managed("kubernetes.io/foo"), "extenders[0].managedResources[0].name Invalid"],
  [{ extenders: [{ bindVerb: "foo" }, { bindVerb: "bar" }] }, "extenders Invalid"],
  [{ extenders: [{ bindVerb: "foo" }, {}] }],
])("the configuration with %j has the problems %j", (more, ...problems) => {
  expect(reasons({ ...valid, ...more })).toEqual(problems);
});

/** After component-base's `TestValidateLeaderElectionConfiguration` and `TestValidateClientConnectionConfiguration`. */
test.each<[object, ...string[]]>([
  [{ renewDeadline: "30s" }, "leaseDuration Invalid"],
  [{ renewDeadline: "45s" }, "leaseDuration Invalid"],
  [{ renewDeadline: "0s" }, "renewDeadline Invalid"],
  [{ renewDeadline: "-45s" }, "renewDeadline Invalid"],
  [{ leaseDuration: "0s" }, "leaseDuration Invalid", "leaseDuration Invalid"],
  [{ leaseDuration: "-45s" }, "leaseDuration Invalid", "leaseDuration Invalid"],
  [{ retryPeriod: "-45s" }, "retryPeriod Invalid"],
  [{ leaseDuration: "-45s", leaderElect: false, resourceLock: "configmap", resourceName: "" }],
  [{ resourceLock: "" }, "resourceLock Required", "resourceLock Invalid"],
])("the election with %j has the problems %j", (more, ...problems) => {
  expect(reasons({ ...valid, ...elected(more) })).toEqual(problems.map((one) => `leaderElection.${one}`));
});

const sorted = (args: unknown) => ({
  pluginConfig: [{ name: "CustomSort", ...(args === null ? {} : { args }) }],
});

test.each<[string, object, string[]]>([
  [
    "a lease that ends before its renewal",
    elected({ leaseDuration: "60s", renewDeadline: "90s" }),
    ['leaderElection.leaseDuration: Invalid value: "1m30s": must be greater than `RenewDeadline`'],
  ],
  [
    "a negative period",
    elected({ retryPeriod: "-45s" }),
    ['leaderElection.retryPeriod: Invalid value: "-45s": must be greater than zero'],
  ],
  [
    "a negative burst",
    { clientConnection: { burst: -1 } },
    ["clientConnection.burst: Invalid value: -1: must be non-negative"],
  ],
  [
    "two queue sort plugins",
    {
      profiles: [
        { ...profile, plugins: { queueSort: { enabled: [{ name: "A" }, { name: "B", weight: 2 }] } } },
        {
          ...other,
          plugins: { queueSort: { enabled: [{ name: "A", weight: 1 }], disabled: [{ name: "*" }] } },
        },
      ],
    },
    [
      "profiles[0].plugins.queueSort.Enabled: Invalid value: 2: only one queue sort plugin can be enabled",
      'profiles[1].plugins.queueSort: Invalid value: {"Enabled":[{"Name":"A","Weight":1}],"Disabled":[{"Name":"*","Weight":0}]}: must be the same for all profiles',
    ],
  ],
  [
    "a queue sort plugin with other arguments",
    {
      profiles: [
        { ...profile, ...sorted({ a: 1 }) },
        { ...other, ...sorted({ a: 2 }) },
      ],
    },
    ['profiles[1].pluginConfig.args: Invalid value: {"a":2}: queueSort must be the same for all profiles'],
  ],
  [
    "a queue sort plugin with arguments in one profile",
    { profiles: [profile, { ...other, ...sorted({ a: 2 }) }] },
    ['profiles[1].pluginConfig.args: Invalid value: {"a":2}: queueSort must be the same for all profiles'],
  ],
  [
    "a queue sort plugin with equal arguments",
    {
      profiles: [
        { ...profile, ...sorted({ a: 1, b: 2 }) },
        { ...other, ...sorted({ b: 2, a: 1 }) },
        { ...other, schedulerName: "third" },
      ],
    },
    [],
  ],
  [
    "another plugin's arguments that differ",
    {
      profiles: [
        {
          ...profile,
          pluginConfig: [
            { name: "CustomSort", args: { a: 1 } },
            { name: "Other", args: { b: 1 } },
          ],
        },
        {
          ...other,
          pluginConfig: [
            { name: "Other", args: { b: 2 } },
            { name: "CustomSort", args: { a: 1 } },
          ],
        },
      ],
    },
    [],
  ],
  [
    "the weight of a plugin that is disabled",
    {
      profiles: [
        { ...profile, plugins: { queueSort: { disabled: [{ name: "*", weight: 3 }] } } },
        { ...other, plugins: { queueSort: { disabled: [{ name: "*" }] } } },
      ],
    },
    [],
  ],
  [
    "a plugin that upstream has removed",
    { profiles: [{ ...profile, pluginConfig: [{ name: "EBSLimits" }] }, other] },
    [
      'profiles[0].pluginConfig[0]: Invalid value: "EBSLimits": was invalid in version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
    ],
  ],
  [
    "an extender's resource that is no label key",
    managed("example.com/"),
    [
      'extenders[0].managedResources[0].name: Invalid value: "example.com/": name part must be non-empty',
      `extenders[0].managedResources[0].name: Invalid value: "example.com/": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
  [
    "an extender's native resource",
    managed("cpu"),
    ['extenders[0].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name'],
  ],
])("%s has upstream's problems", (_, more, problems) => {
  expect(issues({ ...valid, ...more }).map(describe)).toEqual(problems);
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
const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
const affinity = (key: string, nodes: readonly string[], weight = 1) => ({
  addedAffinity: {
    [required]: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: ["label-1-val"] }] }],
    },
    [preferred]: [
      {
        weight,
        preference: { matchFields: [{ key: "metadata.name", operator: "In", values: nodes }] },
      },
    ],
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
  ["DynamicResources", { filterTimeout: "0s", bindingTimeout: "1s" }],
  ["DynamicResources", { filterTimeout: "10s", bindingTimeout: "1m" }],
  ["InterPodAffinity", { hardPodAffinityWeight: 0 }],
  ["InterPodAffinity", { hardPodAffinityWeight: 100 }],
  ["InterPodAffinity", { hardPodAffinityWeight: -1 }, "hardPodAffinityWeight Invalid"],
  ["InterPodAffinity", { hardPodAffinityWeight: 101 }, "hardPodAffinityWeight Invalid"],
  ["VolumeBinding", { bindTimeoutSeconds: 0 }],
  ["VolumeBinding", { bindTimeoutSeconds: -10 }, "bindTimeoutSeconds Invalid"],
  ["NodeAffinity", {}],
  ["NodeAffinity", affinity("label-1", ["node-1"])],
  [
    "NodeAffinity",
    affinity("invalid/label/key", ["node-1", "node-2"]),
    `addedAffinity.${required}.nodeSelectorTerms[0].matchExpressions[0].key Invalid`,
    `addedAffinity.${preferred}[0].matchFields[0].values Invalid`,
  ],
  ["NodeAffinity", affinity("label-1", ["node-1", "node-2"], 0)],
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

const inRequired = (term: object) => ({ addedAffinity: { [required]: { nodeSelectorTerms: [{}, term] } } });
const inPreferred = (preference: object) => ({ addedAffinity: { [preferred]: [{ weight: 1, preference }] } });

test.each<[term: object, ...problems: string[]]>([
  [{}],
  [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
  [
    { matchExpressions: [{ key: "a", operator: "In" }] },
    "matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
  ],
  [
    {
      matchExpressions: [
        { key: "a", operator: "Exists", values: ["b"] },
        { key: "a", operator: "Gt", values: ["x"] },
        { key: "a", operator: "NotIn", values: ["-"] },
      ],
    },
    `matchExpressions[0].values: Invalid value: ["b"]: values set must be empty for exists and does not exist`,
    `matchExpressions[1].values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    `matchExpressions[2].values[0][a]: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  ],
  [
    { matchExpressions: [{ key: "a", operator: "Near" }] },
    'matchExpressions[0].operator: Unsupported value: "Near": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"',
  ],
  [
    {
      matchFields: [
        { key: "metadata.name", operator: "Exists" },
        { key: "metadata.name", operator: "NotIn" },
      ],
    },
    'matchFields[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn"',
    "matchFields[1].values: Invalid value: null: must have one element",
  ],
])("an added affinity with the term %j has upstream's problems", (term, ...problems) => {
  const found = (args: object) => {
    const profiles = [{ ...profile, pluginConfig: [{ name: "NodeAffinity", args }] }];
    const NodeAffinity = decode(argumentTypes.NodeAffinity, args);
    return issues({ ...valid, profiles }, [{ NodeAffinity }]).map(describe);
  };
  const path = "profiles[0].pluginConfig[0].args.addedAffinity";
  const at = (place: string) => problems.map((problem) => `${path}.${place}.${problem}`);
  expect(found(inRequired(term))).toEqual(at(`${required}.nodeSelectorTerms[1]`));
  expect(found(inPreferred(term))).toEqual(at(`${preferred}[0]`));
});
