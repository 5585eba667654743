import type { FieldError, FieldPath } from "../../../meta/field-error.ts";
import { goType } from "../../../meta/go-value.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { additionalOf, itemsOf } from "../schema/traverse.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import type { Correlation } from "./correlation.ts";
import { hasFormat } from "./formats.ts";
import { formatOf, isWhole, validateNumber } from "./numbers.ts";
import { Effort, enumOf, presentProperties } from "./effort.ts";
import { fieldError, type Issue, Result } from "./result.ts";
import { PatternSearch } from "./search.ts";
import { isObject } from "../../../util/is-object.ts";

/**
 * Validates a JSON value by a structural schema, with the messages of kube-openapi's `validation/validate`.
 * Does not run CEL rules.
 */
export function* validateValue(
  schema: JSONSchemaProps,
  value: unknown,
  path: FieldPath,
  mode: ValueMode = {},
): Generator<FieldError> {
  const walk = { ...mode, search: new PatternSearch(), effort: new Effort() };
  for (const issue of check(schema, value, "", walk).issues) yield fieldError(issue, path);
}

export interface ValueMode {
  /** True when `x-kubernetes-int-or-string` is enforced. Upstream does not enforce it for defaults. */
  readonly checksIntOrString?: boolean;
  /** The old value. Errors in unchanged parts are ignored (KEP-4008). */
  readonly correlation?: Correlation | undefined;
}

interface Walk extends ValueMode {
  readonly search: PatternSearch;
  readonly effort: Effort;
}

const typeMeta: ReadonlySet<string> = new Set(["apiVersion", "kind"]);

type Json = Readonly<Record<string, unknown>>;

function check(schema: JSONSchemaProps, value: unknown, path: string, mode: Walk): Result {
  if (!mode.effort.takes(1)) return new Result(whole(path, "must be simple enough to be validated"));
  const result = checkAnew(schema, value, path, mode);
  return result.isValid || mode.correlation?.isUnchanged !== true ? result : new Result();
}

/**
 * Runs the checks in upstream's order and counts matches as upstream does, because the choice among
 * alternatives depends on both.
 */
function checkAnew(schema: JSONSchemaProps, value: unknown, path: string, mode: Walk): Result {
  const result = new Result();
  const types = typesOf(schema, mode);
  if (value === null) {
    result.merge(checkNull(schema, types, path));
    result.merge(checkEnum(schema, value, path));
    return result;
  }
  const apply = (part: Result | undefined) => {
    result.merge(part);
    result.matches += 1;
  };
  if (types.length > 0 || schema.format !== undefined) apply(checkType(schema, types, value, path));
  apply(checkJunctors(schema, value, path, { ...mode, correlation: undefined }));
  if (typeof value === "string") {
    apply(checkString(schema, value, path, mode.search));
    if (schema.format !== undefined) apply(checkFormat(schema.format, value, path));
  }
  if (typeof value === "number" || typeof value === "bigint") apply(validateNumber(schema, value, path));
  if (Array.isArray(value)) apply(checkList(schema, value, path, mode));
  apply(checkEnum(schema, value, path));
  if (isObject(value)) apply(checkObject(schema, value, path, mode));
  result.matches += 1;
  return result;
}

/** The types that a value may have; any type when empty. */
function typesOf(schema: JSONSchemaProps, { checksIntOrString }: ValueMode): readonly string[] {
  if (checksIntOrString === true && schema["x-kubernetes-int-or-string"] === true)
    return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return goType(value) === "int64" ? "integer" : "number";
  return typeof value;
}

function typeIssue(path: string, wanted: string, found: string): Issue {
  const message = `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`;
  return { name: path, message, cause: "type", value: found };
}

function checkNull(schema: JSONSchemaProps, types: readonly string[], path: string): Result {
  if (types.length > 0 && schema.nullable !== true)
    return new Result(typeIssue(path, types.join(","), "null"));
  const result = new Result();
  result.matches += 1;
  return result;
}

function checkType(schema: JSONSchemaProps, types: readonly string[], value: unknown, path: string): Result {
  const format = formatOf(schema) ?? "";
  const found = typeOf(value);
  const isNumeric = types.includes("number") || types.includes("integer");
  const fits =
    types.includes(found) ||
    (types.includes("number") && found === "integer") ||
    (types.includes("integer") && typeof value === "number" && isWhole(value));
  const isText = found === "string" || found === "array";
  const ownFormat = found === "integer" ? "int64" : found === "number" ? "float64" : "";
  if (!isText && format !== "" && !fits && format !== ownFormat) {
    return new Result(typeIssue(path, format, ownFormat));
  }
  const isFormatted = !isNumeric && format !== "" && isText;
  if (!isFormatted && !fits) return new Result(typeIssue(path, types.join(","), found));
  const result = new Result();
  result.matches += 1;
  return result;
}

/** An issue of the whole value. Go quotes the path. */
function whole(path: string, message: string): Issue {
  return { name: undefined, message: `${JSON.stringify(path)} ${message}`, cause: "invalid" };
}

function checkJunctors(schema: JSONSchemaProps, value: unknown, path: string, mode: Walk): Result {
  const result = new Result();
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  if (anyOf.length > 0) checkAlternatives(result, anyOf, value, path, "anyOf", mode);
  if (oneOf.length > 0) checkAlternatives(result, oneOf, value, path, "oneOf", mode);
  const all = allOf.map((one) => check(one, value, path, mode));
  for (const one of all) result.merge(one);
  const valid = all.filter(({ isValid }) => isValid).length;
  if (valid < all.length) {
    result.add(whole(path, `must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`));
  }
  if (not !== undefined && check(not, value, path, mode).isValid) {
    result.add(whole(path, "must not validate the schema (not)"));
  }
  result.matches += 1;
  return result;
}

function checkAlternatives(
  result: Result,
  schemas: readonly JSONSchemaProps[],
  value: unknown,
  path: string,
  junctor: "anyOf" | "oneOf",
  mode: Walk,
): void {
  let valid = 0;
  let first: Result | undefined;
  let best: Result | undefined;
  for (const schema of schemas) {
    const one = check(schema, value, path, mode);
    if (one.isValid) {
      valid += 1;
      first ??= one;
      if (junctor === "anyOf") break;
    } else if (best === undefined || one.matches > best.matches) best = one;
  }
  if (valid === 1) {
    result.merge(first);
    return;
  }
  const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
  const message =
    junctor === "anyOf"
      ? "must validate at least one schema (anyOf)"
      : `must validate one and only one schema (oneOf). ${found}`;
  result.add(whole(path, message));
  if (valid === 0) result.merge(best);
}

function checkString(
  { maxLength, minLength, pattern }: JSONSchemaProps,
  value: string,
  path: string,
  search: PatternSearch,
): Result | undefined {
  const length = Array.from(value).length;
  const failed = (message: string, more: Partial<Issue> = {}) =>
    new Result({
      name: path,
      message: `${path} in body should ${message}`,
      cause: "invalid",
      value,
      ...more,
    });
  if (maxLength !== undefined && length > maxLength) {
    return failed(`be at most ${maxLength} chars long`, { cause: "tooLong", max: maxLength });
  }
  if (minLength !== undefined && length < minLength) return failed(`be at least ${minLength} chars long`);
  const problem = pattern === undefined ? undefined : search.problemOf(value, pattern);
  return problem === undefined ? undefined : failed(problem);
}

function checkFormat(format: string, value: string, path: string): Result | undefined {
  return hasFormat(value, format) ? undefined : new Result(typeIssue(path, format, value));
}

function checkEnum({ enum: values = [] }: JSONSchemaProps, value: unknown, path: string): Result | undefined {
  // Upstream's comparison never matches null, so null is not a value of any enum.
  if (values.length === 0 || (value !== null && enumOf(values)(value))) return undefined;
  return new Result({
    name: path,
    message: `${path} in body should be one of`,
    cause: "enum",
    value,
    values,
  });
}

function checkList(schema: JSONSchemaProps, value: readonly unknown[], path: string, mode: Walk): Result {
  const result = new Result();
  const { minItems, maxItems, uniqueItems } = schema;
  const items = itemsOf(schema);
  for (const [i, one] of items === undefined ? [] : value.entries()) {
    const correlation = mode.correlation?.index(i);
    if (items !== undefined) result.merge(check(items, one, `${path}[${i}]`, { ...mode, correlation }));
  }
  const issue = (message: string, more: Partial<Issue> = {}) =>
    result.add({
      name: path,
      message: `${path} in body ${message}`,
      cause: "invalid",
      value: value.length,
      ...more,
    });
  if (minItems !== undefined && value.length < minItems) issue(`should have at least ${minItems} items`);
  if (maxItems !== undefined && value.length > maxItems) {
    issue(`should have at most ${maxItems} items`, { cause: "tooMany", max: maxItems });
  }
  const isRepeated = (one: unknown, i: number) => value.slice(0, i).some((other) => deepEqual(one, other));
  if (uniqueItems === true && value.some(isRepeated)) issue("shouldn't contain duplicates", { value: "" });
  result.matches += 1;
  return result;
}

function checkObject(schema: JSONSchemaProps, value: Json, path: string, mode: Walk): Result {
  const result = new Result();
  const { minProperties, maxProperties, properties = {}, required = [] } = schema;
  const keys = Object.keys(value);
  const issue = (message: string, more: Partial<Issue> = {}) =>
    result.add({ name: path, message, cause: "invalid", value: keys.length, ...more });
  if (minProperties !== undefined && keys.length < minProperties) {
    issue(`${path} in body should have at least ${minProperties} properties`);
  }
  if (maxProperties !== undefined && keys.length > maxProperties) {
    issue(`${path} in body should have at most ${maxProperties} properties`, {
      cause: "tooMany",
      max: maxProperties,
    });
  }
  const additional = additionalOf(schema);
  // Both objects are converted to the same version, whichever version they were written in.
  const below = (name: string): Walk => ({
    ...mode,
    correlation: path === "" && typeMeta.has(name) ? undefined : mode.correlation?.key(name),
  });
  for (const key of keys.filter((key) => !Object.hasOwn(properties, key))) {
    if (schema.additionalProperties === false) {
      issue(`${path}.${key} in body is a forbidden property`, { value: key });
    } else if (additional !== undefined)
      result.merge(check(additional, value[key], `${path}.${key}`, below(key)));
  }
  for (const [name, property] of presentProperties(properties, value, keys)) {
    const place = path === "" ? name : `${path}.${name}`;
    result.merge(check(property, value[name], place, below(name)));
  }
  const isThorough = mode.effort.takes(required.length / 16);
  for (const name of isThorough ? required.filter((name) => !Object.hasOwn(value, name)) : []) {
    const place = `${path}.${name}`;
    result.add({ name: place, message: `${place} in body is required`, cause: "required" });
  }
  return result;
}
