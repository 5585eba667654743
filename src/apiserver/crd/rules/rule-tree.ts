import { additionalOf, itemsOf } from "../../../api/apiextensions/schema/traverse.ts";
import type { JSONSchemaProps } from "../../../api/apiextensions/v1/json-schema-props.ts";
import type { Shape } from "../../../cel/shape/shape.ts";
import { type CompiledRule, compileRules } from "./compiled-rule.ts";
import { isResource, shapeOf } from "./sized-shape.ts";

/** The rules of a schema, ready to run, with those of the schemas in it. */
export interface RuleTree {
  readonly schema: JSONSchemaProps;
  readonly shape: Shape;
  readonly rules: readonly CompiledRule[];
  readonly items: RuleTree | undefined;
  readonly additional: RuleTree | undefined;
  readonly properties: ReadonlyMap<string, RuleTree>;
}

/** undefined when there are no rules. */
export function ruleTree(schema: JSONSchemaProps, isRoot = isResource(schema)): RuleTree | undefined {
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
    const tree = ruleTree(one);
    return tree === undefined ? [] : [[name, tree] as const];
  });
  const [items, additional] = [itemsOf(schema), additionalOf(schema)].map((one) => one && ruleTree(one));
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length + properties.length === 0 && items === undefined && additional === undefined)
    return undefined;
  // What rules cannot see has none: definitions with such rules are refused.
  const shape = shapeOf(schema, isRoot)?.shape;
  if (shape === undefined) return undefined;
  return {
    schema,
    shape,
    rules: compileRules(rules, schema, shape),
    items,
    additional,
    properties: new Map(properties),
  };
}
