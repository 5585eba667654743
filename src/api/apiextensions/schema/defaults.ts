import { describe, type FieldError, type FieldPath, invalid, root } from "../../../meta/field-error.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { validateEmbedded } from "../values/embedded.ts";
import { prune } from "../values/prune.ts";
import { validateValue } from "../values/validate.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import type { RuleRun } from "./cel.ts";
import { itemsOf } from "./traverse.ts";

/** Validates defaults by the schemas that declare them (apiextensions-apiserver `schema/defaulting`). */

/** The position of a schema in the nearest object with its own metadata. */
interface Place {
  readonly path: FieldPath;
  /** The schema of the object. */
  readonly object: JSONSchemaProps;
  /** True when the schema belongs to the object's metadata, kind or apiVersion. */
  readonly inMeta: boolean;
  /** Wraps a value into the object. */
  readonly around: (value: unknown) => unknown;
}

interface Options {
  /** True when defaults must not contain unknown fields. */
  readonly mustBePruned: boolean;
  readonly rules: RuleRun | undefined;
}

const typeMeta = { kind: "Validation", apiVersion: "validation/v1" };
const withTypeMeta = (value: unknown) =>
  typeof value === "object" && value !== null ? { ...typeMeta, ...value } : value;
const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

export function* validateDefaults(
  schema: JSONSchemaProps,
  path: FieldPath,
  options: Options,
): Generator<FieldError> {
  const whole: JSONSchemaProps = { ...schema, "x-kubernetes-embedded-resource": true };
  yield* walk(whole, { path, object: whole, inMeta: false, around: withTypeMeta }, options);
}

function* walk(schema: JSONSchemaProps, outer: Place, options: Options): Generator<FieldError> {
  const isObject = schema["x-kubernetes-embedded-resource"] === true;
  const place = isObject ? { ...outer, object: schema, inMeta: false, around: withTypeMeta } : outer;
  if (schema.default !== undefined) yield* validateDefault(schema, place, options);
  const items = itemsOf(schema);
  if (items !== undefined) {
    const around = (value: unknown) => place.around([value]);
    yield* walk(items, { ...place, path: place.path.child("items"), around }, options);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inMeta = place.inMeta || (isObject && metaFields.has(name));
    const around = (value: unknown) => place.around({ [name]: value });
    yield* walk(
      property,
      { ...place, inMeta, around, path: place.path.child("properties").key(name) },
      options,
    );
  }
}

/** Validates one default. Each check runs only if the previous checks found no error. */
function* validateDefault(schema: JSONSchemaProps, place: Place, options: Options): Generator<FieldError> {
  const value = schema.default;
  const path = place.path.child("default");
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  if (place.inMeta) {
    const problems = [...validateEmbedded(place.around(value), place.object, root, true)].map(describe);
    if (problems.length > 0) {
      const text = problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`;
      yield invalid(path, value, `must result in valid metadata: ${text}`);
      return;
    }
  } else {
    if (options.mustBePruned && !deepEqual(prune(value, schema, isResource), value)) {
      yield invalid(path, value, "must not have unknown fields");
    }
    const problems = [...validateEmbedded(value, schema, path, isResource)];
    yield* problems;
    if (problems.length > 0) return;
  }
  const problems = [...validateValue(schema, value, path)];
  yield* problems;
  if (problems.length === 0)
    yield* options.rules?.checkDefault(schema, value, path, schema === place.object) ?? [];
}

/** Reports whether a default of the schema contains fields that the schema does not specify. */
export function hasUnprunedDefaults(schema: JSONSchemaProps): boolean {
  return [...defaultsOf(schema, (value) => value)].some(
    (object) => !deepEqual(prune(object, schema, true), object),
  );
}

/** Yields every default, wrapped into an object that is otherwise empty. */
function* defaultsOf(schema: JSONSchemaProps, around: (value: unknown) => unknown): Generator {
  if (schema.default !== undefined) yield around(schema.default);
  const items = itemsOf(schema);
  const { additionalProperties: additional, properties = {} } = schema;
  if (typeof additional === "object") yield* defaultsOf(additional, (value) => around({ "*": value }));
  if (items !== undefined) yield* defaultsOf(items, (value) => around([value]));
  for (const [name, property] of Object.entries(properties)) {
    yield* defaultsOf(property, (value) => around({ [name]: value }));
  }
}
