import { additionalOf, itemsOf } from "../../../api/apiextensions/schema/traverse.ts";
import type { JSONSchemaProps } from "../../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import type { Shape } from "../../../cel/shape/shape.ts";
import { type CompiledRule, compileRules } from "./compiled-rule.ts";
import { isResource, shapeOf } from "../../../expressions/schema-shape.ts";

/** The compiled rules of a schema and of the schemas in it. */
export interface RuleTree {
  readonly schema: JSONSchemaProps;
  readonly shape: Shape;
  readonly rules: readonly CompiledRule[];
  readonly items: RuleTree | undefined;
  readonly additional: RuleTree | undefined;
  readonly properties: ReadonlyMap<string, RuleTree>;
}

/** The parts that the trees of nested schemas share. */
export interface RuleTreeParts {
  readonly shapeOf: (schema: JSONSchemaProps, isRoot: boolean) => Shape | undefined;
  readonly trees: Map<JSONSchemaProps, RuleTree | undefined>;
}

/** Returns undefined when there are no rules. */
export function ruleTree(
  schema: JSONSchemaProps,
  isRoot = isResource(schema),
  parts: RuleTreeParts = { shapeOf: (...of) => shapeOf(...of)?.shape, trees: new Map() },
): RuleTree | undefined {
  if (parts.trees.has(schema)) return parts.trees.get(schema);
  const tree = newTree(schema, isRoot, parts);
  parts.trees.set(schema, tree);
  return tree;
}

function newTree(schema: JSONSchemaProps, isRoot: boolean, parts: RuleTreeParts): RuleTree | undefined {
  const below = (one: JSONSchemaProps) => ruleTree(one, isResource(one), parts);
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
    const tree = below(one);
    return tree === undefined ? [] : [[name, tree] as const];
  });
  const [items, additional] = [itemsOf(schema), additionalOf(schema)].map((one) => one && below(one));
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length + properties.length === 0 && items === undefined && additional === undefined)
    return undefined;
  // Rules on values that rules cannot read do not exist: such definitions are refused.
  const shape = parts.shapeOf(schema, isRoot);
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
