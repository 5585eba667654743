import { type CostModel, perCharacter, sizeAt } from "../cost/model.ts";
import { one, plus, scaled, times } from "../cost/range.ts";
import { type FunctionDeclaration, type Library, member } from "../declarations.ts";
import { spend } from "../effort.ts";
import { equal } from "../equality.ts";
import { add, int64, uint64 } from "../integers.ts";
import { compare } from "../numbers.ts";
import { addDurations } from "../time.ts";
import { bool, bytes, double, duration, int, listOf, parameter, string, timestamp, uint } from "../types.ts";
import type { Type } from "../type.ts";
import {
  CelError,
  CelList,
  CelMap,
  Double,
  Duration,
  type Int,
  type Result,
  Uint,
  type Value,
} from "../values.ts";

/** Kubernetes' list functions (`k8s.io/apiserver/pkg/cel/library/lists.go`). */

const a = parameter("A");

/** The types with an order, by their names in ids of overloads. */
export const comparable: readonly (readonly [name: string, Type<Value>])[] = [
  ["int", int],
  ["uint", uint],
  ["double", double],
  ["bool", bool],
  ["duration", duration],
  ["timestamp", timestamp],
  ["string", string],
  ["bytes", bytes],
];

/** The cost of visiting each element, and each character of strings. */
export const oneLook: CostModel = {
  estimate: (args) => {
    const [list] = args;
    const elements = list?.elements;
    if (elements === undefined) return { cost: scaled(sizeAt(args, 0), perCharacter) };
    const hasCharacters = elements.type.kind === "string" || elements.type.kind === "bytes";
    const each = hasCharacters ? plus(one, scaled(elements.size, perCharacter)) : one;
    return { cost: times(sizeAt(args, 0), each) };
  },
  actual: ([list = null]) => visit(list),
};

/** The cost of visiting a value with everything in it. */
function visit(value: Result): number {
  spend(1);
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * perCharacter);
  if (value instanceof Uint8Array) return Math.floor(value.length * perCharacter);
  if (value instanceof CelList)
    return [...value].reduce<number>((units, element) => units + visit(element), 0);
  if (!(value instanceof CelMap)) return 1;
  return [...value.keys()].reduce<number>(
    (units, key) => units + visit(key) + visit(value.get(key) ?? null),
    0,
  );
}

/** Calls `visitor` for each element until it returns a value. An error in the list also ends the loop. */
function each<T>(list: CelList, visitor: (element: Value) => T | undefined): T | CelError | undefined {
  for (const element of list) {
    const result = element instanceof CelError ? element : visitor(element);
    if (result !== undefined) return result;
  }
  return undefined;
}

function isSorted(list: CelList): boolean | CelError {
  let before: Value | undefined;
  const found = each(list, (element) => {
    const order = before === undefined ? 0 : compare(before, element);
    before = element;
    return !(order instanceof CelError) && order > 0 ? false : undefined;
  });
  return found ?? true;
}

/** Adds up a list, starting with zero. The first overflow ends the loop. */
function sum<V extends Value>(list: CelList, zero: V, plusOne: (total: V, element: V) => V | CelError) {
  let total = zero;
  const failure = each(list, (element) => {
    // All elements have the type of the overload.
    const next = plusOne(total, element as V);
    if (next instanceof CelError) return next;
    total = next;
    return undefined;
  });
  return failure ?? total;
}

/** The minimum (-1) or maximum (1). The first of equal elements counts. */
function extreme(list: CelList, name: string, direction: -1 | 1): Result {
  let best: Value | undefined;
  const failure = each(list, (element) => {
    const order = best === undefined ? direction : compare(element, best);
    if (!(order instanceof CelError) && order * direction > 0) best = element;
    return undefined;
  });
  return failure ?? best ?? new CelError(`${name} called on empty list`);
}

function indexOf(list: CelList, wanted: Value): number {
  for (let i = 0; i < list.size; i++) if (isEqual(list.at(i), wanted)) return i;
  return -1;
}

function lastIndexOf(list: CelList, wanted: Value): number {
  for (let i = list.size - 1; i >= 0; i--) if (isEqual(list.at(i), wanted)) return i;
  return -1;
}

const isEqual = (element: Result, wanted: Value) =>
  !(element instanceof CelError) && equal(element, wanted) === true;

const functions: readonly FunctionDeclaration[] = [
  {
    name: "isSorted",
    overloads: comparable.map(([name, type]) =>
      member(`list_${name}_is_sorted_bool`, [listOf(type)], bool, isSorted),
    ),
    cost: oneLook,
  },
  {
    name: "sum",
    overloads: [
      member("list_int_sum_int", [listOf(int)], int, (list) => sum<Int>(list, 0, (x, y) => add(int64, x, y))),
      member("list_uint_sum_uint", [listOf(uint)], uint, (list) =>
        sum(list, new Uint(0), (x, y) => unsigned(add(uint64, x.value, y.value))),
      ),
      member("list_double_sum_double", [listOf(double)], double, (list) =>
        sum(list, new Double(0), (x, y) => new Double(x.value + y.value)),
      ),
      member("list_duration_sum_duration", [listOf(duration)], duration, (list) =>
        sum(list, new Duration(0), addDurations),
      ),
    ],
    cost: oneLook,
  },
  {
    name: "max",
    overloads: comparable.map(([name, type]) =>
      member(`list_${name}_max_${name}`, [listOf(type)], type, (list) => extreme(list, "max", 1)),
    ),
    cost: oneLook,
  },
  {
    name: "min",
    overloads: comparable.map(([name, type]) =>
      member(`list_${name}_min_${name}`, [listOf(type)], type, (list) => extreme(list, "min", -1)),
    ),
    cost: oneLook,
  },
  {
    name: "indexOf",
    overloads: [member("list_a_index_of_int", [listOf(a), a], int, indexOf)],
    cost: oneLook,
  },
  {
    name: "lastIndexOf",
    overloads: [member("list_a_last_index_of_int", [listOf(a), a], int, lastIndexOf)],
    cost: oneLook,
  },
];

const unsigned = (value: Int | CelError) => (value instanceof CelError ? value : new Uint(value));

export const lists: Library = { functions };
