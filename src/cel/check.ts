import {
  type Call,
  type Comprehension,
  type Expression,
  operators,
  qualifiedName,
  type Select,
  type StructLiteral,
} from "./ast.ts";
import type { FunctionDeclaration, Overload } from "./declarations.ts";
import type { Environment } from "./environment.ts";
import { Names, type Reference } from "./names.ts";
import type { Issue } from "./source.ts";
import {
  bool,
  dyn,
  errorType,
  firstParameter,
  int,
  isDyn,
  listOf,
  mapOf,
  optionalOf,
  parameter,
  sameType,
  secondParameter,
  unwrapOptional,
} from "./types.ts";
import type { Type } from "./type.ts";
import { mostGeneral, Substitution } from "./unify.ts";
import { runtimeType } from "./runtime-type.ts";

export interface Checked {
  readonly expression: Expression;
  /** The types by node id. */
  readonly types: readonly (Type | undefined)[];
  /** The references by node id. */
  readonly references: readonly (Reference | undefined)[];
}

export interface CheckResult {
  readonly checked: Checked;
  readonly issues: readonly Issue[];
}

/**
 * Infers the types of an expression and resolves its names. The rules and messages are cel-go's (`checker/`).
 */
export function check(environment: Environment, expression: Expression): CheckResult {
  const checker = new Checker(environment);
  checker.check(expression);
  return { checked: checker.result(expression), issues: checker.issues };
}

/**
 * The maximum number of parts of a type. `{a: a}` has a type with twice as many parts as `a`, so that a short
 * expression could exhaust the memory.
 */
const mostParts = 1000;

class Checker {
  readonly issues: Issue[] = [];
  readonly #names: Names;
  readonly #substitution = new Substitution();
  readonly #types: (Type | undefined)[] = [];
  readonly #references: (Reference | undefined)[] = [];
  #freeVariables = 0;

  constructor(environment: Environment) {
    this.#names = new Names(environment);
  }

  /** The result with all type parameters resolved. Unbound parameters become dyn. */
  result(expression: Expression): Checked {
    const types = this.#types.map((type) => type && this.#substitution.close(type));
    return { expression, types, references: this.#references };
  }

  check(expression: Expression): Type {
    let type = this.#check(expression);
    if (type.parts > mostParts) type = this.#issue(expression.offset, `type exceeds ${mostParts} parts`);
    this.#types[expression.id] = type;
    return type;
  }

  #check(expression: Expression): Type {
    switch (expression.kind) {
      case "literal":
        return runtimeType(expression.value);
      case "identifier":
        return (
          this.#resolve(expression, expression.name) ?? this.#undeclared(expression.offset, expression.name)
        );
      case "select":
        return this.#select(expression);
      case "call":
        return expression.name === operators.optionalSelect
          ? this.#optionalSelect(expression)
          : this.#call(expression);
      case "list":
        return listOf(
          this.#join(expression.elements.map(({ value, optional }) => this.#element(value, optional))),
        );
      case "map": {
        const types = expression.entries.map(({ key, value, optional }) => ({
          key: this.check(key),
          value: this.#element(value, optional),
        }));
        return mapOf(this.#join(types.map(({ key }) => key)), this.#join(types.map(({ value }) => value)));
      }
      case "struct":
        return this.#struct(expression);
      case "comprehension":
        return this.#comprehension(expression);
    }
  }

  /** Resolves a name, records the node's reference, and returns the type. */
  #resolve({ id }: Expression, name: string): Type | undefined {
    const meaning = this.#names.resolve(name);
    if (meaning !== undefined) this.#references[id] = meaning.reference;
    return meaning?.type;
  }

  #select(expression: Select): Type {
    const name = qualifiedName(expression);
    const type = name === undefined ? undefined : this.#resolve(expression, name);
    if (type !== undefined) return type;
    const field = this.#field(expression, expression.operand, expression.field, false);
    return expression.test ? bool : this.#substitution.resolve(field);
  }

  /** Checks `a.?b` as `a.b`, as upstream. */
  #optionalSelect(call: Call): Type {
    const declaration = this.#names.function(call.name);
    const [operand, field] = call.args;
    if (declaration === undefined || operand === undefined) return this.#undeclared(call.offset, call.name);
    const { overloads } = declaration;
    this.#references[call.id] = { kind: "function", declaration, overloads, qualified: false };
    const name = field?.kind === "literal" && typeof field.value === "string" ? field.value : "";
    return this.#substitution.resolve(this.#field(call, operand, name, true));
  }

  #field(expression: Expression, operand: Expression, field: string, optional: boolean): Type {
    const operandType = this.#substitution.resolve(this.check(operand));
    const unwrapped = unwrapOptional(operandType);
    const result = this.#fieldOf(expression, unwrapped ?? operandType, field);
    return unwrapped !== undefined || optional ? optionalOf(result) : result;
  }

  /** Reports a missing field. Opaque types have no fields. */
  #noField(offset: number, { name }: Type, field: string): Type {
    const isKnown = this.#names.isObject(name);
    const problem = isKnown ? `undefined field '${field}'` : `unexpected failed resolution of '${name}'`;
    return this.#issue(offset, problem);
  }

  #fieldOf({ offset }: { readonly offset: number }, type: Type, field: string): Type {
    switch (type.kind) {
      case "map":
        return secondParameter(type);
      case "object":
        return this.#names.field(type.name, field) ?? this.#noField(offset, type, field);
      case "parameter":
        this.#substitution.assign([dyn], [type]);
        return dyn;
      default:
        if (!isDyn(type) && type.kind !== "error") {
          this.#issue(offset, `type '${type.text}' does not support field selection`);
        }
        return dyn;
    }
  }

  #call(call: Call): Type {
    const { offset, name, target, args } = call;
    const types = args.map((arg) => this.check(arg));
    if (target === undefined) {
      const declaration = this.#names.function(name);
      if (declaration === undefined) return this.#undeclared(offset, name);
      return this.#resolveOverload(call, declaration, undefined, types);
    }
    const prefix = qualifiedName(target);
    const qualified = prefix === undefined ? undefined : this.#names.function(`${prefix}.${name}`);
    if (qualified !== undefined) return this.#resolveOverload(call, qualified, undefined, types);
    const targetType = this.check(target);
    const declaration = this.#names.function(name);
    if (declaration === undefined) return this.#undeclared(offset, name);
    return this.#resolveOverload(call, declaration, targetType, types);
  }

  #resolveOverload(
    call: Call,
    declaration: FunctionDeclaration,
    target: Type | undefined,
    args: readonly Type[],
  ): Type {
    if (call.name === operators.and || call.name === operators.or)
      return this.#logical(call, declaration, args);
    const types = target === undefined ? args : [target, ...args];
    const overloads: Overload[] = [];
    let result: Type | undefined;
    for (const overload of declaration.overloads) {
      if (overload.member !== (target !== undefined)) continue;
      const [own, parameters] = this.#instantiate(overload);
      if (!this.#substitution.assign(types, parameters)) continue;
      overloads.push(overload);
      const type = this.#substitution.resolve(own);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(type, result)) result = dyn;
    }
    const qualified = target === undefined && call.target !== undefined;
    this.#references[call.id] = { kind: "function", declaration, overloads, qualified };
    if (result !== undefined) return result;
    const shown = types.map((type) => this.#substitution.close(type).text);
    const receiver = target === undefined ? "" : `${shown.shift()}.`;
    const signature = `${receiver}(${shown.join(", ")})`;
    return this.#issue(
      call.offset,
      `found no matching overload for '${declaration.name}' applied to '${signature}'`,
    );
  }

  /** Checks an operator whose arguments are reported separately. */
  #logical(call: Call, declaration: FunctionDeclaration, types: readonly Type[]): Type {
    const { overloads } = declaration;
    this.#references[call.id] = { kind: "function", declaration, overloads, qualified: false };
    const wrong = call.args.filter(({ offset }, i) => {
      const type = types[i] ?? errorType;
      return !this.#substitution.assign([type], [bool]) && this.#mismatch(offset, bool, type);
    });
    return wrong.length === 0 ? bool : errorType;
  }

  /** Instantiates an overload with new type parameters for this call. */
  #instantiate({ parameters, result }: Overload): readonly [Type, readonly Type[]] {
    if (!result.open && !parameters.some(({ open }) => open)) return [result, parameters];
    const fresh = new Substitution();
    const names = new Set([result, ...parameters].flatMap(parameterNames));
    for (const name of names) fresh.assign([this.#free()], [parameter(name)]);
    return [fresh.resolve(result), parameters.map((one) => fresh.resolve(one))];
  }

  /** The type of an element or entry. For `?x`, the type of the optional's value. */
  #element(value: Expression, optional: boolean): Type {
    const type = this.check(value);
    if (!optional) return type;
    const unwrapped = unwrapOptional(type);
    if (unwrapped !== undefined || isDyn(type)) return unwrapped ?? type;
    this.#mismatch(value.offset, optionalOf(type), type);
    return type;
  }

  /** Joins the types of a literal's elements. `validate.ts` refuses literals whose types differ. */
  #join(parts: readonly Type[]): Type {
    let joined: Type | undefined;
    for (const type of parts) {
      if (joined === undefined) joined = type;
      else if (this.#substitution.assign([joined], [type])) joined = mostGeneral(joined, type);
      else joined = dyn;
    }
    return joined ?? this.#free();
  }

  #struct(expression: StructLiteral): Type {
    const { typeName, offset, fields } = expression;
    const type = this.#resolve(expression, typeName);
    if (type === undefined) return this.#undeclared(offset, typeName);
    const result = this.#messageType(offset, type);
    for (const field of fields) {
      const value = this.#element(field.value, field.optional);
      const declared = result.kind === "object" ? this.#fieldOf(field, result, field.name) : errorType;
      if (this.#substitution.assign([declared], [value])) continue;
      const message = `expected type of field '${field.name}' is '${declared.text}' but provided type is '${value.text}'`;
      this.#issue(field.offset, message);
    }
    return result;
  }

  #messageType(offset: number, type: Type): Type {
    if (type.kind !== "type") return this.#issue(offset, `'${type.name}' is not a type`);
    const result = firstParameter(type);
    return result.kind === "object" ? result : this.#issue(offset, `'${result.text}' is not a message type`);
  }

  #comprehension(loop: Comprehension): Type {
    const range = this.#substitution.resolve(this.check(loop.range));
    const accumulator = this.check(loop.initial);
    const [first, second] = this.#loopVariables(loop, range);
    const result = this.#names.within(new Map([[loop.accumulator, accumulator]]), () => {
      const variables = new Map([[loop.variable, first]]);
      if (loop.secondVariable !== undefined) variables.set(loop.secondVariable, second);
      this.#names.within(variables, () => {
        this.#expect(loop.condition, bool);
        this.#expect(loop.step, accumulator);
      });
      return this.check(loop.result);
    });
    return this.#substitution.resolve(result);
  }

  /** The types of a loop's variables: element, or index and element; key, or key and value. */
  #loopVariables({ range: { offset }, secondVariable }: Comprehension, range: Type): readonly [Type, Type] {
    switch (range.kind) {
      case "list":
        return secondVariable === undefined
          ? [firstParameter(range), errorType]
          : [int, firstParameter(range)];
      case "map":
        return [firstParameter(range), secondParameter(range)];
      case "dyn":
      case "error":
      case "parameter":
        this.#substitution.assign([dyn], [range]);
        return [dyn, dyn];
      default: {
        const message = `expression of type '${range.text}' cannot be range of a comprehension (must be list, map, or dynamic)`;
        this.#issue(offset, message);
        return [errorType, errorType];
      }
    }
  }

  #expect(expression: Expression, type: Type): void {
    const actual = this.check(expression);
    if (!this.#substitution.assign([type], [actual])) this.#mismatch(expression.offset, type, actual);
  }

  #free(): Type {
    this.#freeVariables += 1;
    return parameter(`_var${this.#freeVariables - 1}`);
  }

  #mismatch(offset: number, expected: Type, actual: Type): Type {
    return this.#issue(offset, `expected type '${expected.text}' but found '${actual.text}'`);
  }

  #undeclared(offset: number, name: string): Type {
    return this.#issue(offset, `undeclared reference to '${name}' (in container '${this.#names.container}')`);
  }

  #issue(offset: number, message: string): Type {
    this.issues.push({ message, offset });
    return errorType;
  }
}

const parameterNames = (type: Type): readonly string[] =>
  type.kind === "parameter" ? [type.name] : type.parameters.flatMap(parameterNames);
