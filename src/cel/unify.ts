import { dyn, errorType, isDyn, sameType } from "./types.ts";
import { Type } from "./type.ts";

/**
 * The bindings of type parameters (cel-go `checker/types.go`). Tests for assignability bind parameters; a
 * failed test restores the bindings. Types without parameters are never copied, so comparing a type with
 * itself takes one step, whatever its size.
 */
export class Substitution {
  readonly #bound = new Map<string, Type>();
  /** The previous bindings of the parameters that the current test binds. */
  readonly #before = new Map<string, Type | undefined>();
  /** Resolved open types, until the next binding. Types often share their parts. */
  readonly #resolved = new Map<Type, Type>();
  readonly #closed = new Map<Type, Type>();

  /**
   * Reports whether a value of type `from` is assignable to type `to`. For null and dyn, also in the other
   * direction.
   */
  assign(to: readonly Type[], from: readonly Type[]): boolean {
    if (to.length !== from.length) return false;
    this.#before.clear();
    if (to.every((type, i) => this.#assignable(type, from[i] ?? errorType))) return true;
    if (this.#before.size > 0) this.#forget();
    for (const [name, type] of this.#before) {
      if (type === undefined) this.#bound.delete(name);
      else this.#bound.set(name, type);
    }
    return false;
  }

  /** Replaces bound parameters by their types. */
  resolve(type: Type): Type {
    return this.#resolve(type, this.#resolved, undefined);
  }

  /** Replaces bound parameters by their types and unbound ones by dyn. */
  close(type: Type): Type {
    return this.#resolve(type, this.#closed, dyn);
  }

  #resolve(type: Type, known: Map<Type, Type>, free: Type | undefined): Type {
    if (!type.open) return type;
    if (type.kind === "parameter") {
      const bound = this.#bound.get(type.name);
      return bound === undefined ? (free ?? type) : this.#resolve(bound, known, free);
    }
    const before = known.get(type);
    if (before !== undefined) return before;
    const parameters = type.parameters.map((one) => this.#resolve(one, known, free));
    const isSame = parameters.every((one, i) => one === type.parameters[i]);
    const resolved = isSame ? type : new Type(type.kind, type.name, parameters, type.nullable);
    known.set(type, resolved);
    return resolved;
  }

  #assignable(a: Type, b: Type): boolean {
    if (a === b) return true;
    if (b.kind === "parameter") {
      if (this.#bind(b, a)) return true;
      if (this.#bound.has(b.name)) return false;
    }
    if (a.kind === "parameter") return this.#bind(a, b);
    if (isDyn(a) || isDyn(b) || a.kind === "error" || b.kind === "error") return true;
    if (a.kind === "null") return acceptsNull(b);
    if (b.kind === "null") return acceptsNull(a);
    if (a.kind === "type" || a.kind !== b.kind) return a.kind === b.kind;
    return (
      a.name === b.name &&
      a.parameters.length === b.parameters.length &&
      a.parameters.every((own, i) => this.#assignable(own, b.parameters[i] ?? errorType))
    );
  }

  /** Binds a parameter to a type, if that agrees with its current binding. */
  #bind(variable: Type, type: Type): boolean {
    if (sameType(variable, type)) return true;
    const bound = this.#bound.get(variable.name);
    if (bound === undefined) {
      if (!this.#free(variable, type)) return false;
      this.#set(variable, type);
      return true;
    }
    if (sameType(bound, type)) return true;
    if (!this.#assignable(type, bound)) return false;
    const general = mostGeneral(type, bound);
    if (this.#free(variable, general)) this.#set(variable, general);
    return true;
  }

  #set({ name }: Type, type: Type): void {
    if (!this.#before.has(name)) this.#before.set(name, this.#bound.get(name));
    this.#bound.set(name, type);
    this.#forget();
  }

  #forget(): void {
    if (this.#resolved.size > 0) this.#resolved.clear();
    if (this.#closed.size > 0) this.#closed.clear();
  }

  /**
   * Reports whether the type does not contain the parameter. Otherwise the bound type would contain itself.
   */
  #free(variable: Type, within: Type): boolean {
    if (!within.open) return true;
    if (sameType(variable, within)) return false;
    if (within.kind === "parameter") {
      const bound = this.#bound.get(within.name);
      return bound === undefined || this.#free(variable, bound);
    }
    return within.parameters.every((one) => this.#free(variable, one));
  }
}

function acceptsNull(type: Type): boolean {
  return type.nullable || ["null", "opaque", "object", "duration", "timestamp"].includes(type.kind);
}

/** The more general of two types that agree. */
export const mostGeneral = (a: Type, b: Type): Type => (a === b || isLessSpecific(a, b) ? a : b);

function isLessSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === "parameter") return true;
  if (isDyn(b) || b.kind === "parameter" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.parameters.length === 0) return sameType(a, b);
  return (
    a.name === b.name &&
    a.parameters.length === b.parameters.length &&
    a.parameters.every((own, i) => isLessSpecific(own, b.parameters[i] ?? errorType))
  );
}
