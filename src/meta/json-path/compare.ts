import { JsonPathError } from "./error.ts";
import { table } from "../../util/table.ts";

export type Operator = (a: number | string, b: number | string) => boolean;

export const operators: Readonly<Record<string, Operator>> = table({
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
});

/** Compares values of the same type; other comparisons throw. Booleans only support equality. */
export function compareValues(a: unknown, operator: Operator, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number") return operator(a, b);
  if (typeof a === "string" && typeof b === "string") return operator(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return operator(Number(a), Number(b));
  throw new JsonPathError("incompatible types for comparison");
}
