import type { NodeSelectorTerm } from "../../api/core/v1/scheduling.ts";
import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
} from "../../meta/field-error.ts";
import { type LabelOperator, requirementProblems } from "../../meta/labels.ts";
import { parseGoDuration } from "../../meta/protobuf/go-duration.ts";
import { validateLabelKey } from "../../meta/validation/labels.ts";
import type { PluginArguments, ResourceSpec } from "./arguments.ts";

type Issues = Generator<FieldError>;
type ArgumentsOf<N extends keyof PluginArguments> = NonNullable<PluginArguments[N]>;

/** The rules of scheduler `apis/config/validation/validation_pluginargs.go`. `name` is the plugin; `args` has its arguments. */
export function* validateArguments(name: string, args: PluginArguments, path: FieldPath): Issues {
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
    case "NodeAffinity":
      return yield* validateAddedAffinity(args.NodeAffinity ?? {}, path.child("addedAffinity"));
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

function* validateAddedAffinity(
  { addedAffinity = {} }: ArgumentsOf<"NodeAffinity">,
  path: FieldPath,
): Issues {
  const { nodeSelectorTerms: required = [] } =
    addedAffinity.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  const terms = path.child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms");
  for (const [i, term] of required.entries()) yield* validateTerm(term, terms.index(i));
  const preferred = addedAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const wishes = path.child("preferredDuringSchedulingIgnoredDuringExecution");
  // A term without weight counts for nothing.
  for (const [i, { weight, preference }] of preferred.entries())
    if (weight !== 0) yield* validateTerm(preference, wishes.index(i));
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
  ["Gt", "gt"],
  ["Lt", "lt"],
]);

/** The problems of a term that selects nodes (component-helpers `nodeaffinity`, which is laxer than the API server). */
function* validateTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  path: FieldPath,
): Issues {
  for (const [i, { key, operator, values }] of matchExpressions.entries()) {
    const own = path.child("matchExpressions").index(i);
    const known = operators.get(operator);
    if (known === undefined) yield notSupported(own.child("operator"), operator, [...operators.keys()]);
    else yield* requirementProblems(key, known, values, own);
  }
  for (const [i, { operator, values }] of matchFields.entries()) {
    const own = path.child("matchFields").index(i);
    if (operator !== "In" && operator !== "NotIn")
      yield notSupported(own.child("operator"), operator, ["In", "NotIn"]);
    else if (values?.length !== 1) yield invalid(own.child("values"), values, "must have one element");
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
