import { type Call, type Comprehension, type Expression, type Select } from "../ast.ts";
import type { Checked } from "../check.ts";
import type { Overload } from "../declarations.ts";
import type { Environment } from "../environment.ts";
import { codePoints } from "../text.ts";
import { dyn, firstParameter, sameType, type Type, unwrapOptional } from "../types.ts";
import type { Value } from "../values.ts";
import type { CallEstimate, CostModel, Operand } from "./model.ts";
import { Path } from "./path.ts";
import { exactly, one, plus, type Range, sum, times, union, unknown, zero } from "./range.ts";

/** What is known of sizes from outside, such as `maxLength` of a schema. */
export interface SizeEstimator {
  /**
   * Of strings (in characters), bytes, lists and maps. The path starts with a variable; after it come names of
   * fields, `@items` of a list, and `@keys` and `@values` of a map. Undefined when nothing is known.
   */
  sizeOf(path: readonly string[], type: Type): Range | undefined;
}

/** Least and most that evaluating the expression can cost (cel-go `checker/cost.go`, with presence tests free). */
export function estimateCost(environment: Environment, checked: Checked, sizes: SizeEstimator): Range {
  return new Estimator(environment, checked, sizes).cost(checked.expression);
}

/** Sizes of what a list or map holds, as far as all of it is known. */
interface EntrySizes {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

/** What is known of a variable of a comprehension. */
interface Local {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

const listBase = exactly(10);
const mapBase = exactly(30);
const structBase = exactly(40);

class Estimator {
  readonly #environment: Environment;
  readonly #checked: Checked;
  readonly #estimator: SizeEstimator;
  /** By id, all three. */
  readonly #paths: (Path | undefined)[] = [];
  readonly #sizes: (Range | undefined)[] = [];
  readonly #entries: (EntrySizes | undefined)[] = [];
  #locals: ReadonlyMap<string, Local> = new Map();

  constructor(environment: Environment, checked: Checked, estimator: SizeEstimator) {
    this.#environment = environment;
    this.#checked = checked;
    this.#estimator = estimator;
  }

  cost(expression: Expression): Range {
    const reference = this.#checked.references[expression.id];
    if (reference?.kind === "variable") return this.#variable(expression, reference.name);
    switch (expression.kind) {
      case "literal":
        return zero;
      case "identifier":
        return one;
      case "select":
        return this.#select(expression);
      case "call":
        return this.#call(expression);
      case "list":
        return this.#list(
          expression,
          expression.elements.map(({ value }) => value),
        );
      case "map":
        return this.#map(expression, expression.entries);
      case "struct":
        return plus(sum(expression.fields.map(({ value }) => this.cost(value))), structBase);
      case "comprehension":
        return isBinding(expression) ? this.#binding(expression) : this.#comprehension(expression);
    }
  }

  #variable({ id }: Expression, name: string): Range {
    this.#paths[id] = this.#locals.get(name)?.path ?? Path.of(name);
    return one;
  }

  #select(expression: Select): Range {
    const { id, operand, field, test } = expression;
    const cost = this.cost(operand);
    if (test) return cost;
    this.#paths[id] = this.#path(operand).append(field);
    const { kind } = this.#type(operand);
    return kind === "map" || kind === "object" ? plus(cost, one) : cost;
  }

  #call(call: Call): Range {
    const reference = this.#checked.references[call.id];
    if (reference?.kind !== "function") return zero;
    const { declaration, overloads, qualified } = reference;
    const [first] = call.args;
    if (declaration.name === "dyn" && first !== undefined) return this.#dyn(call, first);
    const costs = call.args.map((arg) => this.cost(arg));
    const target = qualified ? undefined : call.target;
    const targetCost = target === undefined ? zero : this.cost(target);
    const nodes = target === undefined ? call.args : [target, ...call.args];
    const operands = nodes.map((node) => this.#operand(node));
    let range: Range | undefined;
    let size: Range | undefined;
    for (const overload of overloads) {
      const model = overload.cost ?? declaration.cost;
      const estimate = this.#overload(call, overload, model, operands, costs);
      range = range === undefined ? estimate.cost : union(range, estimate.cost);
      size =
        estimate.size === undefined || size === undefined
          ? (estimate.size ?? size)
          : union(size, estimate.size);
      size = this.#indexed(call, overload, size) ?? this.#size(call);
    }
    if (size !== undefined) this.#sizes[call.id] = size;
    return plus(targetCost, range ?? zero);
  }

  /** Only turns type checking off. */
  #dyn(call: Call, argument: Expression): Range {
    const cost = plus(one, this.cost(argument));
    this.#copySizes(call, argument);
    return cost;
  }

  /** What a call of one overload costs with its arguments. */
  #overload(
    call: Call,
    overload: Overload,
    model: CostModel | undefined,
    operands: readonly Operand[],
    costs: readonly Range[],
  ): CallEstimate {
    const [first = zero, second = zero, third = zero] = costs;
    switch (overload.id) {
      case "logical_and":
      case "logical_or":
        return { cost: { min: first.min, max: plus(first, second).max } };
      case "conditional":
        return { cost: plus(first, union(second, third)), ...this.#branches(call) };
    }
    const { cost, ...rest } = this.#equality(overload, operands) ??
      model?.estimate(operands) ?? { cost: one };
    if (["add_list", "add_string", "add_bytes"].includes(overload.id)) this.#uniteEntries(call, call.args);
    return { cost: plus(cost, sum(costs)), ...rest };
  }

  /** Some libraries say what it costs to compare values of their types. */
  #equality({ id }: Overload, [left, right]: readonly Operand[]): CallEstimate | undefined {
    if (id !== "equals" || left === undefined || right === undefined || !sameType(left.type, right.type)) {
      return undefined;
    }
    return this.#environment.equality.get(left.type.name)?.([left, right]);
  }

  #branches(call: Call): { readonly size: Range } {
    const [yes, no] = call.args.slice(1);
    this.#uniteEntries(call, call.args.slice(1));
    return { size: union(this.#sizeOrUnknown(yes), this.#sizeOrUnknown(no)) };
  }

  /** What an element is said to hold is said of both lists together. */
  #uniteEntries({ id }: Expression, [left, right]: readonly Expression[]): void {
    const a = left && this.#entriesOf(left);
    const b = right && this.#entriesOf(right);
    if (a === undefined || b === undefined) return;
    this.#entries[id] = { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
  }

  /** The size of what stands at an index or key. */
  #indexed(call: Call, { id }: Overload, size: Range | undefined): Range | undefined {
    const [container] = call.args;
    if ((id !== "index_list" && id !== "index_map") || container === undefined) return size;
    this.#paths[call.id] = this.#path(container).append(id === "index_list" ? "@items" : "@values");
    return this.#entriesOf(container)?.value;
  }

  #list({ id }: Expression, elements: readonly Expression[]): Range {
    const costs = elements.map((element) => this.cost(element));
    this.#entries[id] = { container: "list", key: one, value: this.#uniteSizes(elements) };
    return plus(sum(costs), listBase);
  }

  #map(
    { id }: Expression,
    entries: readonly { readonly key: Expression; readonly value: Expression }[],
  ): Range {
    const costs = entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = this.#uniteSizes(entries.map((entry) => entry.key));
    const value = this.#uniteSizes(entries.map((entry) => entry.value));
    this.#entries[id] = { container: "map", key, value };
    return plus(sum(costs), mapBase);
  }

  #uniteSizes(expressions: readonly Expression[]): Range {
    const [first = zero, ...others] = expressions.map((expression) => this.#sizeOrUnknown(expression));
    return others.reduce(union, first);
  }

  #comprehension(loop: Comprehension): Range {
    const rangeCost = this.cost(loop.range);
    const initialCost = this.cost(loop.initial);
    const outer = this.#locals;
    const outside = new Map([...outer, [loop.accumulator, this.#alias(loop.initial)]]);
    this.#locals = new Map([...outside, ...this.#loopVariables(loop)]);
    const conditionCost = this.cost(loop.condition);
    const turn = plus(this.cost(loop.step), conditionCost);
    this.#locals = outside;
    const resultCost = this.cost(loop.result);
    this.#locals = outer;
    const count = this.#sizeOrUnknown(loop.range);
    this.#gathered(loop, count);
    return sum([rangeCost, initialCost, resultCost, times(count, turn)]);
  }

  /** The size of what comes out of a loop. */
  #gathered(loop: Comprehension, count: Range): void {
    const { initial, id } = loop;
    if (initial.kind === "literal") this.#sizes[id] = this.#size(initial);
    if (initial.kind !== "list" && initial.kind !== "map") return;
    this.#sizes[id] = count;
    const entries = this.#entriesOf(loop.step);
    if (entries !== undefined) this.#entries[id] = entries;
  }

  #loopVariables({ range, variable, secondVariable }: Comprehension): readonly (readonly [string, Local])[] {
    const entries = this.#entriesOf(range);
    const container = entries?.container ?? this.#type(range).kind;
    const path = this.#path(range);
    const local = (part: string, size: Range | undefined): Local => ({
      path: path.append(part),
      size,
      entries: undefined,
    });
    const isList = container === "list";
    if (secondVariable === undefined) {
      return [[variable, isList ? local("@items", entries?.value) : local("@keys", entries?.key)]];
    }
    return [
      [variable, local(isList ? "@indices" : "@keys", entries?.key)],
      [secondVariable, local(isList ? "@items" : "@values", entries?.value)],
    ];
  }

  #binding(loop: Comprehension): Range {
    const before = plus(this.cost(loop.range), this.cost(loop.initial));
    const outer = this.#locals;
    this.#locals = new Map([...outer, [loop.accumulator, this.#alias(loop.initial)]]);
    const cost = plus(before, this.cost(loop.result));
    this.#locals = outer;
    this.#copySizes(loop, loop.result);
    return cost;
  }

  /** A variable that stands for an expression. */
  #alias(expression: Expression): Local {
    return {
      path: this.#path(expression),
      size: this.#size(expression),
      entries: this.#entriesOf(expression),
    };
  }

  #operand(expression: Expression): Operand {
    const type = this.#type(expression);
    const base = { type, size: this.#sizeOrUnknown(expression) };
    const literal = expression.kind === "literal" ? { literal: expression.value } : {};
    if (type.parameters.length === 0) return { ...base, ...literal };
    const element = firstParameter(type);
    const path = this.#path(expression);
    const known = path.length === 0 ? undefined : this.#estimator.sizeOf([...path.parts, "@items"], element);
    return { ...base, ...literal, elements: { type: element, size: known ?? unknown } };
  }

  #copySizes(to: Expression, from: Expression): void {
    const size = this.#size(from);
    const entries = this.#entriesOf(from);
    if (size !== undefined) this.#sizes[to.id] = size;
    if (entries !== undefined) this.#entries[to.id] = entries;
  }

  #sizeOrUnknown(expression: Expression | undefined): Range {
    return (expression && this.#size(expression)) ?? unknown;
  }

  #size(expression: Expression): Range | undefined {
    const known = this.#sizes[expression.id] ?? literalSize(expression);
    if (known !== undefined) return known;
    const type = this.#type(expression);
    const path = this.#path(expression);
    const estimated = path.length === 0 ? undefined : this.#estimator.sizeOf(path.parts, type);
    if (estimated !== undefined) this.#sizes[expression.id] = estimated;
    return estimated ?? (isScalar(type) ? one : this.#local(expression)?.size);
  }

  #entriesOf(expression: Expression): EntrySizes | undefined {
    return this.#entries[expression.id] ?? this.#local(expression)?.entries;
  }

  #path(expression: Expression): Path {
    return this.#local(expression)?.path ?? this.#paths[expression.id] ?? Path.none;
  }

  #local(expression: Expression): Local | undefined {
    return expression.kind === "identifier" ? this.#locals.get(expression.name) : undefined;
  }

  #type({ id }: Expression): Type {
    return this.#checked.types[id] ?? dyn;
  }
}

/** `let accumulator = initial in result`, which is how `NodeFactory.bind` writes it. */
function isBinding({ range, condition }: Comprehension): boolean {
  const isEmpty = range.kind === "list" && range.elements.length === 0;
  return isEmpty && condition.kind === "literal" && condition.value === false;
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

/** Types whose values all have the same size. */
function isScalar(type: Type): boolean {
  const inner = unwrapOptional(type);
  if (inner !== undefined) return isScalar(inner);
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}
