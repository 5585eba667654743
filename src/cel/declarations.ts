import type { Call, Expression } from "./ast.ts";
import type { CostModel } from "./cost/model.ts";
import type { Macro } from "./macros.ts";
import type { Planned } from "./plan/planned.ts";
import type { Issue } from "./source.ts";
import type { Type } from "./type.ts";
import { type CelError, noSuchOverload, type Result, type Value } from "./values.ts";

/**
 * What a library brings along. A function has overloads; an overload is one line:
 *
 *     member("string_trim", [string], string, (text) => text.trim(), traversal)
 *
 * Its implementation is only called with values of the declared types and never with errors.
 */
export interface Library {
  readonly functions: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** Names that expressions may use as type values, such as `net.IP`. */
  readonly types?: readonly Type[];
  /** What `==` is estimated to cost for values of a type of this library, by the type's name. */
  readonly equality?: Readonly<Record<string, CostModel["estimate"]>>;
  /** Whether `a.?b`, `a[?b]` and `[?a]` may be written. */
  readonly optionalSyntax?: boolean;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** Of overloads without a cost of their own, also when only the values will tell which one is meant. */
  readonly cost?: CostModel;
  /** Of operators such as `&&`, which do not always work out all of their arguments. */
  readonly plan?: SpecialForm;
  /** Whether a call with constants is itself a constant, and an error in it one of compilation. */
  readonly folds?: boolean;
  /** Whether list and map literals anywhere in its arguments may mix types. */
  readonly mixesTypes?: boolean;
  /** What an error about arguments of the wrong types names; all of the call where this is not said. */
  readonly blames?: "function" | "nothing";
  /** Whether the first argument makes sense, when it is a literal: otherwise the expression does not compile. */
  readonly acceptsLiteral?: (literal: Value) => boolean;
  /** What is wrong with the literals in a call, though their types are right. Looked at after all else. */
  readonly checkCall?: (call: Call, typeOf: (expression: Expression) => Type) => readonly Issue[];
}

export interface Overload {
  /** Unique; the same as upstream's. */
  readonly id: string;
  /** Called on its first argument: `x.f(y)`. */
  readonly member: boolean;
  readonly parameters: readonly Type[];
  readonly result: Type;
  readonly call: (...args: readonly Value[]) => Result;
  /** One unit where there is none. */
  readonly cost?: CostModel;
}

/**
 * The plan of a call that is no function of its arguments' values alone: `&&` stops at the value that decides. Undefined
 * for an ordinary call.
 */
export type SpecialForm = (args: readonly Planned[], overloads: readonly Overload[]) => Planned | undefined;

/** How the values of some types are held. */
type Held<T extends readonly Type[]> = { readonly [K in keyof T]: T[K] extends Type<infer V> ? V : never };

/** `x.name(…)`, where `x` is the first of the parameters. */
export const member = declare(true);
/** `name(…)`. */
export const global = declare(false);

/** An overload of a function that has a plan, which never calls it. */
export const planned = (
  id: string,
  parameters: readonly Type[],
  result: Type,
  cost?: CostModel,
): Overload => ({
  id,
  member: false,
  parameters,
  result,
  call: () => noSuchOverload,
  ...(cost && { cost }),
});

function declare(member: boolean) {
  return <const P extends readonly Type[], V extends Value>(
    id: string,
    parameters: P,
    result: Type<V>,
    call: (...args: Held<P>) => V | CelError,
    cost?: CostModel,
  ): Overload => ({
    id,
    member,
    parameters,
    result,
    // The planner only calls it with values that the parameters' types hold.
    call: call as unknown as Overload["call"],
    ...(cost && { cost }),
  });
}
