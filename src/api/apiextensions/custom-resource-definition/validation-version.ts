import {
  duplicate,
  type ErrorOrPause,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  pause,
  requiredValue,
  tooMany,
} from "../../../meta/field-error.ts";
import type { RuleChecker } from "../schema/cel.ts";
import { validateDefaults } from "../schema/defaults.ts";
import { FieldPathError, findField } from "../schema/field-path.ts";
import { validateOpenApi } from "../schema/open-api.ts";
import { noteStructural, validateStructural } from "../schema/structural.ts";
import { unsupported } from "../schema/unsupported.ts";
import { type DefinitionOptions, maxSelectableFields } from "./stored.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from "./schema.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";

/** Validates the parts of one version, or the parts that all versions share. */

interface SchemaContext {
  readonly hasStatus: boolean;
  /** True when the stored schema is the same. */
  readonly isUnchanged: boolean;
  readonly options: DefinitionOptions;
  readonly checker: RuleChecker | undefined;
}

export function* validateSchema(
  { openAPIV3Schema: schema }: CustomResourceValidation,
  path: FieldPath,
  { hasStatus, isUnchanged, options, checker }: SchemaContext,
): Generator<ErrorOrPause> {
  if (schema === undefined) return;
  const place = path.child("openAPIV3Schema");
  const found: FieldError[] = hasStatus ? [...validateRootFields(schema, place)] : [];
  if (schema.nullable === true) {
    found.push(forbidden(place.child("nullable"), "nullable cannot be true at the root"));
  }
  const rules = checker?.(schema, { ...options, ignoresCost: isUnchanged });
  yield pause;
  const impossible = unsupported(schema);
  yield pause;
  const problems: readonly FieldError[] =
    options.requireStructural && impossible === undefined ? validateStructural(schema, place) : [];
  if (options.requireStructural) noteStructural(schema, impossible === undefined && problems.length === 0);
  yield pause;
  const defaults =
    options.requireStructural && impossible === undefined && problems.length === 0
      ? [...validateDefaults(schema, place, { mustBePruned: options.requirePrunedDefaults, rules })]
      : [];
  found.push(...problems, ...defaults);
  yield pause;
  const canCompile =
    options.requireStructural && impossible === undefined && problems.length + defaults.length === 0;
  found.push(...validateOpenApi(schema, place, options, canCompile ? rules : undefined));
  // The other checks have clearer messages, so this message is only used without them.
  if (found.length === 0 && options.requireStructural && impossible !== undefined) {
    found.push(invalid(place, "", impossible));
  }
  yield* found;
  if (canCompile) yield* rules?.checkTotal(place) ?? [];
}

const allowedAtRoot: ReadonlyMap<string, string> = new Map([
  ["description", "Description"],
  ["type", "Type"],
  ["format", "Format"],
  ["title", "Title"],
  ["maximum", "Maximum"],
  ["exclusiveMaximum", "ExclusiveMaximum"],
  ["minimum", "Minimum"],
  ["exclusiveMinimum", "ExclusiveMinimum"],
  ["maxLength", "MaxLength"],
  ["minLength", "MinLength"],
  ["pattern", "Pattern"],
  ["maxItems", "MaxItems"],
  ["minItems", "MinItems"],
  ["uniqueItems", "UniqueItems"],
  ["multipleOf", "MultipleOf"],
  ["required", "Required"],
  ["items", "Items"],
  ["properties", "Properties"],
  ["externalDocs", "ExternalDocs"],
  ["example", "Example"],
  ["x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"],
  ["x-kubernetes-validations", "XValidations"],
]);

/**
 * Restricts the root schema of a kind with a status subresource. The status endpoint validates by the status'
 * own schema only, so the root must not add constraints.
 */
function* validateRootFields(schema: JSONSchemaProps, path: FieldPath): Generator<FieldError> {
  const suffix = "at the root of the schema if the status subresource is enabled";
  const wrong = Object.keys(schema).filter((name) => !allowedAtRoot.has(name));
  const comesFirst = wrong.some((name) => name === "id" || name === "$schema" || name === "$ref");
  if (!comesFirst && schema.type !== undefined && schema.type !== "object") {
    yield invalid(path.child("type"), schema.type, `only "object" is allowed as the type ${suffix}`);
  } else if (wrong.length > 0) {
    yield invalid(
      path,
      schema,
      `only [${[...allowedAtRoot.values()].join(" ")}] fields are allowed ${suffix}`,
    );
  }
}

export function* validateSubresources(
  { scale }: CustomResourceSubresources,
  path: FieldPath,
): Generator<FieldError> {
  if (scale === undefined) return;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = scale;
  const place = path.child("scale");
  yield* validateScalePath(specReplicasPath, [".spec."], ".spec", place.child("specReplicasPath"));
  yield* validateScalePath(statusReplicasPath, [".status."], ".status", place.child("statusReplicasPath"));
  if (labelSelectorPath !== "") {
    const own = place.child("labelSelectorPath");
    yield* validateScalePath(labelSelectorPath, [".spec.", ".status."], "either .spec or .status", own);
  }
}

function* validateScalePath(
  text: string,
  prefixes: readonly string[],
  named: string,
  path: FieldPath,
): Generator<FieldError> {
  if (text === "") yield requiredValue(path);
  else if (!text.startsWith(".")) yield invalid(path, text, "must be a simple json path starting with .");
  else if (!prefixes.some((prefix) => text.startsWith(prefix))) {
    yield invalid(path, text, `should be a json path under ${named}`);
  }
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function* validateColumn(
  { name, type, format, jsonPath }: CustomResourceColumnDefinition,
  path: FieldPath,
): Generator<FieldError> {
  const oneOf = (values: readonly string[]) => `must be one of ${values.join(",")}`;
  if (name === "") yield requiredValue(path.child("name"));
  if (type === "") yield requiredValue(path.child("type"), oneOf(columnTypes));
  else if (!columnTypes.includes(type)) yield invalid(path.child("type"), type, oneOf(columnTypes));
  if (format !== undefined && !columnFormats.includes(format)) {
    yield invalid(path.child("format"), format, oneOf(columnFormats));
  }
  const place = path.child("JSONPath");
  if (jsonPath === "") yield requiredValue(place);
  else if (!jsonPath.startsWith(".")) {
    yield invalid(place, jsonPath, "must be a simple json path starting with .");
  }
}

/** `mayBeMany` permits more fields than the limit, because the stored definition exceeds it already. */
export function* validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps,
  path: FieldPath,
  mayBeMany: boolean,
): Generator<FieldError> {
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const place = path.index(i).child("jsonPath");
    if (jsonPath === "") {
      yield requiredValue(place);
      continue;
    }
    try {
      const { text, first, schema: found } = findField(jsonPath, schema, false);
      if (first === "metadata") yield invalid(place, jsonPath, "must not point to fields in metadata");
      if (!["string", "boolean", "integer"].includes(found?.type ?? "")) {
        const detail =
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
        yield invalid(place, jsonPath, detail);
      }
      if (seen.has(text)) yield duplicate(place, jsonPath);
      seen.add(text);
    } catch (error) {
      if (!(error instanceof FieldPathError)) throw error;
      yield invalid(place, jsonPath, `is an invalid path: ${error.message}`);
    }
  }
  if (seen.size > maxSelectableFields && !mayBeMany) yield tooMany(path, seen.size, maxSelectableFields);
}
