import { describe, expect, test } from "vitest";
import type { Node } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { ConfigurationError } from "../../meta/component-configuration.ts";
import { aNode, aPod, handleOf, nodeWith } from "../builders.suite.ts";
import { prepareCycle, rejectionOf } from "../decide/cycle.ts";
import type { Plugin, WeightedPlugin } from "../framework.ts";
import { pluginEntries } from "../plugins.ts";
import { Snapshot } from "../snapshot.ts";
import { decode } from "../../meta/decode.ts";
import { withElectionDefaults } from "./defaults.ts";
import { readConfiguration } from "./read.ts";
import { KubeSchedulerConfiguration } from "./schema.ts";

const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

/** The plugins of the only profile of a configuration. */
function pluginsIn(configuration: object): readonly WeightedPlugin[] {
  const fields = Object.entries(configuration).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const [only] = readConfiguration(head + fields.join("\n")).profiles.values();
  return only?.(handleOf()) ?? [];
}

const pluginsOf = (profile: object) => pluginsIn({ profiles: [profile] });

/** The reasons of plugins against a Pod on a node; undefined for none. */
function reasonsOf(plugins: readonly WeightedPlugin[], pod: Pod, node: Node): readonly string[] | undefined {
  const cycle = prepareCycle(pod, plugins, new Snapshot());
  return "rejection" in cycle ? [] : rejectionOf(cycle, nodeWith(node))?.unfit.reasons;
}

const weights = (profile: object) =>
  Object.fromEntries(
    pluginsOf(profile).flatMap(({ plugin: { name }, weight }) => (weight > 0 ? [[name, weight]] : [])),
  );
const names = (profile: object) => pluginsOf(profile).map(({ plugin: { name } }) => name);
/** The names of the plugins that take part at an extension point, by the method there. */
const at = (profile: object, method: keyof Plugin) =>
  pluginsOf(profile).flatMap(({ plugin }) => (plugin[method] === undefined ? [] : [plugin.name]));
const find = (profile: object, name: string): Plugin | undefined =>
  pluginsOf(profile).find(({ plugin }) => plugin.name === name)?.plugin;

const defaults = {
  TaintToleration: 3,
  NodeAffinity: 2,
  NodeResourcesFit: 1,
  PodTopologySpread: 2,
  InterPodAffinity: 2,
  DynamicResources: 2,
  NodeResourcesBalancedAllocation: 1,
  ImageLocality: 1,
};

describe("the plugins of a profile", () => {
  test("are the default ones, with their weights, for a configuration that says nothing", () => {
    const { profiles } = readConfiguration(head);
    expect([...profiles.keys()]).toEqual(["default-scheduler"]);
    expect(names({})).toEqual(pluginEntries.map(({ name }) => name));
    expect(weights({})).toEqual(defaults);
  });

  test("lose those that multiPoint disables, and get the weights that it gives", () => {
    const multiPoint = {
      disabled: [{ name: "ImageLocality" }],
      enabled: [{ name: "NodeAffinity", weight: 7 }],
    };
    const { ImageLocality: _, ...rest } = defaults;
    expect(weights({ plugins: { multiPoint } })).toEqual({ ...rest, NodeAffinity: 7 });
    expect(names({ plugins: { multiPoint } })).toEqual(
      pluginEntries.map(({ name }) => name).filter((name) => name !== "ImageLocality"),
    );
  });

  test("are only the enabled ones once all are disabled, with weight 1 by default", () => {
    const enabled = [{ name: "NodeResourcesFit" }, { name: "PrioritySort" }, { name: "DefaultBinder" }];
    const multiPoint = { disabled: [{ name: "*" }], enabled };
    expect(names({ plugins: { multiPoint } })).toEqual(enabled.map(({ name }) => name));
  });

  test("take no part at an extension point that leaves them out, and keep the others", () => {
    const profile = { plugins: { score: { disabled: [{ name: "NodeResourcesFit" }] } } };
    expect(at(profile, "preScore")).not.toContain("NodeResourcesFit");
    expect(at(profile, "preFilter")).toContain("NodeResourcesFit");
    const onlyOne = {
      plugins: { score: { disabled: [{ name: "*" }], enabled: [{ name: "ImageLocality" }] } },
    };
    expect(at(onlyOne, "preScore")).toEqual(["ImageLocality"]);
    const noScores = { plugins: { score: { disabled: [{ name: "*" }] } } };
    expect(at(noScores, "preScore")).toEqual([]);
  });

  test("get their weight from the extension point Score", () => {
    const score = {
      disabled: [{ name: "TaintToleration" }],
      enabled: [{ name: "TaintToleration", weight: 9 }],
    };
    expect(weights({ plugins: { score } })).toEqual({ ...defaults, TaintToleration: 9 });
    expect(at({ plugins: { score } }, "preScore")).toContain("TaintToleration");
  });
});

describe("the arguments of a plugin", () => {
  const reasons = (profile: object, pod = aPod("p"), node = aNode("n")) =>
    reasonsOf(pluginsOf(profile), pod, node);

  test("an added affinity holds for every Pod of the profile", () => {
    const terms = [{ matchExpressions: [{ key: "pool", operator: "In", values: ["web"] }] }];
    const addedAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    const profile = { pluginConfig: [{ name: "NodeAffinity", args: { addedAffinity } }] };
    expect(reasons(profile)).toEqual(["node(s) didn't match scheduler-enforced node affinity"]);
    expect(reasons(profile, aPod("p"), aNode("n", {}, { labels: { pool: "web" } }))).toBeUndefined();
  });

  test("ignored resources need not be on the node", () => {
    const pod = aPod("p", { "example.com/gpu": "1" });
    expect(reasons({}, pod)).toEqual(["Insufficient example.com/gpu"]);
    for (const args of [
      { ignoredResources: ["example.com/gpu"] },
      { ignoredResourceGroups: ["example.com"] },
    ]) {
      const strategy = { type: "LeastAllocated" };
      const config = { name: "NodeResourcesFit", args: { ...args, scoringStrategy: strategy } };
      expect(reasons({ pluginConfig: [config] }, pod)).toBeUndefined();
    }
  });

  test("resources that an extender counts need not be on the node, beside those that the profile ignores", () => {
    const extenders = [
      {
        managedResources: [
          { name: "example.com/gpu", ignoredByScheduler: true },
          { name: "example.com/fpga" },
        ],
      },
      { filterVerb: "filter" },
    ];
    const pluginConfig = [{ name: "NodeResourcesFit", args: { ignoredResources: ["example.com/nic"] } }];
    const missing = (profile: object, requests: object) =>
      reasonsOf(pluginsIn({ profiles: [profile], extenders }), aPod("p", requests), aNode("n"));
    const all = { "example.com/gpu": "1", "example.com/fpga": "1", "example.com/nic": "1" };
    expect(missing({}, all)).toEqual(["Insufficient example.com/fpga", "Insufficient example.com/nic"]);
    expect(missing({ pluginConfig }, all)).toEqual(["Insufficient example.com/fpga"]);
    expect(missing({ pluginConfig }, { "example.com/gpu": "1" })).toBeUndefined();
  });

  test("the strategy MostAllocated prefers the fuller node", () => {
    const args = { scoringStrategy: { type: "MostAllocated", resources: [{ name: "cpu", weight: 1 }] } };
    const fit = find({ pluginConfig: [{ name: "NodeResourcesFit", args }] }, "NodeResourcesFit");
    const scoring = fit?.preScore?.(aPod("p", { cpu: "1" }), new Snapshot());
    const nodes = [nodeWith(aNode("n")), nodeWith(aNode("n"), aPod("q", { cpu: "2" }))];
    expect(nodes.map((node) => scoring?.score(node))).toEqual([25, 75]);
  });
});

test.each<[string, string, string]>([
  ["another kind", "kind: Pod", 'no kind "Pod" is registered for version ""'],
  ["an unknown field", `${head}profile: []`, 'strict decoding error: unknown field "profile"'],
  ["a wrong type", `${head}parallelism: many`, "cannot unmarshal string"],
  [
    "a duplicate key",
    `${head}parallelism: 1\nparallelism: 2`,
    'line 4: key "parallelism" already set in map',
  ],
  [
    "an unknown argument",
    `${head}profiles: [{ pluginConfig: [{ name: NodeAffinity, args: { foo: 1 } }] }]`,
    'decoding .profiles[0].pluginConfig[0]: decoding args for plugin NodeAffinity: strict decoding error: unknown field "foo"',
  ],
  [
    "a plugin that does not exist",
    `${head}profiles: [{ plugins: { filter: { enabled: [{ name: Foo }] } } }]`,
    'plugin "Foo" does not exist',
  ],
  ["no parallelism", `${head}parallelism: 0`, "parallelism: Invalid value: 0: should be an integer value"],
  [
    "a share of nodes beyond 100",
    `${head}percentageOfNodesToScore: 101`,
    "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
  ],
  [
    "two profiles without a name",
    `${head}profiles: [{}, {}]`,
    '[profiles[0].schedulerName: Required value, profiles[1].schedulerName: Required value, profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"]',
  ],
  [
    "a back-off that shrinks",
    `${head}podInitialBackoffSeconds: 5\npodMaxBackoffSeconds: 1`,
    "podMaxBackoffSeconds: Invalid value: 1: must be greater than or equal to PodInitialBackoffSeconds",
  ],
  [
    "a lease shorter than the default deadline of its renewal",
    `${head}leaderElection: { leaseDuration: 5s }`,
    'leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`',
  ],
  [
    "a profile with another queue sort plugin",
    `${head}profiles: [{ schedulerName: a }, { schedulerName: b, plugins: { queueSort: { enabled: [{ name: PrioritySort }] } } }]`,
    'profiles[1].plugins.queueSort: Invalid value: {"Enabled":[{"Name":"PrioritySort","Weight":0}],"Disabled":null}: must be the same for all profiles',
  ],
  [
    "arguments out of range",
    `${head}profiles: [{ pluginConfig: [{ name: InterPodAffinity, args: { hardPodAffinityWeight: 101 } }] }]`,
    "profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]",
  ],
  [
    "a negative time for finding devices",
    `${head}profiles: [{ pluginConfig: [{ name: DynamicResources, args: { filterTimeout: -1s } }] }]`,
    'profiles[0].pluginConfig[0].args.filterTimeout: Invalid value: "-1s": must be zero or positive',
  ],
  [
    "less than a second for preparing devices",
    `${head}profiles: [{ pluginConfig: [{ name: DynamicResources, args: { bindingTimeout: 0s } }] }]`,
    'profiles[0].pluginConfig[0].args.bindingTimeout: Invalid value: "0s": must be at least 1 second',
  ],
  [
    "a negative time for binding volumes",
    `${head}profiles: [{ pluginConfig: [{ name: VolumeBinding, args: { bindTimeoutSeconds: -1 } }] }]`,
    "profiles[0].pluginConfig[0].args.bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value",
  ],
  [
    "another type of default constraints",
    `${head}profiles: [{ pluginConfig: [{ name: PodTopologySpread, args: { defaultingType: Other } }] }]`,
    'args.defaultingType: Unsupported value: "Other": supported values: "System", "List"',
  ],
  [
    "default constraints of the system's type",
    `${head}profiles: [{ pluginConfig: [{ name: PodTopologySpread, args: { defaultConstraints: [{ maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway }] } }] }]`,
    'defaultingType: Invalid value: "System": when .defaultConstraints are not empty',
  ],
])("%s is refused with upstream's words", (_, text, message) => {
  expect(() => readConfiguration(text)).toThrow(ConfigurationError);
  expect(() => readConfiguration(text)).toThrow(message);
});

test("the name of an only profile is kept, and arguments of unknown plugins are left to them", () => {
  const pluginConfig = ["Mine", "toString"].map((name) => ({ name, args: { a: 1 } }));
  const { profiles } = readConfiguration(
    `${head}profiles: ${JSON.stringify([{ schedulerName: "mine", pluginConfig }])}`,
  );
  expect([...profiles.keys()]).toEqual(["mine"]);
});

test("defaults of the election replace zero values, and no others", () => {
  const given = {
    leaderElect: false,
    leaseDuration: "1m0s",
    renewDeadline: "30s",
    retryPeriod: "1s",
    resourceLock: "leases",
    resourceNamespace: "mine",
    resourceName: "sched",
  };
  const electionOf = (leaderElection: object) =>
    withElectionDefaults(decode(KubeSchedulerConfiguration, { leaderElection })).leaderElection;
  expect(electionOf(given)).toEqual(given);
  const zero = { leaseDuration: "0s", renewDeadline: "0h", retryPeriod: "0m", resourceName: "" };
  for (const nothing of [{}, zero])
    expect(electionOf(nothing)).toEqual({
      leaderElect: true,
      leaseDuration: "15s",
      renewDeadline: "10s",
      retryPeriod: "2s",
      resourceLock: "leases",
      resourceNamespace: "kube-system",
      resourceName: "kube-scheduler",
    });
});

test.each([
  "{}",
  "{ leaderElect: false, leaseDuration: -1s }",
  "{ leaseDuration: 0s, renewDeadline: 0s, retryPeriod: 0s, resourceLock: '', resourceName: '', resourceNamespace: '' }",
])("the election %s is accepted: defaults replace zero values", (election) => {
  const { configuration } = readConfiguration(`${head}leaderElection: ${election}`);
  expect(configuration.leaderElection.resourceLock ?? "").toBe("");
});
