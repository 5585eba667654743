import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
} from "../../../meta/field-error.ts";
import { compilePattern, PatternError } from "../../../util/pattern.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { additionalOf, itemsOf } from "./traverse.ts";
import { ownValue } from "../../../util/table.ts";

/**
 * Validates the contents of `allOf`, `anyOf`, `oneOf` and `not` in structural schemas. They may restrict
 * values, but not specify new fields.
 */

/** The clauses of a junctor with their paths, in the order of upstream's messages. */
function* clausesOf(
  schema: JSONSchemaProps,
  path: FieldPath,
): Generator<readonly [JSONSchemaProps, FieldPath, name: string, index: number]> {
  for (const name of ["anyOf", "allOf", "oneOf"] as const) {
    for (const [i, clause] of (schema[name] ?? []).entries())
      yield [clause, path.child(name).index(i), name, i];
  }
  if (schema.not !== undefined) yield [schema.not, path.child("not"), "not", 0];
}

/**
 * `isIntOrString` is true when `anyOf` is the pattern for integers and strings. `firstIsIntOrString` is true
 * when the `anyOf` in the first clause of `allOf` is that pattern. The pattern may specify types.
 */
export function* validateJunctors(
  schema: JSONSchemaProps,
  path: FieldPath,
  isIntOrString = false,
  firstIsIntOrString = false,
): Generator<FieldError> {
  for (const [clause, place, name, i] of clausesOf(schema, path)) {
    if (name === "anyOf" && isIntOrString) continue;
    yield* validateClause(clause, place, name === "allOf" && i === 0 && firstIsIntOrString);
  }
  const pattern = compilePattern(schema.pattern ?? "");
  if (pattern instanceof PatternError) {
    const detail = `must be a valid regular expression, but isn't: ${pattern.message}`;
    yield invalid(path.child("pattern"), schema.pattern, detail);
  }
}

function* validateClause(
  clause: JSONSchemaProps,
  path: FieldPath,
  isIntOrString = false,
): Generator<FieldError> {
  yield* validateJunctors(clause, path, isIntOrString);
  const items = itemsOf(clause);
  if (items !== undefined) yield* validateClause(items, path.child("items"));
  for (const [name, property] of Object.entries(clause.properties ?? {})) {
    yield* validateClause(property, path.child("properties").key(name));
  }
  for (const [name, detail, isSet] of forbiddenInClauses) {
    if (isSet(clause)) yield forbidden(path.child(name), `${detail} to be structural`);
  }
  if (clause.properties?.["metadata"] !== undefined) {
    yield forbidden(path.child("properties").key("metadata"), "must not be specified in a nested context");
  }
}

type Rule = readonly [field: string, detail: string, isSet: (clause: JSONSchemaProps) => boolean];

const present =
  (name: keyof JSONSchemaProps): Rule[2] =>
  (clause) =>
    clause[name] !== undefined;

const forbiddenInClauses: readonly Rule[] = [
  ["type", "must be empty", present("type")],
  [
    "additionalProperties",
    "must be undefined",
    (clause) => additionalOf(clause) !== undefined || clause.additionalProperties === true,
  ],
  ["default", "must be undefined", present("default")],
  ["title", "must be empty", present("title")],
  ["description", "must be empty", present("description")],
  ["nullable", "must be false", present("nullable")],
  ["x-kubernetes-preserve-unknown-fields", "must be false", present("x-kubernetes-preserve-unknown-fields")],
  ["x-kubernetes-embedded-resource", "must be false", present("x-kubernetes-embedded-resource")],
  ["x-kubernetes-int-or-string", "must be false", present("x-kubernetes-int-or-string")],
  ["x-kubernetes-list-map-keys", "must be empty", present("x-kubernetes-list-map-keys")],
  ["x-kubernetes-list-type", "must be undefined", present("x-kubernetes-list-type")],
  ["x-kubernetes-map-type", "must be undefined", present("x-kubernetes-map-type")],
  ["x-kubernetes-validations", "must be empty", present("x-kubernetes-validations")],
];

/** Requires that `schema` specifies every field and item that a clause of `restricting` mentions. */
export function* validateCompleteness(
  restricting: JSONSchemaProps,
  schema: JSONSchemaProps,
  path: FieldPath,
  place: FieldPath,
): Generator<FieldError> {
  for (const [clause, where] of clausesOf(restricting, place))
    yield* validateSpecified(clause, schema, path, where);
}

function* validateSpecified(
  clause: JSONSchemaProps,
  schema: JSONSchemaProps | undefined,
  path: FieldPath,
  place: FieldPath,
): Generator<FieldError> {
  if (schema === undefined) {
    yield requiredValue(path, `because it is defined in ${place.toString()}`);
    return;
  }
  yield* validateCompleteness(clause, schema, path, place);
  const items = itemsOf(clause);
  if (items !== undefined) {
    yield* validateSpecified(items, itemsOf(schema), path.child("items"), place.child("items"));
  }
  for (const [name, property] of Object.entries(clause.properties ?? {})) {
    const own = path.child("properties").key(name);
    const where = place.child("properties").key(name);
    yield* validateSpecified(property, ownValue(schema.properties, name), own, where);
  }
}
