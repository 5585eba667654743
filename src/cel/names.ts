import type { Overload, FunctionDeclaration } from "./declarations.ts";
import type { Environment } from "./environment.ts";
import { Scope } from "./scope.ts";
import type { Type } from "./type.ts";
import { typeOf } from "./types.ts";

/** What a name or a call means. */
export type Reference =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "type"; readonly type: Type }
  | {
      readonly kind: "function";
      readonly declaration: FunctionDeclaration;
      /** Those that fit the arguments' types; several when only the values can tell. */
      readonly overloads: readonly Overload[];
      /** `a.f(x)` meant the function `a.f`, so there is no receiver. */
      readonly qualified: boolean;
    };

export interface Meaning {
  readonly reference: Reference;
  readonly type: Type;
}

/** Looks names up: in the comprehensions around, in the environment, among the types. */
export class Names {
  readonly #environment: Environment;
  /** Variables of comprehensions. */
  readonly #locals = new Scope<Type>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  get container(): string {
    return this.#environment.container;
  }

  /** Does something where there are more variables. */
  within<T>(variables: ReadonlyMap<string, Type>, something: () => T): T {
    return this.#locals.within(variables, something);
  }

  resolve(name: string): Meaning | undefined {
    for (const candidate of this.#candidates(name)) {
      const variable = this.#variable(candidate);
      if (variable !== undefined) return { reference: { kind: "variable", name: candidate }, type: variable };
      const type = this.#typeNamed(candidate);
      if (type !== undefined) return { reference: { kind: "type", type }, type: typeOf(type) };
    }
    return undefined;
  }

  function(name: string): FunctionDeclaration | undefined {
    for (const candidate of this.#candidates(name)) {
      const declaration = this.#environment.functions.get(candidate);
      if (declaration !== undefined) return declaration;
    }
    return undefined;
  }

  /** Whether somebody knows the fields of an object type. */
  isObject(typeName: string): boolean {
    return this.#environment.types.some((provider) => provider.findType(typeName) !== undefined);
  }

  field(typeName: string, field: string): Type | undefined {
    for (const provider of this.#environment.types) {
      const found = provider.findField(typeName, field);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #variable(name: string): Type | undefined {
    return this.#locals.get(name) ?? this.#environment.variables.get(name);
  }

  #typeNamed(name: string): Type | undefined {
    const { types, typeNames } = this.#environment;
    for (const provider of types) {
      const type = provider.findType(name);
      if (type !== undefined) return type;
    }
    return typeNames.get(name);
  }

  /** What a name may stand for in the container, in the order in which upstream tries it. */
  #candidates(name: string): readonly string[] {
    if (name.startsWith(".")) return [name.slice(1)];
    const { container } = this.#environment;
    const parts = container === "" ? [] : container.split(".");
    return [...parts.map((_, i) => `${parts.slice(0, parts.length - i).join(".")}.${name}`), name];
  }
}
