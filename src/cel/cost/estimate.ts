import type { Call, Comprehension, Expression, MapEntry, Select } from "../ast.ts";
import type { Checked } from "../check.ts";
import type { Overload } from "../declarations.ts";
import type { Environment } from "../environment.ts";
import { sameType } from "../types.ts";
import { Knowledge, type Local, type SizeEstimator } from "./knowledge.ts";
import type { CallEstimate, CostModel, Operand } from "./model.ts";
import { exactly, one, plus, type Range, sum, times, union, zero } from "./range.ts";

/**
 * Estimates the minimum and maximum cost of an evaluation (cel-go `checker/cost.go`; presence tests are
 * free).
 */
export function estimateCost(environment: Environment, checked: Checked, sizes: SizeEstimator): Range {
  return new Estimator(environment, checked, sizes).cost(checked.expression);
}

const listBase = exactly(10);
const mapBase = exactly(30);
const structBase = exactly(40);

class Estimator {
  readonly #environment: Environment;
  readonly #checked: Checked;
  readonly #known: Knowledge;

  constructor(environment: Environment, checked: Checked, sizes: SizeEstimator) {
    this.#environment = environment;
    this.#checked = checked;
    this.#known = new Knowledge(checked, sizes);
  }

  cost(expression: Expression): Range {
    const reference = this.#checked.references[expression.id];
    if (reference?.kind === "variable") {
      this.#known.setPath(expression, this.#known.variable(reference.name));
      return one;
    }
    switch (expression.kind) {
      case "literal":
        return zero;
      case "identifier":
        // Names of types have paths, too, so the size estimator is also called for them.
        this.#known.setPath(expression, this.#known.variable(expression.name));
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

  #select(expression: Select): Range {
    const { operand, field, test } = expression;
    const cost = this.cost(operand);
    if (test) return cost;
    this.#known.setPath(expression, this.#known.pathOf(operand).append(field));
    const { kind } = this.#known.typeOf(operand);
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
    const operands = (target === undefined ? call.args : [target, ...call.args]).map((node) =>
      this.#known.operand(node),
    );
    let range: Range | undefined;
    let size: Range | undefined;
    for (const overload of overloads) {
      const estimate = this.#overload(call, overload, overload.cost ?? declaration.cost, operands, costs);
      range = range === undefined ? estimate.cost : union(range, estimate.cost);
      size =
        estimate.size === undefined || size === undefined
          ? (estimate.size ?? size)
          : union(size, estimate.size);
      size = this.#indexed(call, overload, size) ?? this.#known.sizeOf(call);
    }
    this.#known.setSize(call, size);
    return plus(targetCost, range ?? zero);
  }

  /** Estimates `dyn()`, which only disables type checking. */
  #dyn(call: Call, argument: Expression): Range {
    const cost = plus(one, this.cost(argument));
    this.#known.copy(call, argument);
    return cost;
  }

  /** Estimates the cost of calling one overload with its arguments. */
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
      case "conditional": {
        const branches = call.args.slice(1);
        this.#known.uniteEntries(call, branches);
        return { cost: plus(first, union(second, third)), size: this.#known.unionOfSizes(branches) };
      }
    }
    const { cost, ...rest } = this.#equality(overload, operands) ??
      model?.estimate(operands) ?? { cost: one };
    if (["add_list", "add_string", "add_bytes"].includes(overload.id))
      this.#known.uniteEntries(call, call.args);
    return { cost: plus(cost, sum(costs)), ...rest };
  }

  /** Estimates a comparison, if a library defines the cost for values of its types. */
  #equality({ id }: Overload, [left, right]: readonly Operand[]): CallEstimate | undefined {
    if (id !== "equals" || left === undefined || right === undefined || !sameType(left.type, right.type)) {
      return undefined;
    }
    return this.#environment.equality.get(left.type.name)?.([left, right]);
  }

  /** The size of the value at an index or key. For other overloads, the given size. */
  #indexed(call: Call, { id }: Overload, size: Range | undefined): Range | undefined {
    const [container] = call.args;
    if ((id !== "index_list" && id !== "index_map") || container === undefined) return size;
    const part = id === "index_list" ? "@items" : "@values";
    this.#known.setPath(call, this.#known.pathOf(container).append(part));
    return this.#known.entriesOf(container)?.value;
  }

  #list(list: Expression, elements: readonly Expression[]): Range {
    const costs = elements.map((element) => this.cost(element));
    this.#known.setEntries(list, { container: "list", key: one, value: this.#known.unionOfSizes(elements) });
    return plus(sum(costs), listBase);
  }

  #map(map: Expression, entries: readonly MapEntry[]): Range {
    const costs = entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = this.#known.unionOfSizes(entries.map((entry) => entry.key));
    const value = this.#known.unionOfSizes(entries.map((entry) => entry.value));
    this.#known.setEntries(map, { container: "map", key, value });
    return plus(sum(costs), mapBase);
  }

  #comprehension(loop: Comprehension): Range {
    const before = plus(this.cost(loop.range), this.cost(loop.initial));
    const [turn, result] = this.#known.within([[loop.accumulator, this.#known.alias(loop.initial)]], () => {
      const each = this.#known.within(this.#variables(loop), () =>
        plus(this.cost(loop.condition), this.cost(loop.step)),
      );
      return [each, this.cost(loop.result)];
    });
    const count = this.#known.sizeOrUnknown(loop.range);
    this.#gathered(loop, count);
    return sum([before, result, times(count, turn)]);
  }

  /** Sets the size of the result of a loop. */
  #gathered(loop: Comprehension, count: Range): void {
    const { initial, step } = loop;
    if (initial.kind === "literal") this.#known.setSize(loop, this.#known.sizeOf(initial));
    if (initial.kind !== "list" && initial.kind !== "map") return;
    this.#known.setSize(loop, count);
    this.#known.setEntries(loop, this.#known.entriesOf(step));
  }

  #variables({ range, variable, secondVariable }: Comprehension): readonly (readonly [string, Local])[] {
    const entries = this.#known.entriesOf(range);
    const isList = (entries?.container ?? this.#known.typeOf(range).kind) === "list";
    const path = this.#known.pathOf(range);
    const local = (part: string, size: Range | undefined): Local => ({
      path: path.append(part),
      size,
      entries: undefined,
    });
    if (secondVariable === undefined) {
      return [[variable, isList ? local("@items", entries?.value) : local("@keys", entries?.key)]];
    }
    return [
      [variable, local(isList ? "@indices" : "@keys", entries?.key)],
      [secondVariable, local(isList ? "@items" : "@values", entries?.value)],
    ];
  }

  #binding(loop: Comprehension): Range {
    const { range, initial, accumulator, result } = loop;
    const before = plus(this.cost(range), this.cost(initial));
    const cost = this.#known.within([[accumulator, this.#known.alias(initial)]], () => this.cost(result));
    this.#known.copy(loop, result);
    return plus(before, cost);
  }
}

/**
 * Reports whether a loop binds a variable: `let accumulator = initial in result`, as `NodeFactory.bind` makes
 * it.
 */
function isBinding({ range, condition }: Comprehension): boolean {
  const isEmpty = range.kind === "list" && range.elements.length === 0;
  return isEmpty && condition.kind === "literal" && condition.value === false;
}
