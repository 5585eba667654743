import type { CostModel } from "./cost/model.ts";
import type { FunctionDeclaration, Library } from "./declarations.ts";
import type { Macro } from "./macros.ts";
import { macroKey } from "./tree-builder.ts";
import type { Type } from "./type.ts";
import type { Result, Value } from "./values.ts";

/** Object types from outside, such as those of a schema. Names are global: containers do not matter to it. */
export interface TypeProvider {
  /** The type of this name. */
  findType(name: string): Type | undefined;
  /** The type of a field of the object type `type`. */
  findField(type: string, field: string): Type | undefined;
  /** A new object, `Type{field: value}`. Where there is none, expressions cannot make objects. */
  construct?(type: string, fields: ReadonlyMap<string, Value>): Result;
}

/** What the names in an expression mean. */
export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly macros: ReadonlyMap<string, Macro>;
  readonly variables: ReadonlyMap<string, Type>;
  /** Types that expressions may name. */
  readonly typeNames: ReadonlyMap<string, Type>;
  readonly types: readonly TypeProvider[];
  /** Where names are looked for before they are looked for as they stand: `a.b` for `a.b.x`, then `a.x`, then `x`. */
  readonly container: string;
  readonly optionalSyntax: boolean;
  /** What comparing values of some types is estimated to cost, by the type's name. */
  readonly equality: ReadonlyMap<string, CostModel["estimate"]>;
}

export interface EnvironmentOptions {
  readonly libraries: readonly Library[];
  readonly variables?: Readonly<Record<string, Type>>;
  readonly types?: readonly TypeProvider[];
  readonly container?: string;
}

export function environment(options: EnvironmentOptions): Environment {
  const functions = new Map<string, FunctionDeclaration>();
  const macros = new Map<string, Macro>();
  const typeNames = new Map<string, Type>();
  const equality = new Map(options.libraries.flatMap((library) => Object.entries(library.equality ?? {})));
  for (const library of options.libraries) {
    for (const declaration of library.functions) {
      functions.set(declaration.name, merge(functions.get(declaration.name), declaration));
    }
    for (const macro of library.macros ?? [])
      macros.set(macroKey(macro.name, macro.receiver, macro.args), macro);
    for (const type of library.types ?? []) typeNames.set(type.name, type);
  }
  const { container = "" } = options;
  const optionalSyntax = options.libraries.some((library) => library.optionalSyntax === true);
  const none = { variables: new Map<string, Type>(), types: [] };
  const base = { functions, macros, typeNames, equality, ...none, container, optionalSyntax };
  return extend(base, options);
}

/** The same environment with more variables and types. Cheap: functions and macros are shared. */
export function extend(
  base: Environment,
  { variables = {}, types = [] }: Pick<EnvironmentOptions, "variables" | "types">,
): Environment {
  return {
    ...base,
    variables: new Map([...base.variables, ...Object.entries(variables)]),
    types: [...base.types, ...types],
  };
}

function merge(known: FunctionDeclaration | undefined, more: FunctionDeclaration): FunctionDeclaration {
  if (known === undefined) return more;
  const cost = known.cost ?? more.cost;
  return { ...known, ...more, overloads: [...known.overloads, ...more.overloads], ...(cost && { cost }) };
}
