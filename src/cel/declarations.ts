import type { Call, Expression } from "./ast.ts";
import type { CostModel } from "./cost/model.ts";
import type { Macro } from "./macros.ts";
import type { Planned } from "./plan/planned.ts";
import type { Issue } from "./source.ts";
import type { Type } from "./type.ts";
import { type CelError, noSuchOverload, type Result, type Value } from "./values.ts";

/**
 * The declarations of a library. A function has overloads; an overload is one line:
 *
 *     member("string_trim", [string], string, (text) => text.trim(), traversal)
 *
 * The implementation is only called with values of the declared types, and never with errors.
 */
export interface Library {
  readonly functions: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** Names of types that expressions can use as values, such as `net.IP`. */
  readonly types?: readonly Type[];
  /** The estimated cost of `==` for values of the library's types, by the type's name. */
  readonly equality?: Readonly<Record<string, CostModel["estimate"]>>;
  /** True when `a.?b`, `a[?b]` and `[?a]` are allowed. */
  readonly optionalSyntax?: boolean;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** The cost of overloads without their own cost, and of calls whose overload depends on the values. */
  readonly cost?: CostModel;
  /** The plan of operators such as `&&`, which do not always evaluate all of their arguments. */
  readonly plan?: SpecialForm;
  /** True when a call with constants is a constant. An error in it is then a compilation error. */
  readonly folds?: boolean;
  /** True when list and map literals in the arguments, at any depth, may mix types. */
  readonly mixesTypes?: boolean;
  /** The part of a call that an error about argument types names. By default, it names the whole call. */
  readonly blames?: "function" | "nothing";
  /** Reports whether a literal is valid as the first argument. Otherwise the expression does not compile. */
  readonly acceptsLiteral?: (literal: Value) => boolean;
  /** Returns the issues of a call's literals whose types are correct. Runs after all other checks. */
  readonly checkCall?: (call: Call, typeOf: (expression: Expression) => Type) => readonly Issue[];
}

export interface Overload {
  /** Unique, and the same as upstream's. */
  readonly id: string;
  /** True for a call on the first argument: `x.f(y)`. */
  readonly member: boolean;
  readonly parameters: readonly Type[];
  readonly result: Type;
  readonly call: (...args: readonly Value[]) => Result;
  /** One unit by default. */
  readonly cost?: CostModel;
}

/**
 * The plan of a call that is not a function of its arguments' values only: `&&` stops at the deciding value.
 * Undefined for an ordinary call.
 */
export type SpecialForm = (args: readonly Planned[], overloads: readonly Overload[]) => Planned | undefined;

/** The JavaScript types of values of some CEL types. */
type Held<T extends readonly Type[]> = { readonly [K in keyof T]: T[K] extends Type<infer V> ? V : never };

/** Declares `x.name(…)`, where `x` is the first parameter. */
export const member = declare(true);
/** Declares `name(…)`. */
export const global = declare(false);

/** Declares an overload of a function with a plan, which never calls the overload. */
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
    // The planner only calls it with values of the parameters' types.
    call: call as unknown as Overload["call"],
    ...(cost && { cost }),
  });
}
