import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
} from "../../../meta/field-error.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import type { RuleRun, RuleStep } from "./cel.ts";
import { validateMergeTypes, validateSetItems } from "./merge-types.ts";
import { validateRules } from "./rules.ts";
import { additionalOf, itemListOf, itemsOf } from "./traverse.ts";
import { isList } from "../../../util/is-object.ts";

/** Validates any schema of a custom resource, structural or not. */

/** Requirements that an update may violate if the stored object already does. */
export interface SchemaOptions {
  readonly requireValidTypes: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapKeys: boolean;
}

interface Place {
  readonly path: FieldPath;
  readonly options: SchemaOptions;
  readonly isRoot: boolean;
  /** The reason why defaults are forbidden; empty when they are allowed. */
  readonly noDefaults: string;
  /** True when the schema belongs to an object's metadata, kind or apiVersion. */
  readonly inMeta: boolean;
  /** The path nearest to the root below which old and new values cannot be correlated. */
  readonly uncorrelatable: FieldPath | undefined;
  /** Absent when rules are not compiled: in junctors, and when the schema is not structural. */
  readonly steps: readonly RuleStep[] | undefined;
}

/**
 * Errors of a schema and of its rules. Rules are only checked if the schema and the schemas below it are
 * valid.
 */
interface Found {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

export const schemaTypes: readonly string[] = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

/** `rules` is undefined when the schema is not structural or no checker is available. */
export function validateOpenApi(
  schema: JSONSchemaProps,
  path: FieldPath,
  options: SchemaOptions,
  rules: RuleRun | undefined,
): readonly FieldError[] {
  const found: Found = { schema: [], rules: [] };
  walk(
    schema,
    {
      path,
      options,
      isRoot: true,
      noDefaults: "",
      inMeta: false,
      uncorrelatable: undefined,
      steps: rules === undefined ? undefined : [{ schema, by: "root" }],
    },
    rules,
    found,
  );
  return found.schema.concat(found.rules);
}

function walk(schema: JSONSchemaProps, place: Place, rules: RuleRun | undefined, found: Found): void {
  const before = found.schema.length;
  for (const issue of validateHere(schema, place)) found.schema.push(issue);
  for (const [inner, innerPlace] of innerPlaces(schema, place)) walk(inner, innerPlace, rules, found);
  const { path, options, steps, uncorrelatable } = place;
  found.schema.push(...validateMergeTypes(schema, path, options));
  const written = schema["x-kubernetes-validations"] ?? [];
  found.schema.push(...validateRules(schema, path));
  if (written.length > 0 && found.schema.length === before && steps !== undefined && rules !== undefined) {
    found.rules.push(...rules.checkRules({ schema, path, steps, uncorrelatable }));
  }
}

function* validateHere(schema: JSONSchemaProps, place: Place): Generator<FieldError> {
  const { path, options, noDefaults } = place;
  const { type } = schema;
  if (options.requireValidTypes && type !== undefined && !schemaTypes.includes(type)) {
    yield notSupported(path.child("type"), type, schemaTypes);
  }
  if (schema.default !== undefined && noDefaults !== "") {
    yield forbidden(path.child("default"), `must not be set ${noDefaults}`);
  }
  yield* validateUnsupported(schema, path);
  if (place.inMeta && schema["x-kubernetes-embedded-resource"] === true) {
    yield forbidden(path.child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta");
  }
  if (schema.uniqueItems === true) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    yield forbidden(path.child("uniqueItems"), detail);
  }
  const { additionalProperties: additional, properties = {} } = schema;
  if (Object.keys(properties).length > 0 && additional !== undefined && additional !== true) {
    const detail = "additionalProperties and properties are mutual exclusive";
    yield forbidden(path.child("additionalProperties"), detail);
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    yield invalid(path.child("x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined");
  }
  if (options.requireAtomicSets) yield* validateSetItems(schema, path);
}

function* validateUnsupported(schema: JSONSchemaProps, path: FieldPath): Generator<FieldError> {
  for (const name of [
    "id",
    "additionalItems",
    "patternProperties",
    "definitions",
    "dependencies",
    "$ref",
  ] as const) {
    if (schema[name] !== undefined) yield forbidden(path.child(name), `${name} is not supported`);
  }
  if (schema.type === "null") {
    const detail = "type cannot be set to null, use nullable as an alternative";
    yield forbidden(path.child("type"), detail);
  }
  if (itemListOf(schema).length > 0) {
    yield forbidden(path.child("items"), "items must be a schema object and not an array");
  }
}

type Inner = readonly [JSONSchemaProps, Place];

function* innerPlaces(schema: JSONSchemaProps, place: Place): Generator<Inner> {
  const outer = { ...place, isRoot: false };
  yield* fieldPlaces(schema, place);
  yield* itemPlaces(schema, outer);
  const unchecked = { ...outer, steps: undefined };
  const at = (path: FieldPath): Place => ({ ...unchecked, path });
  if (schema.not !== undefined) yield [schema.not, at(place.path.child("not"))];
  for (const name of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [i, one] of (schema[name] ?? []).entries()) yield [one, at(place.path.child(name).index(i))];
  }
  for (const [name, one] of Object.entries(schema.definitions ?? {})) {
    yield [one, at(place.path.child("definitions").key(name))];
  }
  for (const [name, one] of Object.entries(schema.dependencies ?? {})) {
    const isSchema = one !== null && !isList(one);
    if (isSchema) yield [one, at(place.path.child("dependencies").key(name))];
  }
}

function* fieldPlaces(schema: JSONSchemaProps, place: Place): Generator<Inner> {
  const outer = { ...place, isRoot: false };
  const { path, steps } = place;
  const additional = additionalOf(schema);
  if (additional !== undefined) {
    const noDefaults = place.inMeta
      ? "inside additionalProperties applying to object metadata"
      : place.noDefaults;
    const child = path.child("additionalProperties");
    yield [
      additional,
      { ...outer, noDefaults, path: child, steps: below(steps, additional, "additionalProperties") },
    ];
  }
  const mapType = schema["x-kubernetes-map-type"] ?? "granular";
  const isKnown = mapType === "granular" || mapType === "atomic";
  const uncorrelatable = place.uncorrelatable ?? (isKnown ? undefined : path);
  const holdsMeta = place.isRoot || schema["x-kubernetes-embedded-resource"] === true;
  for (const [property, one] of Object.entries(schema.properties ?? {})) {
    const isMeta = holdsMeta && metaFields.has(property);
    const noDefaults = isMeta && place.isRoot ? `in top-level ${property}` : place.noDefaults;
    const inMeta = place.inMeta || isMeta;
    const child = path.child("properties").key(property);
    yield [
      one,
      { ...outer, noDefaults, inMeta, uncorrelatable, path: child, steps: below(steps, one, { property }) },
    ];
  }
}

/** Yields the schemas of a list's items. Old and new items can only be correlated in lists of type map. */
function* itemPlaces(schema: JSONSchemaProps, place: Place): Generator<Inner> {
  const isMap = schema["x-kubernetes-list-type"] === "map";
  const uncorrelatable = place.uncorrelatable ?? (isMap ? undefined : place.path);
  const path = place.path.child("items");
  const items = itemsOf(schema);
  const at = (path: FieldPath, one: JSONSchemaProps): Place => ({
    ...place,
    path,
    uncorrelatable,
    steps: below(place.steps, one, "items"),
  });
  if (items !== undefined) yield [items, at(path, items)];
  for (const [i, one] of itemListOf(schema).entries()) yield [one, at(path.index(i), one)];
}

function below(
  steps: readonly RuleStep[] | undefined,
  schema: JSONSchemaProps,
  by: RuleStep["by"],
): readonly RuleStep[] | undefined {
  return steps === undefined ? undefined : [...steps, { schema, by }];
}
