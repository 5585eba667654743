import { type Expression, hiddenAccumulator, operators } from "../ast.ts";
import { type Macro, type NodeFactory, variableName } from "../macros.ts";
import { SyntaxIssue } from "../source.ts";

/** The range and the variables of a macro's loop. */
export interface Loop {
  readonly range: Expression;
  readonly variable: string;
  readonly secondVariable: string | undefined;
}

/** Makes a test whether the predicate is true for all elements. */
export function all(make: NodeFactory, loop: Loop, predicate: Expression): Expression {
  return make.comprehension({
    ...loop,
    accumulator: hiddenAccumulator,
    initial: make.literal(true),
    condition: make.call(operators.notStrictlyFalse, make.accumulator()),
    step: make.call(operators.and, make.accumulator(), predicate),
    result: make.accumulator(),
  });
}

/** Makes a test whether the predicate is true for an element. */
export function exists(make: NodeFactory, loop: Loop, predicate: Expression): Expression {
  return make.comprehension({
    ...loop,
    accumulator: hiddenAccumulator,
    initial: make.literal(false),
    condition: make.call(operators.notStrictlyFalse, make.call(operators.not, make.accumulator())),
    step: make.call(operators.or, make.accumulator(), predicate),
    result: make.accumulator(),
  });
}

/**
 * Makes a test whether the predicate is true for exactly one element. All elements are tested, so that errors
 * count.
 */
export function existsOne(make: NodeFactory, loop: Loop, predicate: Expression): Expression {
  const oneMore = make.call(operators.add, make.accumulator(), make.literal(1));
  return make.comprehension({
    ...loop,
    accumulator: hiddenAccumulator,
    initial: make.literal(0),
    condition: make.literal(true),
    step: make.call(operators.conditional, predicate, oneMore, make.accumulator()),
    result: make.call(operators.equals, make.accumulator(), make.literal(1)),
  });
}

/**
 * Makes a loop that starts with an empty list or map and applies `step` to every element that passes
 * `filter`.
 */
export function gather(
  make: NodeFactory,
  loop: Loop,
  initial: Expression,
  step: Expression,
  filter: Expression | undefined,
): Expression {
  return make.comprehension({
    ...loop,
    accumulator: hiddenAccumulator,
    initial,
    condition: make.literal(true),
    step: filter === undefined ? step : make.call(operators.conditional, filter, step, make.accumulator()),
    result: make.accumulator(),
  });
}

/** Makes the step that appends an element to a list. */
export const append = (make: NodeFactory, element: Expression): Expression =>
  make.call(operators.add, make.accumulator(), make.list(element));

function oneVariable(range: Expression, name: Expression, problem: string): Loop {
  return { range, variable: variableName(name, problem), secondVariable: undefined };
}

const quantifier = (name: string, body: typeof all): Macro => ({
  name,
  receiver: true,
  args: 2,
  expand: (make, target, variable: Expression, predicate: Expression) =>
    body(make, oneVariable(target, variable, "argument must be a simple name"), predicate),
});

const notAnIdentifier = "argument is not an identifier";

export const macros: readonly Macro[] = [
  {
    name: "has",
    receiver: false,
    args: 1,
    expand: (make, field: Expression) => {
      if (field.kind === "select") return make.test(field.operand, field.field);
      throw new SyntaxIssue("invalid argument to has() macro", field.offset);
    },
  },
  quantifier("all", all),
  quantifier("exists", exists),
  quantifier("exists_one", existsOne),
  quantifier("existsOne", existsOne),
  {
    name: "map",
    receiver: true,
    args: 2,
    expand: (make, target, variable: Expression, transform: Expression) => {
      const loop = oneVariable(target, variable, notAnIdentifier);
      return gather(make, loop, make.list(), append(make, transform), undefined);
    },
  },
  {
    name: "map",
    receiver: true,
    args: 3,
    expand: (make, target, variable: Expression, predicate: Expression, transform: Expression) => {
      const loop = oneVariable(target, variable, notAnIdentifier);
      return gather(make, loop, make.list(), append(make, transform), predicate);
    },
  },
  {
    name: "filter",
    receiver: true,
    args: 2,
    expand: (make, target, variable: Expression, predicate: Expression) => {
      const loop = oneVariable(target, variable, notAnIdentifier);
      return gather(make, loop, make.list(), append(make, variable), predicate);
    },
  },
];
