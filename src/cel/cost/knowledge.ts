import type { Expression } from "../ast.ts";
import type { Checked } from "../check.ts";
import { Scope } from "../scope.ts";
import { codePoints } from "../text.ts";
import { dyn, firstParameter, unwrapOptional } from "../types.ts";
import type { Type } from "../type.ts";
import type { Value } from "../values.ts";
import type { Operand } from "./model.ts";
import { Path } from "./path.ts";
import { exactly, one, type Range, union, unknown, zero } from "./range.ts";

/** An estimator of the sizes of inputs, such as `maxLength` of a schema. */
export interface SizeEstimator {
  /**
   * The size of a string (in characters), bytes, a list or a map. The path starts with a variable, followed
   * by names of fields, `@items` of a list, and `@keys` and `@values` of a map. Undefined when the size is
   * unknown.
   */
  sizeOf(path: readonly string[], type: Type): Range | undefined;
}

/** The sizes of the entries of a list or map, as far as they are known. */
export interface EntrySizes {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

/** The known properties of a comprehension's variable. */
export interface Local {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

/** The known properties of an expression's parts, as the estimate collects them: paths and sizes. */
export class Knowledge {
  readonly #checked: Checked;
  readonly #estimator: SizeEstimator;
  /** The paths, sizes and entries are indexed by node id. */
  readonly #paths: (Path | undefined)[] = [];
  readonly #sizes: (Range | undefined)[] = [];
  readonly #entries: (EntrySizes | undefined)[] = [];
  readonly #locals = new Scope<Local>();

  constructor(checked: Checked, estimator: SizeEstimator) {
    this.#checked = checked;
    this.#estimator = estimator;
  }

  /** Runs `something` with additional variables in scope. */
  within<T>(locals: readonly (readonly [string, Local])[], something: () => T): T {
    return this.#locals.within(locals, something);
  }

  typeOf({ id }: Expression): Type {
    return this.#checked.types[id] ?? dyn;
  }

  pathOf(expression: Expression): Path {
    return this.#local(expression)?.path ?? this.#paths[expression.id] ?? Path.none;
  }

  setPath({ id }: Expression, path: Path): void {
    this.#paths[id] = path;
  }

  /** The path of a variable of the environment or of a comprehension. */
  variable(name: string): Path {
    return this.#locals.get(name)?.path ?? Path.of(name);
  }

  sizeOf(expression: Expression): Range | undefined {
    const known = this.#sizes[expression.id] ?? literalSize(expression);
    if (known !== undefined) return known;
    const type = this.typeOf(expression);
    const path = this.pathOf(expression);
    const estimated = path.length === 0 ? undefined : this.#estimator.sizeOf(path.parts, type);
    this.setSize(expression, estimated);
    return estimated ?? (isScalar(type) ? one : this.#local(expression)?.size);
  }

  sizeOrUnknown(expression: Expression | undefined): Range {
    return (expression && this.sizeOf(expression)) ?? unknown;
  }

  setSize({ id }: Expression, size: Range | undefined): void {
    if (size !== undefined) this.#sizes[id] = size;
  }

  /** The union of the sizes of all expressions. */
  unionOfSizes(expressions: readonly Expression[]): Range {
    const [first = zero, ...others] = expressions.map((expression) => this.sizeOrUnknown(expression));
    return others.reduce(union, first);
  }

  entriesOf(expression: Expression): EntrySizes | undefined {
    return this.#entries[expression.id] ?? this.#local(expression)?.entries;
  }

  setEntries({ id }: Expression, entries: EntrySizes | undefined): void {
    if (entries !== undefined) this.#entries[id] = entries;
  }

  /** Sets the entries of an expression whose value is one of two containers to the union of their entries. */
  uniteEntries(result: Expression, [left, right]: readonly Expression[]): void {
    const a = left && this.entriesOf(left);
    const b = right && this.entriesOf(right);
    if (a === undefined || b === undefined) return;
    this.setEntries(result, {
      container: a.container,
      key: union(a.key, b.key),
      value: union(a.value, b.value),
    });
  }

  /** Copies the size and the entries of one expression to another. */
  copy(to: Expression, from: Expression): void {
    this.setSize(to, this.sizeOf(from));
    this.setEntries(to, this.entriesOf(from));
  }

  /** The properties of a variable that is bound to an expression. */
  alias(expression: Expression): Local {
    return {
      path: this.pathOf(expression),
      size: this.sizeOf(expression),
      entries: this.entriesOf(expression),
    };
  }

  operand(expression: Expression): Operand {
    const type = this.typeOf(expression);
    const literal = expression.kind === "literal" ? { literal: expression.value } : {};
    const base = { type, size: this.sizeOrUnknown(expression), ...literal };
    if (type.parameters.length === 0) return base;
    const element = firstParameter(type);
    const path = this.pathOf(expression);
    const known = path.length === 0 ? undefined : this.#estimator.sizeOf([...path.parts, "@items"], element);
    return { ...base, elements: { type: element, size: known ?? unknown } };
  }

  #local(expression: Expression): Local | undefined {
    return expression.kind === "identifier" ? this.#locals.get(expression.name) : undefined;
  }
}

function literalSize(expression: Expression): Range | undefined {
  if (expression.kind === "list") return exactly(expression.elements.length);
  if (expression.kind === "map") return exactly(expression.entries.length);
  return expression.kind === "literal" ? exactly(lengthOf(expression.value)) : undefined;
}

function lengthOf(literal: Value): number {
  if (typeof literal === "string") return codePoints(literal);
  return literal instanceof Uint8Array ? literal.length : 1;
}

/** Reports whether all values of a type have the same size. */
function isScalar(type: Type): boolean {
  const inner = unwrapOptional(type);
  if (inner !== undefined) return isScalar(inner);
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}
