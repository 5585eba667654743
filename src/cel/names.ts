import type { Overload, FunctionDeclaration } from "./declarations.ts";
import type { Environment } from "./environment.ts";
import { Scope } from "./scope.ts";
import type { Type } from "./type.ts";
import { typeOf } from "./types.ts";

/** The meaning of a name or a call. */
export type Reference =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "type"; readonly type: Type }
  | {
      readonly kind: "function";
      readonly declaration: FunctionDeclaration;
      /**
       * The overloads that match the arguments' types. Several remain if the choice depends on the values.
       */
      readonly overloads: readonly Overload[];
      /** True when `a.f(x)` is a call of the function `a.f`, so that there is no receiver. */
      readonly qualified: boolean;
    };

export interface Meaning {
  readonly reference: Reference;
  readonly type: Type;
}

/** Resolves names: variables of comprehensions, variables of the environment, types. */
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

  /** Runs `something` with additional variables in scope. */
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

  /** Reports whether a type provider knows the fields of an object type. */
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

  /** The absolute names that a name can mean in the container, in upstream's order. */
  #candidates(name: string): readonly string[] {
    if (name.startsWith(".")) return [name.slice(1)];
    const { container } = this.#environment;
    const parts = container === "" ? [] : container.split(".");
    return [...parts.map((_, i) => `${parts.slice(0, parts.length - i).join(".")}.${name}`), name];
  }
}
