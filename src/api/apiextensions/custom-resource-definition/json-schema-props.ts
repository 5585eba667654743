import { DecodeError } from "../../../meta/decode.ts";
import {
  type LazyType,
  type Out,
  type ScalarType,
  type Type,
  boolean,
  int64,
  json,
  keyed,
  lazy,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
  union,
} from "../../../meta/schema.ts";
import { isObject } from "../../../util/is-object.ts";

const message = messages("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1");

export const ExternalDocumentation = message("ExternalDocumentation", "A link to further documentation.", {
  description: optional(1, string, "A description of the document."),
  url: optional(2, string, "The document's URL."),
});
export type ExternalDocumentation = Out<typeof ExternalDocumentation>;

export const ValidationRule = message("ValidationRule", "A CEL rule that values must fulfil.", {
  rule: required(1, string, "The expression; `self` is the value, `oldSelf` the old value."),
  message: optional(2, string, "The message when the rule is broken."),
  messageExpression: optional(3, string, "An expression that computes the message; overrides `message`."),
  reason: pointer(
    4,
    oneOf("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"),
    "The machine-readable reason; FieldValueInvalid when absent.",
  ),
  fieldPath: optional(5, string, "The invalid field, as a path relative to this schema."),
  optionalOldSelf: pointer(6, boolean, "Whether the rule also runs when there is no old value."),
});
export type ValidationRule = Out<typeof ValidationRule>;

/**
 * A JSON schema (draft 4) with Kubernetes' extensions. The type is written out because the message refers to
 * itself.
 */
export interface JSONSchemaProps {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: unknown;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly unknown[];
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: JSONSchemaProps | readonly JSONSchemaProps[];
  readonly allOf?: readonly JSONSchemaProps[];
  readonly oneOf?: readonly JSONSchemaProps[];
  readonly anyOf?: readonly JSONSchemaProps[];
  readonly not?: JSONSchemaProps;
  readonly properties?: Readonly<Record<string, JSONSchemaProps>>;
  readonly additionalProperties?: JSONSchemaProps | boolean;
  readonly patternProperties?: Readonly<Record<string, JSONSchemaProps>>;
  readonly dependencies?: Readonly<Record<string, JSONSchemaProps | readonly string[] | null>>;
  readonly additionalItems?: JSONSchemaProps | boolean;
  readonly definitions?: Readonly<Record<string, JSONSchemaProps>>;
  readonly externalDocs?: ExternalDocumentation;
  readonly example?: unknown;
  readonly nullable?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

const self: LazyType<JSONSchemaProps> = lazy((): Type => JSONSchemaProps);
const double: ScalarType<number> = { kind: "scalar", name: "double" };

const isFullList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;

const JSONSchemaPropsOrArray = message("JSONSchemaPropsOrArray", "A schema, or a list of schemas.", {
  schema: pointer(1, self, "The schema."),
  jSONSchemas: optional(2, list(self), "The schemas."),
});
const JSONSchemaPropsOrBool = message("JSONSchemaPropsOrBool", "A schema, or true or false.", {
  allows: optional(1, boolean, "Whether any value is allowed; true if there is a schema."),
  schema: pointer(2, self, "The schema."),
});
const JSONSchemaPropsOrStringArray = message(
  "JSONSchemaPropsOrStringArray",
  "A schema, or a list of names.",
  {
    schema: pointer(1, self, "The schema."),
    property: optional(2, list(string), "The names."),
  },
);

/** Any other value counts as unset, as in Go. */
const schemaOrSchemas = union<JSONSchemaProps | readonly JSONSchemaProps[]>({
  message: () => JSONSchemaPropsOrArray,
  split: (value) => (isObject(value) ? { schema: value } : isFullList(value) ? { jSONSchemas: value } : {}),
  join: ({ schema, jSONSchemas }) => jSONSchemas ?? schema,
});

const schemaOrBoolean = union<JSONSchemaProps | boolean>({
  message: () => JSONSchemaPropsOrBool,
  split(value) {
    if (isObject(value)) return { allows: true, schema: value };
    if (typeof value !== "boolean") throw new DecodeError("boolean or JSON schema expected");
    return { allows: value };
  },
  join: ({ allows = false, schema }) => schema ?? allows,
});

const schemaOrNames = union<JSONSchemaProps | readonly string[] | null>({
  message: () => JSONSchemaPropsOrStringArray,
  split: (value) => (isObject(value) ? { schema: value } : isFullList(value) ? { property: value } : {}),
  join: ({ schema, property }) => property ?? schema ?? null,
});

export const JSONSchemaProps = message("JSONSchemaProps", "A JSON schema with Kubernetes' extensions.", {
  id: optional(1, string, "Not supported."),
  $schema: optional(2, string, "Not supported."),
  $ref: pointer(3, string, "Not supported."),
  description: optional(4, string, "A description of the values."),
  type: optional(5, string, "The JSON type of values."),
  format: optional(6, string, "The format of strings or numbers; unknown formats are ignored."),
  title: optional(7, string, "A title for human readers."),
  default: pointer(8, json, "The value for an absent field."),
  maximum: pointer(9, double, "The largest number."),
  exclusiveMaximum: optional(10, boolean, "Whether values must be less than `maximum`."),
  minimum: pointer(11, double, "The smallest number."),
  exclusiveMinimum: optional(12, boolean, "Whether values must be greater than `minimum`."),
  maxLength: pointer(13, int64, "The maximum number of characters."),
  minLength: pointer(14, int64, "The minimum number of characters."),
  pattern: optional(15, string, "A regular expression (RE2) that a part of the string must match."),
  maxItems: pointer(16, int64, "The maximum number of items."),
  minItems: pointer(17, int64, "The minimum number of items."),
  uniqueItems: optional(18, boolean, "Not supported: use a list of type set."),
  multipleOf: pointer(19, double, "Values must be multiples of this number."),
  enum: optional(20, list(json), "The values allowed."),
  maxProperties: pointer(21, int64, "The maximum number of properties."),
  minProperties: pointer(22, int64, "The minimum number of properties."),
  required: optional(23, list(string), "The required fields."),
  items: pointer(24, schemaOrSchemas, "The schema of a list's items."),
  allOf: optional(25, list(self), "All of these schemas must match."),
  oneOf: optional(26, list(self), "Exactly one of these schemas must match."),
  anyOf: optional(27, list(self), "At least one of these schemas must match."),
  not: pointer(28, self, "This schema must not match."),
  properties: optional(29, map(self), "The schemas of an object's fields."),
  additionalProperties: pointer(
    30,
    schemaOrBoolean,
    "The schema of all other fields, or whether other fields are allowed.",
  ),
  patternProperties: optional(31, map(self), "Not supported."),
  dependencies: pointer(32, map(schemaOrNames), "Not supported."),
  additionalItems: pointer(33, schemaOrBoolean, "Not supported."),
  definitions: optional(34, map(self), "Not supported."),
  externalDocs: pointer(35, ExternalDocumentation, "A link to further documentation."),
  example: pointer(36, json, "An example of a value."),
  nullable: optional(37, boolean, "Whether null is allowed."),
  "x-kubernetes-preserve-unknown-fields": pointer(
    38,
    boolean,
    "Preserves fields that the schema does not specify.",
  ),
  "x-kubernetes-embedded-resource": optional(
    39,
    boolean,
    "Whether values are objects with apiVersion, kind and metadata.",
  ),
  "x-kubernetes-int-or-string": optional(40, boolean, "Whether values are integers or strings."),
  "x-kubernetes-list-map-keys": optional(41, list(string), "The key fields of a list's items."),
  "x-kubernetes-list-type": pointer(42, string, "The merge type of lists: atomic, set or map."),
  "x-kubernetes-map-type": pointer(43, string, "The merge type of objects: atomic or granular."),
  "x-kubernetes-validations": optional(44, keyed(ValidationRule, "rule"), "Rules that values must fulfil.", {
    merge: "rule",
  }),
});
