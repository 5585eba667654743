import { type Expression } from "../ast.ts";
import { HashMap } from "../collections.ts";
import { type FunctionDeclaration, global, type Library } from "../declarations.ts";
import { formatValue } from "../format-value.ts";
import { type Macro, type NodeFactory, variableName } from "../macros.ts";
import { SyntaxIssue } from "../source.ts";
import { all, append, exists, existsOne, gather, type Loop } from "../standard/macros.ts";
import { mapOf, parameter } from "../types.ts";
import { CelError, type CelMap, type Value } from "../values.ts";

/**
 * Macros whose loops have the index or key and the value as variables (cel-go `ext.TwoVarComprehensions`).
 */

const k = parameter("K");
const v = parameter("V");
const map = mapOf(k, v);

function loopOf(range: Expression, first: Expression, second: Expression): Loop {
  const variable = variableName(first, "argument must be a simple name");
  const secondVariable = variableName(second, "argument must be a simple name");
  if (variable === secondVariable)
    throw new SyntaxIssue(`duplicate variable name: ${variable}`, second.offset);
  return { range, variable, secondVariable };
}

const quantifier = (name: string, body: typeof all): Macro => ({
  name,
  receiver: true,
  args: 3,
  expand: (make, target, first: Expression, second: Expression, predicate: Expression) =>
    body(make, loopOf(target, first, second), predicate),
});

/** Makes the step of a loop, which adds one element to the result. */
type Step = (make: NodeFactory, transform: Expression, loop: Loop) => Expression;

/** Makes two macros: with and without a filter before the transformation. */
const transformer = (
  name: string,
  start: (make: NodeFactory) => Expression,
  step: Step,
): readonly Macro[] => [
  {
    name,
    receiver: true,
    args: 3,
    expand: (make, target, first: Expression, second: Expression, transform: Expression) => {
      const loop = loopOf(target, first, second);
      return gather(make, loop, start(make), step(make, transform, loop), undefined);
    },
  },
  {
    name,
    receiver: true,
    args: 4,
    expand: (
      make,
      target,
      first: Expression,
      second: Expression,
      filter: Expression,
      transform: Expression,
    ) => {
      const loop = loopOf(target, first, second);
      return gather(make, loop, start(make), step(make, transform, loop), filter);
    },
  },
];

/**
 * The function that adds entries to the map that a macro builds. Its name is not a valid identifier in the
 * source.
 */
const insertion = "cel.@mapInsert";

const macros: readonly Macro[] = [
  quantifier("all", all),
  quantifier("exists", exists),
  quantifier("existsOne", existsOne),
  quantifier("exists_one", existsOne),
  ...transformer("transformList", (make) => make.list(), append),
  ...transformer(
    "transformMap",
    (make) => make.map(),
    (make, transform, { variable }) =>
      make.call(insertion, make.accumulator(), make.identifier(variable), transform),
  ),
  ...transformer(
    "transformMapEntry",
    (make) => make.map(),
    (make, transform) => make.call(insertion, make.accumulator(), transform),
  ),
];

/** Adds an entry. Only macros call it, with a map to which no other code has a reference. */
function insert(target: CelMap, key: Value, value: Value): CelMap | CelError {
  if (!(target instanceof HashMap)) return new CelError("no such overload");
  if (target.get(key) !== undefined)
    return new CelError(`insert failed: key ${formatValue(key)} already exists`);
  target.set(key, value);
  return target;
}

function insertAll(target: CelMap, entries: CelMap): CelMap | CelError {
  for (const key of entries.keys()) {
    const value = entries.get(key) ?? null;
    const result = value instanceof CelError ? value : insert(target, key, value);
    if (result instanceof CelError) return result;
  }
  return target;
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: insertion,
    overloads: [
      global("@mapInsert_map_key_value", [map, k, v], map, insert),
      global("@mapInsert_map_map", [map, map], map, insertAll),
    ],
  },
];

export const twoVariables: Library = { functions, macros };
