import {
  type Comprehension,
  type Expression,
  hiddenAccumulator,
  type MapEntry,
  type StructField,
} from "./ast.ts";
import { SyntaxIssue } from "./source.ts";
import type { Value } from "./values.ts";

/** A macro: a call that the parser replaces by another expression. `expand` may throw a `SyntaxIssue`. */
export type Macro = GlobalMacro | ReceiverMacro;

interface GlobalMacro {
  readonly name: string;
  readonly receiver: false;
  readonly args: number;
  readonly expand: (make: NodeFactory, ...args: readonly Expression[]) => Expression;
}

interface ReceiverMacro {
  readonly name: string;
  readonly receiver: true;
  /** The number of arguments, without the target. */
  readonly args: number;
  /** Expands the call. Undefined when the call is not a use of this macro. */
  readonly expand: (
    make: NodeFactory,
    target: Expression,
    ...args: readonly Expression[]
  ) => Expression | undefined;
}

/** Makes nodes, all with the offset of the macro's call. */
export class NodeFactory {
  readonly #offset: number;
  readonly #nextId: () => number;

  constructor(offset: number, nextId: () => number) {
    this.#offset = offset;
    this.#nextId = nextId;
  }

  #node() {
    return { id: this.#nextId(), offset: this.#offset };
  }

  literal(value: Value): Expression {
    return { ...this.#node(), kind: "literal", value };
  }

  identifier(name: string): Expression {
    return { ...this.#node(), kind: "identifier", name };
  }

  accumulator(): Expression {
    return this.identifier(hiddenAccumulator);
  }

  call(name: string, ...args: readonly Expression[]): Expression {
    return { ...this.#node(), kind: "call", name, target: undefined, args };
  }

  memberCall(name: string, target: Expression, ...args: readonly Expression[]): Expression {
    return { ...this.#node(), kind: "call", name, target, args };
  }

  list(...values: readonly Expression[]): Expression {
    return { ...this.#node(), kind: "list", elements: values.map((value) => ({ value, optional: false })) };
  }

  map(): Expression {
    return { ...this.#node(), kind: "map", entries: [] };
  }

  test(operand: Expression, field: string): Expression {
    return { ...this.#node(), kind: "select", operand, field, test: true };
  }

  comprehension(parts: Omit<Comprehension, "id" | "offset" | "kind">): Expression {
    return { ...this.#node(), kind: "comprehension", ...parts };
  }

  /** Makes `let name = value in body`. The value is evaluated when it is first read. */
  bind(name: string, value: Expression, body: Expression): Expression {
    return this.comprehension({
      range: this.list(),
      variable: "#unused",
      secondVariable: undefined,
      accumulator: name,
      initial: value,
      condition: this.literal(false),
      step: this.identifier(name),
      result: body,
    });
  }

  /** Copies an expression with new ids, for a second use in the tree. */
  copy(expression: Expression): Expression {
    const id = this.#nextId();
    switch (expression.kind) {
      case "literal":
      case "identifier":
        return { ...expression, id };
      case "select":
        return { ...expression, id, operand: this.copy(expression.operand) };
      case "call": {
        const target = expression.target && this.copy(expression.target);
        return { ...expression, id, target, args: expression.args.map((arg) => this.copy(arg)) };
      }
      case "list": {
        const elements = expression.elements.map((one) => ({ ...one, value: this.copy(one.value) }));
        return { ...expression, id, elements };
      }
      case "map":
        return { ...expression, id, entries: expression.entries.map((entry) => this.#copyEntry(entry)) };
      case "struct":
        return { ...expression, id, fields: expression.fields.map((field) => this.#copyField(field)) };
      case "comprehension":
        return this.#copyComprehension(expression);
    }
  }

  #copyEntry(entry: MapEntry): MapEntry {
    return { ...entry, id: this.#nextId(), key: this.copy(entry.key), value: this.copy(entry.value) };
  }

  #copyField(field: StructField): StructField {
    return { ...field, id: this.#nextId(), value: this.copy(field.value) };
  }

  #copyComprehension(loop: Comprehension): Comprehension {
    return {
      ...loop,
      id: this.#nextId(),
      range: this.copy(loop.range),
      initial: this.copy(loop.initial),
      condition: this.copy(loop.condition),
      step: this.copy(loop.step),
      result: this.copy(loop.result),
    };
  }
}

/** The name of a loop's variable from an argument. @throws SyntaxIssue */
export function variableName(argument: Expression, problem: string): string {
  if (argument.kind !== "identifier") throw new SyntaxIssue(problem, argument.offset);
  if (argument.name === hiddenAccumulator || argument.name === "__result__") {
    throw new SyntaxIssue("iteration variable overwrites accumulator variable", argument.offset);
  }
  return argument.name;
}
