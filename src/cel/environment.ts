import type { CostModel } from "./cost/model.ts";
import type { FunctionDeclaration, Library } from "./declarations.ts";
import type { Macro } from "./macros.ts";
import { macroKey } from "./tree-builder.ts";
import type { Type } from "./type.ts";
import type { Result, Value } from "./values.ts";

/** A source of object types, such as those of a schema. Their names are absolute and ignore the container. */
export interface TypeProvider {
  /** Returns the type of this name. */
  findType(name: string): Type | undefined;
  /** Returns the type of a field of the object type `type`. */
  findField(type: string, field: string): Type | undefined;
  /** Makes an object for `Type{field: value}`. Without this method, expressions cannot make objects. */
  construct?(type: string, fields: ReadonlyMap<string, Value>): Result;
}

/** The meaning of the names in an expression. */
export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly macros: ReadonlyMap<string, Macro>;
  readonly variables: ReadonlyMap<string, Type>;
  /** The types that expressions can name. */
  readonly typeNames: ReadonlyMap<string, Type>;
  readonly types: readonly TypeProvider[];
  /**
   * The namespace in which names are looked up first. In container `a.b`, `x` is looked up as `a.b.x`, `a.x`
   * and `x`.
   */
  readonly container: string;
  readonly optionalSyntax: boolean;
  /** The estimated cost of comparing values of some types, by the type's name. */
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

/** Adds variables and types to an environment. Cheap, because functions and macros are shared. */
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
