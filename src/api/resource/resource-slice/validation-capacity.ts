import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
} from "../../../meta/field-error.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../../meta/quantity.ts";
import { validateSet } from "../lists.ts";
import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from "../v1/device.ts";

const maxValues = 10;

const compare = (a: string, b: string) => compareQuantities(parseQuantity(a), parseQuantity(b));

const nano = 1_000_000_000n;
/** The amount in whole units, rounded up. */
const units = ({ nanos }: Quantity) => nanos / nano + (nanos > 0n && nanos % nano > 0n ? 1n : 0n);

/** `capacity` is the available amount. */
export function* validateRequestPolicy(
  { default: usual, validValues: values = [], validRange: range }: CapacityRequestPolicy,
  capacity: string,
  path: FieldPath,
): Generator<FieldError> {
  const given = values.length > 0 ? "validValues" : "validRange";
  if (values.length > 0 && range !== undefined) {
    const rule = 'cannot specify "validValues" and "validRange" at the same time';
    yield forbidden(path, `exactly one policy can be specified, ${rule}`);
  } else if (values.length === 0 && range === undefined) return;
  else if (usual === undefined)
    yield requiredValue(path.child("default"), `required when ${given} is defined`);
  else if (range === undefined) yield* validateValues(values, usual, capacity, path.child(given));
  else yield* validateRange(range, usual, capacity, path.child(given));
}

function* validateValues(
  values: readonly string[],
  usual: string,
  capacity: string,
  path: FieldPath,
): Generator<FieldError> {
  for (const [i, value] of values.entries()) {
    const before = values[i - 1];
    if (before !== undefined && compare(before, value) > 0) {
      yield invalid(path.index(i), value, "values must be sorted in ascending order");
    }
  }
  yield* validateSet(
    values,
    maxValues,
    path,
    function* (value, place) {
      if (compare(value, capacity) > 0) {
        yield invalid(place, value, `option is larger than capacity value: ${capacity}`);
      }
    },
    (value) => String(units(parseQuantity(value))),
  );
  // Upstream does not search in a list that is too long.
  const isFound = values.length <= maxValues && values.some((value) => compare(value, usual) === 0);
  if (!isFound) yield invalid(path, usual, "default value is not valid according to the requestPolicy");
}

function* validateRange(
  range: CapacityRequestPolicyRange,
  usual: string,
  capacity: string,
  path: FieldPath,
): Generator<FieldError> {
  const { min, max, step } = range;
  const place = path.child("min");
  if (min === undefined) {
    yield requiredValue(place, "required when validRange is defined");
    return;
  }
  if (compare(min, capacity) > 0) yield invalid(place, min, `min is larger than capacity value: ${capacity}`);
  if (compare(usual, min) < 0) yield invalid(place, usual, `default is less than min: ${min}`);
  if (max !== undefined) yield* validateMax(max, min, usual, capacity, path.child("max"));
  if (step === undefined) return;
  const values = max === undefined ? [usual] : [usual, max];
  yield* validateStep(step, min, values, capacity, path.child("step"));
}

function* validateMax(
  max: string,
  min: string,
  usual: string,
  capacity: string,
  path: FieldPath,
): Generator<FieldError> {
  if (compare(min, max) > 0) yield invalid(path, min, `min is larger than max: ${max}`);
  if (compare(max, capacity) > 0) yield invalid(path, max, `max is larger than capacity value: ${capacity}`);
  if (compare(usual, max) > 0) yield invalid(path, usual, `default is more than max: ${max}`);
}

function* validateStep(
  step: string,
  min: string,
  values: readonly string[],
  capacity: string,
  path: FieldPath,
): Generator<FieldError> {
  const first = addQuantities(parseQuantity(min), parseQuantity(step));
  if (compareQuantities(first, parseQuantity(capacity)) > 0) {
    const what = `one step ${formatQuantity(first)} is larger than capacity value: ${capacity}`;
    yield invalid(path, step, what);
  }
  const [width, start] = [units(parseQuantity(step)), units(parseQuantity(min))];
  for (const value of values) {
    // A step of zero would be a division by zero in upstream. Here only the minimum is a multiple of it.
    const distance = units(parseQuantity(value)) - start;
    if (width === 0n ? distance !== 0n : distance % width !== 0n) {
      yield invalid(path, value, `value is not a multiple of a given step (${step}) from (${min})`);
    }
  }
}
