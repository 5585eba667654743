import { operators } from "../ast.ts";
import { comparison as byCharacters } from "../cost/model.ts";
import { type FunctionDeclaration, global, type Overload } from "../declarations.ts";
import { compare } from "../numbers.ts";
import { bool, bytes, double, duration, int, string, timestamp, uint } from "../types.ts";
import type { Type } from "../type.ts";
import { CelError, type Value } from "../values.ts";

/**
 * The pairs of types with an order, by the names in ids of overloads. Numbers are also compared with numbers
 * of other types.
 */
const ordered: readonly (readonly [suffix: string, Type<Value>, Type<Value>])[] = [
  ["bool", bool, bool],
  ["int64", int, int],
  ["int64_double", int, double],
  ["int64_uint64", int, uint],
  ["uint64", uint, uint],
  ["uint64_double", uint, double],
  ["uint64_int64", uint, int],
  ["double", double, double],
  ["double_int64", double, int],
  ["double_uint64", double, uint],
  ["string", string, string],
  ["bytes", bytes, bytes],
  ["timestamp", timestamp, timestamp],
  ["duration", duration, duration],
];

function relation(name: string, prefix: string, holds: (order: number) => boolean): FunctionDeclaration {
  const overloads = ordered.map(([suffix, left, right]): Overload => {
    const cost = left === string || left === bytes ? byCharacters : undefined;
    const id = `${prefix}_${suffix}`;
    return global(
      id,
      [left, right],
      bool,
      (a, b) => {
        const order = compare(a, b);
        return order instanceof CelError ? order : holds(order);
      },
      cost,
    );
  });
  return { name, overloads, blames: "function" };
}

export const comparison: readonly FunctionDeclaration[] = [
  relation(operators.less, "less", (order) => order < 0),
  relation(operators.lessEquals, "less_equals", (order) => order <= 0),
  relation(operators.greater, "greater", (order) => order > 0),
  relation(operators.greaterEquals, "greater_equals", (order) => order >= 0),
];
