import { type Expression, operators } from "./ast.ts";
import { spend } from "./effort.ts";
import { type Macro, NodeFactory } from "./macros.ts";
import { SyntaxIssue } from "./source.ts";

/** The maximum depth of a tree. The default of cel-go. */
const deepest = 250;
/**
 * The maximum number of nodes. Only macros that copy their target exceed it, because each use doubles the
 * size.
 */
const mostNodes = 75_000;
/** The steps for making, checking, planning and estimating a node. */
const stepsPerNode = 100;

/** Operators whose chains deepen the tree without nesting in the grammar. */
const deepening: ReadonlySet<string> = new Set([
  operators.conditional,
  operators.less,
  operators.lessEquals,
  operators.greater,
  operators.greaterEquals,
  operators.equals,
  operators.notEquals,
  operators.in,
  operators.add,
  operators.subtract,
  operators.multiply,
  operators.divide,
  operators.modulo,
  operators.index,
  operators.optionalIndex,
  operators.optionalSelect,
]);

export const macroKey = (name: string, receiver: boolean, args: number) =>
  `${receiver ? "." : ""}${name}:${args}`;

/**
 * Numbers the nodes of a tree, expands macros and bounds the depth, because the tree is walked recursively.
 */
export class TreeBuilder {
  readonly #macros: ReadonlyMap<string, Macro>;
  /**
   * The depth of the tree below a node, by id. Nodes that only deepen by nesting in the grammar are not
   * counted.
   */
  readonly #depths: number[] = [];
  #lastId = 0;

  /** The macros are indexed by `macroKey`. */
  constructor(macros: ReadonlyMap<string, Macro>) {
    this.#macros = macros;
  }

  /** Allocates a node id. @throws SyntaxIssue, BudgetExceeded */
  id(): number {
    this.#lastId += 1;
    spend(stepsPerNode);
    if (this.#lastId > mostNodes) throw new SyntaxIssue(`expression exceeds ${mostNodes} nodes`, undefined);
    return this.#lastId;
  }

  /** Allocates the id of a parent of these nodes. @throws SyntaxIssue */
  idAbove(below: readonly Expression[], weight = 0): number {
    const id = this.id();
    this.#deepen(id, below, weight);
    return id;
  }

  /** Makes a call, or expands its macro. @throws SyntaxIssue */
  call(
    name: string,
    offset: number,
    target: Expression | undefined,
    args: readonly Expression[],
  ): Expression {
    const expression = this.#expand(name, offset, target, args) ?? {
      id: this.id(),
      offset,
      kind: "call",
      name,
      target,
      args,
    };
    const below = target === undefined ? args : [target, ...args];
    this.#deepen(expression.id, below, target !== undefined || deepening.has(name) ? 1 : 0);
    return expression;
  }

  #expand(
    name: string,
    offset: number,
    target: Expression | undefined,
    args: readonly Expression[],
  ): Expression | undefined {
    const macro = this.#macros.get(macroKey(name, target !== undefined, args.length));
    const make = new NodeFactory(offset, () => this.id());
    if (macro?.receiver === false) return macro.expand(make, ...args);
    return macro && target && macro.expand(make, target, ...args);
  }

  #deepen(id: number, below: readonly Expression[], weight: number): void {
    const depth = below.reduce((most, node) => Math.max(most, this.#depths[node.id] ?? 0), 0) + weight;
    if (depth > deepest) throw new SyntaxIssue("max recursion depth exceeded", undefined);
    this.#depths[id] = depth;
  }
}
