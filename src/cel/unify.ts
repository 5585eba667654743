import { errorType, isDyn, sameType, Type } from "./types.ts";

/**
 * What type parameters stand for, as far as the checker has found out (cel-go `checker/types.go`). Tests
 * for assignability bind parameters as they go; a test that fails leaves no trace.
 */
export class Substitution {
  readonly #bound = new Map<string, Type>();
  /** What the parameters that the present test binds stood for before. */
  readonly #before = new Map<string, Type | undefined>();

  /** Whether a value of type `from` may stand where `to` is wanted, or the other way round with null and dyn. */
  assign(to: readonly Type[], from: readonly Type[]): boolean {
    if (to.length !== from.length) return false;
    this.#before.clear();
    if (to.every((type, i) => this.#assignable(type, from[i] ?? errorType))) return true;
    for (const [name, type] of this.#before) {
      if (type === undefined) this.#bound.delete(name);
      else this.#bound.set(name, type);
    }
    return false;
  }

  /** Parameters replaced by what they stand for; those that stand for nothing yet by `free`, if given. */
  resolve(type: Type, free?: Type): Type {
    const bound = type.kind === "parameter" ? this.#bound.get(type.name) : undefined;
    if (bound !== undefined) return this.resolve(bound, free);
    if (type.kind === "parameter") return free ?? type;
    if (type.parameters.length === 0) return type;
    const parameters = type.parameters.map((one) => this.resolve(one, free));
    return new Type(type.kind, type.name, parameters, type.nullable);
  }

  #assignable(a: Type, b: Type): boolean {
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

  /** Lets the parameter stand for the type, if that agrees with what it stands for already. */
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
  }

  /** Whether the parameter does not occur in the type: otherwise it would contain itself. */
  #free(variable: Type, within: Type): boolean {
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

/** Of two types that agree, the one that says less. */
export const mostGeneral = (a: Type, b: Type): Type => (isLessSpecific(a, b) ? a : b);

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
