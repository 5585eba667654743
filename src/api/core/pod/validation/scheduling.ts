import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
} from "../../../../meta/field-error.ts";
import { labelValueProblems } from "../../../../meta/label-syntax.ts";
import type { LabelSelector } from "../../../../meta/v1.ts";
import { subdomainProblems } from "../../../../meta/validation/dns.ts";
import { validateLabelKey, validateLabelSelector } from "../../../../meta/validation/labels.ts";
import { report, validateKnown, validateOneOf } from "../../../../meta/validation/report.ts";
import type { Taint, Toleration, TopologySpreadConstraint } from "../../v1/scheduling.ts";
import { repeats } from "../../../../util/repeats.ts";

export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;

export function* validateTolerations(
  tolerations: readonly Toleration[],
  path: FieldPath,
): Generator<FieldError> {
  for (const [
    i,
    { key = "", operator = "", value = "", effect, tolerationSeconds },
  ] of tolerations.entries()) {
    const place = path.index(i);
    if (key !== "") yield* validateLabelKey(key, place.child("key"));
    if (key === "" && operator !== "Exists") {
      yield invalid(
        place.child("operator"),
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      );
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      yield invalid(
        place.child("effect"),
        effect ?? "",
        "effect must be 'NoExecute' when `tolerationSeconds` is set",
      );
    }
    yield* validateTolerationOperator(operator, value, place.child("operator"));
    if (effect !== undefined) yield* validateOneOf(effect, taintEffects, place.child("effect"));
  }
}

function* validateTolerationOperator(
  operator: string,
  value: string,
  path: FieldPath,
): Generator<FieldError> {
  switch (operator) {
    case "Equal":
    case "": {
      const problems = labelValueProblems(value);
      if (problems.length > 0) yield invalid(path, value, problems.join(";"));
      return;
    }
    case "Exists":
      if (value !== "") yield invalid(path, value, "value must be empty when `operator` is 'Exists'");
      return;
    case "Lt":
    case "Gt":
      yield notSupported(path, operator, ["Equal", "Exists", "Lt", "Gt"]);
      return;
    default:
      yield notSupported(path, operator, ["Equal", "Exists"]);
  }
}

export function* validateTaints(taints: readonly Taint[], path: FieldPath): Generator<FieldError> {
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    const place = path.index(i);
    const { key, value = "", effect } = taint;
    yield* validateLabelKey(key, place.child("key"));
    const problems = labelValueProblems(value);
    if (problems.length > 0) yield invalid(place.child("value"), value, problems.join(";"));
    yield* validateOneOf(effect, taintEffects, place.child("effect"));
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) {
      const error = duplicate(place, taint);
      yield { ...error, message: `${error.message}: taints must be unique by key and effect pair` };
    }
    seen.add(pair);
  }
}

export function* validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[],
  path: FieldPath,
): Generator<FieldError> {
  const identity = (one: TopologySpreadConstraint) =>
    JSON.stringify([one.topologyKey, one.whenUnsatisfiable]);
  // Upstream reports all duplicates except the last one.
  const repeated = repeats(constraints.map(identity).toReversed());
  for (const [i, one] of constraints.entries()) {
    const place = path.index(i);
    const action: string = one.whenUnsatisfiable;
    const actions = ["DoNotSchedule", "ScheduleAnyway"];
    if (one.maxSkew <= 0) yield invalid(place.child("maxSkew"), one.maxSkew, "must be greater than zero");
    if (one.topologyKey === "") yield requiredValue(place.child("topologyKey"), "can not be empty");
    if (!actions.includes(action)) yield notSupported(place.child("whenUnsatisfiable"), action, actions);
    if (repeated.has(constraints.length - 1 - i)) {
      yield duplicate(place.child("{topologyKey, whenUnsatisfiable}"), `{${one.topologyKey}, ${action}}`);
    }
    yield* validateMinDomains(one.minDomains, action, place.child("minDomains"));
    for (const name of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
      const policy = one[name];
      yield* validateKnown(policy, ["Honor", "Ignore"], place.child(name));
    }
    yield* validateMatchLabelKeys(one.matchLabelKeys ?? [], [], one.labelSelector, place);
    yield* validateLabelSelector(one.labelSelector, place.child("labelSelector"));
  }
}

function* validateMinDomains(
  count: number | undefined,
  action: string,
  path: FieldPath,
): Generator<FieldError> {
  if (count === undefined) return;
  if (count <= 0) yield invalid(path, count, "must be greater than zero");
  if (action !== "DoNotSchedule") {
    yield invalid(path, count, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`);
  }
}

/** Validates the label keys whose values are added to a selector. */
export function* validateMatchLabelKeys(
  match: readonly string[],
  mismatch: readonly string[],
  selector: LabelSelector | undefined,
  path: FieldPath,
): Generator<FieldError> {
  for (const [name, keys] of [
    ["matchLabelKeys", match],
    ["mismatchLabelKeys", mismatch],
  ] as const) {
    if (keys.length > 0 && selector === undefined) {
      yield forbidden(path.child(name), "must not be specified when labelSelector is not set");
    } else for (const [i, key] of keys.entries()) yield* validateLabelKey(key, path.child(name).index(i));
  }
  const places = new Map(match.map((key, i): [string, number] => [key, i]).toReversed());
  const mismatched = new Set(mismatch);
  const known = new Set(Object.keys(selector?.matchLabels ?? {}));
  for (const { key } of selector?.matchExpressions ?? []) {
    // The server itself adds an expression for each key, so only a second expression is an error.
    const i = places.get(key);
    if (i !== undefined && known.has(key)) {
      yield invalid(path.index(i), key, "exists in both matchLabelKeys and labelSelector");
    }
    known.add(key);
  }
  for (const [i, key] of match.entries()) {
    if (mismatched.has(key)) {
      yield invalid(
        path.child("matchLabelKeys").index(i),
        key,
        "exists in both matchLabelKeys and mismatchLabelKeys",
      );
    }
  }
}

export function* validateNodeName(name: string, path: FieldPath): Generator<FieldError> {
  yield* report(path, name, subdomainProblems(name));
}
