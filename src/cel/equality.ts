import { spend } from "./effort.ts";
import { compareNumbers, isNumber } from "./numbers.ts";
import { Type } from "./type.ts";
import {
  CelError,
  CelList,
  CelMap,
  CelObject,
  Duration,
  Optional,
  type Result,
  Timestamp,
  type Value,
} from "./values.ts";

/**
 * Evaluates `a == b`. Values of different types are not equal, except for numbers, which are compared by
 * value.
 */
export function equal(a: Value, b: Value): boolean | CelError {
  // Identity is no shortcut for lists and maps: an element may be NaN or an error.
  if (typeof a !== "object") return a === b || (isNumber(a) && isNumber(b) && compareNumbers(a, b) === 0);
  if (a === null || b === null) return a === b;
  spend(1);
  if (a instanceof CelObject) return a.equals(b);
  if (a instanceof CelList) return a.equals?.(b) ?? (b instanceof CelList && equalLists(a, b));
  if (a instanceof CelMap) return a.equals?.(b) ?? (b instanceof CelMap && equalMaps(a, b));
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Type) return b instanceof Type && a.name === b.name;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  return isNumber(b) && compareNumbers(a, b) === 0;
}

/** Compares lists. As upstream, elements that cannot be compared count as equal. */
function equalLists(a: CelList, b: CelList): boolean {
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (equalResults(a.at(i), b.at(i)) === false) return false;
  return true;
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const other = b.get(key);
    if (other === undefined || equalResults(a.get(key) ?? null, other) === false) return false;
  }
  return true;
}

function equalOptionals({ value: a }: Optional, { value: b }: Optional): boolean | CelError {
  return a === undefined || b === undefined ? a === b : equal(a, b);
}

/** Compares two results, each of which may be an error. */
export function equalResults(a: Result, b: Result): boolean | CelError {
  if (a instanceof CelError) return a;
  return b instanceof CelError ? b : equal(a, b);
}
