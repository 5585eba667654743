import { validateNodeSelector } from "../../api/core/pod/validation/affinity.ts";
import {
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
} from "../../meta/field-error.ts";
import { parseGoDuration } from "../../meta/protobuf/go-duration.ts";
import { validateLabelKey } from "../../meta/validation/labels.ts";
import type { PluginArguments, ResourceSpec } from "./arguments.ts";
import type { Extender, KubeSchedulerConfiguration, KubeSchedulerProfile } from "./schema.ts";

type Issues = Generator<FieldError>;
type ArgumentsOf<N extends keyof PluginArguments> = NonNullable<PluginArguments[N]>;

/** The rules of scheduler `apis/config/validation`. `args` are the decoded arguments of each profile's plugins. */
export function* validateConfiguration(
  {
    parallelism = 0,
    percentageOfNodesToScore,
    podInitialBackoffSeconds: first = 0,
    podMaxBackoffSeconds: last = 0,
    leaderElection,
    profiles = [],
    extenders = [],
  }: KubeSchedulerConfiguration,
  args: readonly PluginArguments[],
): Issues {
  const lock = leaderElection?.resourceLock ?? "";
  if (lock !== "" && lock !== "leases")
    yield invalid(
      new FieldPath("leaderElection").child("resourceLock"),
      lock,
      'resourceLock value must be "leases"',
    );
  if (parallelism <= 0)
    yield invalid(new FieldPath("parallelism"), parallelism, "should be an integer value greater than zero");
  const path = new FieldPath("profiles");
  for (const [i, profile] of profiles.entries()) {
    yield* validateProfile(profile, args[i] ?? {}, path.index(i));
    const { schedulerName = "" } = profile;
    const earlier = profiles.findIndex((one) => (one.schedulerName ?? "") === schedulerName);
    if (earlier < i)
      yield duplicate(
        path.index(i).child("schedulerName"),
        path.index(earlier).child("schedulerName").toString(),
      );
  }
  yield* validatePercentage(percentageOfNodesToScore, new FieldPath("percentageOfNodesToScore"));
  if (first <= 0) yield invalid(new FieldPath("podInitialBackoffSeconds"), first, "must be greater than 0");
  if (last < first)
    yield invalid(
      new FieldPath("podMaxBackoffSeconds"),
      last,
      "must be greater than or equal to PodInitialBackoffSeconds",
    );
  yield* validateExtenders(extenders, new FieldPath("extenders"));
}

function* validatePercentage(value: number | undefined, path: FieldPath): Issues {
  if (value !== undefined && (value < 0 || value > 100))
    yield invalid(path, value, "not in valid range [0-100]");
}

function* validateProfile(
  { schedulerName = "", percentageOfNodesToScore, pluginConfig = [] }: KubeSchedulerProfile,
  args: PluginArguments,
  path: FieldPath,
): Issues {
  if (schedulerName === "") yield requiredValue(path.child("schedulerName"));
  yield* validatePercentage(percentageOfNodesToScore, path.child("percentageOfNodesToScore"));
  const seen = new Set<string>();
  for (const [i, { name = "" }] of pluginConfig.entries()) {
    const own = path.child("pluginConfig").index(i);
    if (seen.has(name)) yield duplicate(own, name);
    seen.add(name);
    yield* validateArguments(name, args, own.child("args"));
  }
}

const second = 1_000_000_000n;

function* validateDynamicResources(
  { filterTimeout = "0s", bindingTimeout = "1s" }: NonNullable<PluginArguments["DynamicResources"]>,
  path: FieldPath,
): Issues {
  if ((parseGoDuration(filterTimeout) ?? 0n) < 0n)
    yield invalid(path.child("filterTimeout"), filterTimeout, "must be zero or positive");
  if ((parseGoDuration(bindingTimeout) ?? 0n) < second)
    yield invalid(path.child("bindingTimeout"), bindingTimeout, "must be at least 1 second");
}

function* validateArguments(name: string, args: PluginArguments, path: FieldPath): Issues {
  switch (name) {
    case "DefaultPreemption":
      return yield* validatePreemption(args.DefaultPreemption ?? {}, path);
    case "DynamicResources":
      return yield* validateDynamicResources(args.DynamicResources ?? {}, path);
    case "VolumeBinding": {
      const seconds = args.VolumeBinding?.bindTimeoutSeconds ?? 0;
      if (seconds < 0)
        yield invalid(
          path.child("bindTimeoutSeconds"),
          seconds,
          "invalid BindTimeoutSeconds, should not be a negative value",
        );
      return;
    }
    case "InterPodAffinity": {
      const weight = args.InterPodAffinity?.hardPodAffinityWeight ?? 1;
      if (weight < 0 || weight > 100)
        yield invalid(path.child("hardPodAffinityWeight"), weight, "not in valid range [0, 100]");
      return;
    }
    case "NodeAffinity": {
      const required = args.NodeAffinity?.addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      const own = path.child("addedAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
      if (required !== undefined) yield* validateNodeSelector(required, own);
      return;
    }
    case "NodeResourcesBalancedAllocation":
      return yield* validateBalance(
        args.NodeResourcesBalancedAllocation?.resources ?? [],
        path.child("resources"),
      );
    case "NodeResourcesFit":
      return yield* validateFit(args.NodeResourcesFit ?? {}, path);
    case "PodTopologySpread":
      return yield* validateSpread(args.PodTopologySpread ?? {}, path);
  }
}

function* validatePreemption(
  {
    minCandidateNodesPercentage: share = 10,
    minCandidateNodesAbsolute: fewest = 100,
  }: ArgumentsOf<"DefaultPreemption">,
  path: FieldPath,
): Issues {
  const [percentage, absolute] = [
    path.child("minCandidateNodesPercentage"),
    path.child("minCandidateNodesAbsolute"),
  ];
  if (share < 0 || share > 100) yield invalid(percentage, share, "not in valid range [0, 100]");
  if (fewest < 0) yield invalid(absolute, fewest, "not in valid range [0, inf)");
  if (share !== 0 || fewest !== 0) return;
  yield invalid(percentage, share, "cannot be zero at the same time as minCandidateNodesAbsolute");
  yield invalid(absolute, fewest, "cannot be zero at the same time as minCandidateNodesPercentage");
}

function* validateBalance(resources: readonly ResourceSpec[], path: FieldPath): Issues {
  const seen = new Set<string>();
  for (const [i, { name = "", weight = 1 }] of resources.entries()) {
    if (seen.has(name)) yield duplicate(path.index(i).child("name"), name);
    seen.add(name);
    if (weight !== 1) yield invalid(path.index(i).child("weight"), weight, "must be 1");
  }
}

const strategies = ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"];

function* validateFit(
  { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy }: ArgumentsOf<"NodeResourcesFit">,
  path: FieldPath,
): Issues {
  for (const [i, name] of ignoredResources.entries())
    yield* validateLabelKey(name, path.child("ignoredResources").index(i));
  for (const [i, group] of ignoredResourceGroups.entries()) {
    const own = path.child("ignoredResourceGroups").index(i);
    if (group.includes("/")) yield invalid(own, group, "resource group name can't contain '/'");
    yield* validateLabelKey(group, own);
  }
  if (scoringStrategy === undefined) return;
  const { type = "", resources = [], requestedToCapacityRatio: ratio } = scoringStrategy;
  const own = path.child("scoringStrategy");
  if (!strategies.includes(type)) yield notSupported(own.child("type"), type, strategies);
  for (const [i, { name = "", weight = 1 }] of resources.entries()) {
    if (weight <= 0 || weight > 100)
      yield invalid(
        own.child("resources").index(i).child("weight"),
        weight,
        `resource weight of ${name} not in valid range (0, 100]`,
      );
  }
  const ratioPath = own.child("requestedToCapacityRatio");
  if (type === "RequestedToCapacityRatio") {
    if (ratio === undefined)
      yield requiredValue(ratioPath, "must be specified when type is RequestedToCapacityRatio");
    else yield* validateShape(ratio.shape ?? [], ratioPath.child("shape"));
  } else if (ratio !== undefined)
    yield forbidden(ratioPath, "must be nil when type is not RequestedToCapacityRatio");
}

function* validateShape(
  shape: readonly { readonly utilization?: number; readonly score?: number }[],
  path: FieldPath,
): Issues {
  if (shape.length === 0) yield requiredValue(path, "at least one point must be specified");
  const disorder = shape.findIndex(
    ({ utilization = 0 }, i) => i > 0 && (shape[i - 1]?.utilization ?? 0) >= utilization,
  );
  if (disorder > 0)
    yield invalid(
      path.index(disorder).child("utilization"),
      shape[disorder]?.utilization ?? 0,
      "values must be sorted in increasing order",
    );
  for (const [i, { utilization = 0, score = 0 }] of shape.entries()) {
    if (utilization < 0 || utilization > 100)
      yield invalid(path.index(i).child("utilization"), utilization, "not in valid range [0, 100]");
    if (score < 0 || score > 10)
      yield invalid(path.index(i).child("score"), score, "not in valid range [0, 10]");
  }
}

const actions = ["DoNotSchedule", "ScheduleAnyway"];

function* validateSpread(
  { defaultConstraints = [], defaultingType = "System" }: ArgumentsOf<"PodTopologySpread">,
  path: FieldPath,
): Issues {
  const type = path.child("defaultingType");
  if (!["System", "List"].includes(defaultingType))
    yield notSupported(type, defaultingType, ["System", "List"]);
  else if (defaultingType === "System" && defaultConstraints.length > 0)
    yield invalid(type, defaultingType, "when .defaultConstraints are not empty");
  const all = path.child("defaultConstraints");
  for (const [
    i,
    { maxSkew, topologyKey, whenUnsatisfiable, labelSelector },
  ] of defaultConstraints.entries()) {
    const own = all.index(i);
    if (maxSkew <= 0) yield invalid(own.child("maxSkew"), maxSkew, "not in valid range (0, inf)");
    if (topologyKey === "") yield requiredValue(own.child("topologyKey"), "can not be empty");
    else yield* validateLabelKey(topologyKey, own.child("topologyKey"));
    const when: string = whenUnsatisfiable;
    if (when === "") yield requiredValue(own.child("whenUnsatisfiable"), "can not be empty");
    else if (!actions.includes(when)) yield notSupported(own.child("whenUnsatisfiable"), when, actions);
    if (labelSelector !== undefined)
      yield forbidden(
        own.child("labelSelector"),
        "constraint must not define a selector, as they deduced for each pod",
      );
    const isRepeated = defaultConstraints
      .slice(0, i)
      .some((one) => one.topologyKey === topologyKey && one.whenUnsatisfiable === whenUnsatisfiable);
    if (isRepeated) yield duplicate(own, `{${topologyKey}, ${when}}`);
  }
}

function* validateExtenders(extenders: readonly Extender[], path: FieldPath): Issues {
  const seen = new Set<string>();
  for (const [i, { prioritizeVerb = "", weight = 0, managedResources = [] }] of extenders.entries()) {
    const own = path.index(i);
    if (prioritizeVerb !== "" && weight <= 0)
      yield invalid(own.child("weight"), weight, "must have a positive weight applied to it");
    for (const [j, { name = "" }] of managedResources.entries()) {
      const named = own.child("managedResources").index(j).child("name");
      yield* validateLabelKey(name, named);
      if (seen.has(name)) yield invalid(named, name, "duplicate extender managed resource name");
      seen.add(name);
    }
  }
  const binders = extenders.filter(({ bindVerb = "" }) => bindVerb !== "").length;
  if (binders > 1)
    yield invalid(
      path,
      `found ${binders} extenders implementing bind`,
      "only one extender can implement bind",
    );
}
