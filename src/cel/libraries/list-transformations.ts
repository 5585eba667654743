import type { Expression } from "../ast.ts";
import { ArrayList } from "../collections.ts";
import { actualSizeAt, type CostModel, type Operand, sizeAt, sizeOf } from "../cost/model.ts";
import { exactly, plus, type Range, scaled, times } from "../cost/range.ts";
import {
  type FunctionDeclaration,
  global,
  type Library,
  member,
  type Overload,
  planned,
} from "../declarations.ts";
import { spend } from "../effort.ts";
import { equal } from "../equality.ts";
import { type Macro, variableName } from "../macros.ts";
import { compare } from "../numbers.ts";
import { application } from "../plan/call.ts";
import type { Dispatch } from "../plan/dispatch.ts";
import type { SpecialForm } from "../declarations.ts";
import { SyntaxIssue } from "../source.ts";
import { append, gather } from "../standard/macros.ts";
import { bytes, dyn, int, listOf, parameter, string } from "../types.ts";
import type { Type } from "../type.ts";
import { CelError, CelList, type Int, noSuchOverload, type Value } from "../values.ts";
import { runtimeType } from "../runtime-type.ts";
import { comparable } from "./lists.ts";

/** Functions that make lists from lists (cel-go `ext.Lists`, version 3). */

const list = listOf(parameter("T"));
const listOfLists = listOf(list);
const ceiling = 2 ** 64;

/** The base cost of a call that makes a list. */
const base = 11;
const making = (size: Range, perElement: number) => ({
  cost: plus(scaled(size, perElement), exactly(base)),
  size,
});

/** The value of a literal integer as upstream converts it to a size. */
function literalSize(operand: Operand | undefined, otherwise: number): number {
  const value = operand?.literal;
  return typeof value === "number" || typeof value === "bigint" ? Math.max(0, Number(value)) : otherwise;
}

/** The cost of visiting each element. `size` estimates the number of elements. */
const perElement = (size: (args: readonly Operand[]) => Range): CostModel => ({
  estimate: (args) => making(size(args), 1),
  actual: (_args, result) => base + sizeOf(result),
});

const slicing = perElement((args) => {
  const size = literalSize(args[2], sizeAt(args, 0).max) - literalSize(args[1], 0);
  return exactly(size < 0 ? size + ceiling : size);
});
const counting = perElement((args) => exactly(literalSize(args[0], ceiling)));
const reversing = perElement((args) => sizeAt(args, 0));

const flattening: CostModel = {
  estimate: (args) => making(sizeAt(args, 0), args.length > 1 ? literalSize(args[1], ceiling) : 1),
  actual: (args) => {
    const [, levels] = args;
    const depth = typeof levels === "number" || typeof levels === "bigint" ? Number(levels) : 1;
    const cost = base + actualSizeAt(args, 0) * depth;
    // Converts to an unsigned integer, as upstream.
    return cost < 0 ? cost + ceiling : cost;
  },
};

/**
 * The cost of comparing each element with each other one of the deciding list, at most. Strings cost slightly
 * more.
 */
const sorting = (index: number, isText: boolean): CostModel => ({
  estimate: (args) => {
    const size = sizeAt(args, index);
    return making(times(size, size), isText ? 2.1 : 2);
  },
  actual: (args) => {
    const keys = args[index];
    const first = keys instanceof CelList && keys.size > 0 ? keys.at(0) : null;
    const factor = typeof first === "string" || first instanceof Uint8Array ? 2.1 : 2;
    return base + Math.floor(actualSizeAt(args, index) ** 2 * factor);
  },
});

/** The values of a list, or the first error. */
function valuesOf(source: CelList): Value[] | CelError {
  const values: Value[] = [];
  for (const element of source) {
    spend(1);
    if (element instanceof CelError) return element;
    values.push(element);
  }
  return values;
}

const asList = (values: readonly Value[] | CelError) =>
  values instanceof CelError ? values : new ArrayList(values);

function slice(source: CelList, start: Int, end: Int): CelList | CelError {
  const wrong = (problem: string) => new CelError(`cannot slice(${start}, ${end}), ${problem}`);
  if (start < 0 || end < 0) return wrong("negative indexes not supported");
  if (start > end) return wrong("start index must be less than or equal to end index");
  if (source.size < end) return wrong(`list is length ${source.size}`);
  const values = valuesOf(source);
  return asList(values instanceof CelError ? values : values.slice(Number(start), Number(end)));
}

function flatten(source: CelList, depth: Int = 1): CelList | CelError {
  if (depth < 0) return new CelError("level must be non-negative");
  const values: Value[] = [];
  const failure = flattenInto(values, source, Number(depth));
  return failure ?? new ArrayList(values);
}

function flattenInto(values: Value[], source: CelList, depth: number): CelError | undefined {
  for (const element of source) {
    spend(1);
    if (element instanceof CelError) return element;
    const isNested = element instanceof CelList && depth > 0;
    const failure = isNested ? flattenInto(values, element, depth - 1) : void values.push(element);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function sort(source: CelList, by: CelList): CelList | CelError {
  if (source.size !== by.size) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${source.size} and ${by.size} elements respectively`,
    );
  }
  const values = valuesOf(source);
  const keys = valuesOf(by);
  if (values instanceof CelError) return values;
  if (keys instanceof CelError) return keys;
  const problem = incomparable(keys);
  if (problem !== undefined) return new CelError(problem);
  const order = keys.map((key, index) => ({ key, index }));
  order.sort((a, b) => {
    spend(1);
    const difference = compare(a.key, b.key);
    return difference instanceof CelError ? 0 : difference;
  });
  return new ArrayList(order.map(({ index }) => values[index] ?? null));
}

function incomparable([first, ...others]: readonly Value[]): string | undefined {
  if (first === undefined) return undefined;
  const { name } = runtimeType(first);
  if (!comparable.some(([, type]) => type.name === name)) return "list elements must be comparable";
  return others.every((key) => runtimeType(key).name === name)
    ? undefined
    : "list elements must have the same type";
}

function range(count: Int): CelList {
  const values: Value[] = [];
  for (let i = 0; i < count; i++) {
    spend(1);
    values.push(i);
  }
  return new ArrayList(values);
}

function distinct(source: CelList): CelList | CelError {
  const values = valuesOf(source);
  if (values instanceof CelError) return values;
  const found: Value[] = [];
  for (const value of values) {
    spend(found.length);
    if (!found.some((other) => equal(value, other) === true)) found.push(value);
  }
  return new ArrayList(found);
}

function reverse(source: CelList): CelList | CelError {
  const values = valuesOf(source);
  return asList(values instanceof CelError ? values : values.reverse());
}

/** Calls without checking the types of elements, as upstream. */
const unguarded =
  (dispatch: Dispatch): SpecialForm =>
  (args, [only, ...others]) => {
    const cost = others.length === 0 ? only?.cost : undefined;
    const steps = args.map(({ run }) => run);
    return { run: application(dispatch, steps, cost) };
  };

function flattenAny([source = null, depth]: readonly Value[]): CelList | CelError {
  const { name } = runtimeType(source);
  if (!(source instanceof CelList)) {
    const levels = depth === undefined ? "" : runtimeType(depth).name;
    return new CelError(`no such overload: ${name}.flatten(${levels})`);
  }
  const isDepth = depth === undefined || typeof depth === "number" || typeof depth === "bigint";
  return isDepth ? flatten(source, depth) : noSuchOverload;
}

const sortAny =
  (name: string): Dispatch =>
  ([source = null, by = source]) =>
    source instanceof CelList && by instanceof CelList
      ? sort(source, by)
      : new CelError(`no such overload: ${name}`);

/** The function behind `sortBy`. Its name is not a valid identifier in the source. */
const sortByKeys = "@sortByAssociatedKeys";

const asMember = (overload: Overload): Overload => ({ ...overload, member: true });
const hasCharacters = (type: Type) => type === string || type === bytes;

const functions: readonly FunctionDeclaration[] = [
  { name: "slice", overloads: [member("list_slice", [list, int, int], list, slice, slicing)] },
  {
    name: "flatten",
    overloads: [
      asMember(planned("list_flatten", [listOfLists], list, flattening)),
      asMember(planned("list_flatten_int", [listOf(dyn), int], listOf(dyn), flattening)),
    ],
    plan: unguarded(flattenAny),
  },
  {
    name: "sort",
    overloads: comparable.map(([, type]) =>
      asMember(
        planned(`list_${type.name}_sort`, [listOf(type)], listOf(type), sorting(0, hasCharacters(type))),
      ),
    ),
    plan: unguarded(sortAny("sort")),
  },
  {
    name: sortByKeys,
    overloads: comparable.map(([, type]) =>
      asMember(
        planned(
          `list_${type.name}_sortByAssociatedKeys`,
          [list, listOf(type)],
          list,
          sorting(1, hasCharacters(type)),
        ),
      ),
    ),
    plan: unguarded(sortAny(sortByKeys)),
  },
  { name: "lists.range", overloads: [global("lists_range", [int], listOf(int), range, counting)] },
  { name: "reverse", overloads: [member("list_reverse", [list], list, reverse, reversing)] },
  { name: "distinct", overloads: [member("list_distinct", [list], list, distinct, sorting(0, false))] },
];

const sortable: readonly Expression["kind"][] = ["list", "select", "identifier", "comprehension", "call"];

/** The macro `list.sortBy(e, key)`, which sorts the elements by their keys. */
const sortBy: Macro = {
  name: "sortBy",
  receiver: true,
  args: 2,
  expand: (make, target, element: Expression, key: Expression) => {
    if (!sortable.includes(target.kind)) {
      throw new SyntaxIssue(
        "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
        target.offset,
      );
    }
    const input = "@__sortBy_input__";
    const variable = variableName(element, "argument is not an identifier");
    const loop = { range: make.identifier(input), variable, secondVariable: undefined };
    const keys = gather(make, loop, make.list(), append(make, key), undefined);
    return make.bind(input, target, make.memberCall(sortByKeys, make.identifier(input), keys));
  },
};

export const listTransformations: Library = { functions, macros: [sortBy] };
