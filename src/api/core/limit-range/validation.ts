import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { compareQuantities, parseQuantity } from "../../../meta/quantity.ts";
import { report } from "../../../meta/validation/report.ts";
import { validateContainerResourceName, validateResourceName } from "../validation/resources.ts";
import type { LimitRange, LimitRangeItem } from "./schema.ts";

const limitTypes: readonly string[] = ["Pod", "Container", "PersistentVolumeClaim"];

const limitLists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

export function* validateLimitRange({ spec }: LimitRange): Generator<FieldError> {
  const types = new Set<string>();
  for (const [i, item] of spec.limits.entries()) {
    const place = root.child("spec", "limits").index(i);
    const problems = labelKeyProblems(item.type);
    yield* report(place.child("type"), item.type, problems);
    if (problems.length === 0 && !item.type.includes("/") && !limitTypes.includes(item.type)) {
      yield invalid(place.child("type"), item.type, "must be a standard limit type or fully qualified");
    }
    if (types.has(item.type)) yield duplicate(place.child("type"), item.type);
    types.add(item.type);
    yield* validateLimitNames(item, place);
    if (item.type === "PersistentVolumeClaim" && !("storage" in { ...item.min, ...item.max })) {
      yield requiredValue(
        place.child("limits"),
        "either minimum or maximum storage value is required, but neither was provided",
      );
    }
    yield* validateOrder(item, place);
  }
}

function* validateLimitNames(item: LimitRangeItem, path: FieldPath): Generator<FieldError> {
  const strict = item.type === "Pod" || item.type === "Container";
  for (const list of limitLists) {
    const names = Object.keys(item[list] ?? {});
    if (item.type === "Pod" && (list === "default" || list === "defaultRequest")) {
      if (names.length > 0) yield forbidden(path.child(list), "may not be specified when `type` is 'Pod'");
      continue;
    }
    for (const name of names) {
      const place = path.child(list).key(name);
      yield* strict ? validateContainerResourceName(name, place) : validateResourceName(name, place);
    }
  }
}

type Bound = "min" | "max" | "default" | "defaultRequest";

/**
 * Ordered pairs of bounds: the lower bound, the upper bound, the field of the error, and the words of the
 * message.
 */
const orders: readonly (readonly [
  low: Bound,
  high: Bound,
  field: Bound,
  lowName: string,
  highName: string,
])[] = [
  ["min", "max", "min", "min", "max"],
  ["min", "defaultRequest", "defaultRequest", "min", "default request"],
  ["defaultRequest", "max", "defaultRequest", "default request", "max"],
  ["defaultRequest", "default", "defaultRequest", "default request", "default limit"],
  ["min", "default", "default", "min", "default"],
  ["default", "max", "default", "default", "max"],
];

function* validateOrder(item: LimitRangeItem, path: FieldPath): Generator<FieldError> {
  const names = new Set(limitLists.flatMap((list) => Object.keys(item[list] ?? {})));
  for (const name of names) {
    for (const [low, high, field, lowName, highName] of orders) {
      const [least, most] = [item[low]?.[name], item[high]?.[name]];
      if (least === undefined || most === undefined) continue;
      if (compareQuantities(parseQuantity(least), parseQuantity(most)) <= 0) continue;
      // Upstream shows the other bound if the default limit is invalid.
      const shown = field === "default" ? (low === "min" ? least : most) : item[field]?.[name];
      yield invalid(
        path.child(field).key(name),
        shown,
        `${lowName} value ${least} is greater than ${highName} value ${most}`,
      );
    }
    const ratio = item.maxLimitRequestRatio?.[name];
    if (ratio !== undefined && parseQuantity(ratio).nanos < 1_000_000_000n) {
      yield invalid(path.child("maxLimitRequestRatio").key(name), ratio, `ratio ${ratio} is less than 1`);
    }
  }
}
