import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  tooLong,
  tooMany,
} from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { validateNonNegative } from "../../../meta/validation/number.ts";
import { report, wrong } from "../../../meta/validation/report.ts";
import { countIndexes, IndexesError } from "./indexes.ts";
import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from "./policy.ts";
import type { JobSpec } from "./schema.ts";
import { repeats } from "../../../util/repeats.ts";

const max = { rules: 20, exitCodes: 255, conditions: 20, indexesLength: 64 * 1024 } as const;

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];

/** Requires one of a fixed set of values. Upstream lists the values also when the value is absent. */
function* validateChoice(value: string, allowed: readonly string[], path: FieldPath): Generator<FieldError> {
  const values = allowed.map((one) => JSON.stringify(one)).join(" ");
  if (value === "") yield requiredValue(path, `valid values: [${values}]`);
  else if (!allowed.includes(value)) yield notSupported(path, value, allowed);
}

export function* validatePodFailurePolicy(
  { rules }: PodFailurePolicy,
  spec: JobSpec,
  path: FieldPath,
): Generator<FieldError> {
  const place = path.child("rules");
  if (rules.length > max.rules) yield tooMany(place, rules.length, max.rules);
  for (const [i, rule] of rules.entries()) yield* validateFailureRule(rule, spec, place.index(i));
}

function* validateFailureRule(
  { action, onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  spec: JobSpec,
  path: FieldPath,
): Generator<FieldError> {
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    yield invalid(path.child("action"), action, "requires the backoffLimitPerIndex to be set");
  } else yield* validateChoice(action, actions, path.child("action"));
  if (onExitCodes !== undefined) yield* validateExitCodes(onExitCodes, spec, path.child("onExitCodes"));
  yield* validatePodConditions(onPodConditions, path.child("onPodConditions"));
  if (onExitCodes !== undefined && onPodConditions.length > 0) {
    yield wrong(path, "specifying both OnExitCodes and OnPodConditions is not supported");
  } else if (onExitCodes === undefined && onPodConditions.length === 0) {
    yield wrong(path, "specifying one of OnExitCodes and OnPodConditions is required");
  }
}

function* validateExitCodes(
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
  { template: { spec } }: JobSpec,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateChoice(operator, operators, path.child("operator"));
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  if (containerName !== undefined && !containers.some(({ name }) => name === containerName)) {
    yield invalid(
      path.child("containerName"),
      containerName,
      "must be one of the container or initContainer names in the pod template",
    );
  }
  const place = path.child("values");
  if (values.length === 0) yield invalid(place, values, "at least one value is required");
  else if (values.length > max.exitCodes) yield tooMany(place, values.length, max.exitCodes);
  const repeated = repeats(values);
  for (const [i, value] of values.entries()) {
    if (operator === "In" && value === 0) {
      yield invalid(place.index(i), value, "must not be 0 for the In operator");
    }
    if (repeated.has(i)) yield duplicate(place.index(i), value);
  }
  if (values.some((value, i) => value < (values[i - 1] ?? value))) {
    yield invalid(place, values, "must be ordered");
  }
}

function* validatePodConditions(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  path: FieldPath,
): Generator<FieldError> {
  if (patterns.length > max.conditions) yield tooMany(path, patterns.length, max.conditions);
  for (const [i, { type, status }] of patterns.entries()) {
    const place = path.index(i);
    yield* report(place.child("type"), type, labelKeyProblems(type));
    yield* validateChoice(status, statuses, place.child("status"));
  }
}

export function* validateSuccessPolicy(spec: JobSpec, path: FieldPath): Generator<FieldError> {
  if (spec.successPolicy === undefined) return;
  if (spec.completionMode !== "Indexed") {
    yield invalid(path, spec.successPolicy, "requires indexed completion mode");
    return;
  }
  const { rules } = spec.successPolicy;
  const place = path.child("rules");
  if (rules.length === 0) {
    yield requiredValue(place, "at least one rules must be specified when the successPolicy is specified");
  }
  if (rules.length > max.rules) yield tooMany(place, rules.length, max.rules);
  for (const [i, rule] of rules.entries()) {
    yield* validateSuccessRule(rule, spec.completions ?? 0, place.index(i));
  }
}

function* validateSuccessRule(
  { succeededCount: count, succeededIndexes: indexes }: SuccessPolicyRule,
  completions: number,
  path: FieldPath,
): Generator<FieldError> {
  if (count === undefined && indexes === undefined) {
    yield requiredValue(path, "at least one of succeededCount or succeededIndexes must be specified");
  }
  const place = path.child("succeededIndexes");
  if ((indexes ?? "").length > max.indexesLength) yield tooLong(place, max.indexesLength);
  const total = yield* validateIndexes(indexes ?? "", completions, "succeededIndexes", path);
  if (count === undefined) return;
  const countPath = path.child("succeededCount");
  yield* validateNonNegative(count, countPath);
  if (count > completions) {
    const all = `must be less than or equal to ${completions} (the number of specified completions)`;
    yield invalid(countPath, count, all);
  }
  if (indexes !== undefined && count > total) {
    yield invalid(
      countPath,
      count,
      `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`,
    );
  }
}

/** Returns the number of indexes: 0 for a malformed text. */
export function* validateIndexes(
  text: string,
  completions: number,
  name: string,
  path: FieldPath,
): Generator<FieldError, number> {
  try {
    return countIndexes(text, completions);
  } catch (error) {
    if (!(error instanceof IndexesError)) throw error;
    yield invalid(path.child(name), text, `error parsing ${name}: ${error.message}`);
    return 0;
  }
}
