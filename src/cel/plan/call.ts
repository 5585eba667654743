import type { Call } from "../ast.ts";
import type { CostModel } from "../cost/model.ts";
import type { FunctionDeclaration, Overload } from "../declarations.ts";
import { Frame } from "../frame.ts";
import { CelError, type Result, type Value } from "../values.ts";
import { type Dispatch, dispatcher } from "./dispatch.ts";
import { constant, type Planned, PlanError, type Step } from "./planned.ts";
import type { PlanContext } from "./plan-context.ts";

export function planCall(planner: PlanContext, call: Call): Planned {
  const reference = planner.reference(call);
  if (reference?.kind !== "function") return { run: () => new CelError(`no such overload: ${call.name}`) };
  const { declaration, overloads, qualified } = reference;
  const operands = call.target === undefined || qualified ? call.args : [call.target, ...call.args];
  const args = operands.map((operand) => planner.plan(operand));
  const special = declaration.plan?.(args, overloads);
  if (special !== undefined) return special;
  const planned: Planned = {
    run: invocation(
      declaration,
      overloads,
      args.map(({ run }) => run),
    ),
  };
  const isConstant = declaration.folds === true && args.every((arg) => arg.constant !== undefined);
  return isConstant ? fold(planned.run) : planned;
}

function fold(run: Step): Planned {
  const value = run(new Frame({}, 0, Number.POSITIVE_INFINITY));
  if (value instanceof CelError) throw new PlanError(value.message);
  return constant(value);
}

/**
 * Plans the choice of the overload and the cost of a call. If several overloads remain, all overloads of the
 * function are tried.
 */
function invocation(
  declaration: FunctionDeclaration,
  overloads: readonly Overload[],
  args: readonly Step[],
): Step {
  const [only] = overloads;
  const isResolved = only !== undefined && overloads.length === 1;
  // A function with one implementation accepts all of its overloads' types, even if the checker found a
  // single overload.
  const others = isResolved && declaration.blames === undefined ? [] : declaration.overloads;
  const candidates = isResolved ? [only, ...others] : others;
  const dispatch = dispatcher(declaration, candidates, args.length);
  const cost = (isResolved ? only.cost : undefined) ?? declaration.cost;
  // Without a common implementation, upstream tries the overloads one by one, as functions with many
  // arguments.
  if (!isResolved && declaration.blames === undefined) return variadic(dispatch, args, cost);
  return application(dispatch, args, cost);
}

/** Plans a call of a function that dispatches on its arguments. */
export function application(dispatch: Dispatch, args: readonly Step[], cost: CostModel | undefined): Step {
  const [first, second] = args;
  if (first !== undefined && args.length === 1) return unary(dispatch, first, cost);
  if (first !== undefined && second !== undefined && args.length === 2)
    return binary(dispatch, first, second, cost);
  return variadic(dispatch, args, cost);
}

function charge(frame: Frame, cost: CostModel | undefined, args: readonly Result[], result: Result): Result {
  frame.charge(cost === undefined ? 1 : cost.actual(args, result));
  return result;
}

function unary(dispatch: Dispatch, step: Step, cost: CostModel | undefined): Step {
  return (frame) => {
    const arg = step(frame);
    const result = arg instanceof CelError ? arg : dispatch([arg]);
    return charge(frame, cost, [arg], result);
  };
}

/** Evaluates and charges both arguments, even if the first one is an error. */
function binary(dispatch: Dispatch, first: Step, second: Step, cost: CostModel | undefined): Step {
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    const args = [a, b];
    if (a instanceof CelError) return charge(frame, cost, args, a);
    if (b instanceof CelError) return charge(frame, cost, args, b);
    return charge(frame, cost, args, dispatch([a, b]));
  };
}

/**
 * Stops at the first argument that is an error. As upstream, the call is then only charged if that argument
 * is the last one.
 */
export function variadic(dispatch: Dispatch, steps: readonly Step[], cost: CostModel | undefined): Step {
  return (frame) => {
    const args: Value[] = [];
    for (const step of steps) {
      const arg = step(frame);
      if (arg instanceof CelError) {
        return args.length + 1 < steps.length ? arg : charge(frame, cost, [...args, arg], arg);
      }
      args.push(arg);
    }
    return charge(frame, cost, args, dispatch(args));
  };
}
