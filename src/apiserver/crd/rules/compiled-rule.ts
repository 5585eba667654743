import { FieldPathError, findField } from "../../../api/apiextensions/schema/field-path.ts";
import type {
  JSONSchemaProps,
  ValidationRule,
} from "../../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { compile, type Program } from "../../../cel/compile.ts";
import { type Environment, environment, extend } from "../../../cel/environment.ts";
import type { Shape } from "../../../cel/shape/shape.ts";
import { shapeSizes, shapeTypes } from "../../../cel/shape/types.ts";
import { bool, optionalOf, sameType, string } from "../../../cel/types.ts";
import type { Type } from "../../../cel/type.ts";
import { kubernetesLibraries } from "../../../expressions/kubernetes-environment.ts";

/** A compiled expression, or its error. */
export type Expression =
  | { readonly program: Program; readonly maxCost: number }
  | {
      readonly program: undefined;
      readonly error: string;
    };

/** A rule of `x-kubernetes-validations` (apiextensions-apiserver `schema/cel/compilation.go`). */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined for an empty rule. */
  readonly condition: Expression | undefined;
  /** Undefined without a messageExpression, and when the condition is invalid. */
  readonly message: Expression | undefined;
  readonly usesOldSelf: boolean;
  /** The path of the invalid field relative to the rule's value; empty for the value itself. */
  readonly fieldPath: string;
}

let base: Environment | undefined;

/** Compiles the rules about the values of a schema. */
export function compileRules(
  rules: readonly ValidationRule[],
  schema: JSONSchemaProps,
  shape: Shape,
): readonly CompiledRule[] {
  if (rules.length === 0) return [];
  const { type } = shape;
  const types = [shapeTypes(shape)];
  base ??= environment({ libraries: kubernetesLibraries });
  const plain = extend(base, { variables: { self: type, oldSelf: type }, types });
  const optional = extend(base, { variables: { self: type, oldSelf: optionalOf(type) }, types });
  return rules.map((rule) => compileRule(schema, shape, rule, rule.optionalOldSelf ? optional : plain));
}

function compileRule(
  schema: JSONSchemaProps,
  shape: Shape,
  rule: ValidationRule,
  within: Environment,
): CompiledRule {
  const fieldPath = fieldPathOf(rule, schema);
  const none = { rule, condition: undefined, message: undefined, usesOldSelf: false, fieldPath };
  if (rule.rule.trim() === "") return none;
  const condition = compileAs(bool, within, rule.rule, shape, {
    compilation: "compilation failed: ",
    instantiation: "program instantiation failed: ",
    type: "cel expression must evaluate to a bool",
  });
  if (condition.program === undefined) return { ...none, condition };
  const message = rule.messageExpression
    ? compileAs(string, within, rule.messageExpression, shape, {
        compilation: "messageExpression compilation failed: ",
        instantiation: "messageExpression instantiation failed: ",
        type: "messageExpression must evaluate to a string",
      })
    : undefined;
  return { ...none, condition, message, usesOldSelf: condition.program.uses("oldSelf") };
}

function compileAs(
  result: Type,
  within: Environment,
  source: string,
  shape: Shape,
  says: Readonly<Record<"compilation" | "instantiation" | "type", string>>,
): Expression {
  const compiled = compile(within, source);
  if (!compiled.ok) return { program: undefined, error: says[compiled.stage] + compiled.message };
  const { program } = compiled;
  if (!sameType(program.type, result)) return { program: undefined, error: says.type };
  const sizes = shapeSizes({ self: shape });
  // As upstream: every name, even that of a type, is treated as self.
  const sizeOf = ([, ...path]: readonly string[], type: Type) => sizes.sizeOf(["self", ...path], type);
  return { program, maxCost: program.estimate({ sizeOf }).max };
}

function fieldPathOf({ fieldPath }: ValidationRule, schema: JSONSchemaProps): string {
  if (!fieldPath) return "";
  try {
    return findField(fieldPath, schema).text;
  } catch (error) {
    if (error instanceof FieldPathError) return "";
    throw error;
  }
}
