import type { Value } from "./values.ts";

/**
 * The tree of an expression, as cel-go's parser makes it: macros are expanded, and operators are calls of
 * functions such as `_+_`. Every node has a unique id; ids are dense and start at 1.
 */
export type Expression =
  | Literal
  | Identifier
  | Select
  | Call
  | ListLiteral
  | MapLiteral
  | StructLiteral
  | Comprehension;

interface Node {
  readonly id: number;
  /** The offset at which an issue with this node is reported. */
  readonly offset: number;
}

export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: Value;
}

export interface Identifier extends Node {
  readonly kind: "identifier";
  /** The name. A leading dot makes it absolute instead of relative to the container. */
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expression;
  readonly field: string;
  /** True for `has(operand.field)`, which tests for the field. */
  readonly test: boolean;
}

export interface Call extends Node {
  readonly kind: "call";
  readonly name: string;
  /** The expression before the dot in `target.name(args)`. */
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

export interface ListLiteral extends Node {
  readonly kind: "list";
  readonly elements: readonly { readonly value: Expression; readonly optional: boolean }[];
}

export interface MapLiteral extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface MapEntry extends Node {
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

export interface StructLiteral extends Node {
  readonly kind: "struct";
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

export interface StructField extends Node {
  readonly name: string;
  readonly value: Expression;
  readonly optional: boolean;
}

/**
 * A loop over `range`. `accumulator` starts as `initial` and becomes `step` for each element until
 * `condition` is false. `result` is the value of the loop. With two variables, they are the index or key and
 * the value. `initial` is only evaluated when an expression reads the accumulator.
 */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly range: Expression;
  readonly variable: string;
  readonly secondVariable: string | undefined;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** The name of the accumulator in expanded macros, which is not a valid identifier in the source. */
export const hiddenAccumulator = "@result";

/** The function names of operators, which are not valid identifiers in the source. */
export const operators = {
  conditional: "_?_:_",
  and: "_&&_",
  or: "_||_",
  not: "!_",
  equals: "_==_",
  notEquals: "_!=_",
  less: "_<_",
  lessEquals: "_<=_",
  greater: "_>_",
  greaterEquals: "_>=_",
  in: "@in",
  add: "_+_",
  subtract: "_-_",
  multiply: "_*_",
  divide: "_/_",
  modulo: "_%_",
  negate: "-_",
  index: "_[_]",
  optionalIndex: "_[?_]",
  optionalSelect: "_?._",
  notStrictlyFalse: "@not_strictly_false",
} as const;

/** The name `a.b.c`, if the expression consists of names and dots only. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === "identifier") return expression.name;
  if (expression.kind !== "select" || expression.test) return undefined;
  const prefix = qualifiedName(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}

/** The child nodes, in the order of the source. */
export function children(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "literal":
    case "identifier":
      return [];
    case "select":
      return [expression.operand];
    case "call":
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args];
    case "list":
      return expression.elements.map(({ value }) => value);
    case "map":
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expression.fields.map(({ value }) => value);
    case "comprehension": {
      const { range, initial, condition, step, result } = expression;
      return [range, initial, condition, step, result];
    }
  }
}
