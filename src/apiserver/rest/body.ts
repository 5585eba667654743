import { decode, DecodeError, mostUnknown } from "../../meta/decode.ts";
import type { ApiRequest } from "../../meta/exchange.ts";
import { invalid, notSupported, root } from "../../meta/field-error.ts";
import {
  duplicateKeys,
  JsonError,
  parseExactly,
  parseJson,
  toJson,
  TooManyValuesError,
} from "../../meta/json.ts";
import type { Kind, KubeObject } from "../../meta/kind.ts";
import { decodeEnvelope } from "../../meta/protobuf/envelope.ts";
import { ProtobufError } from "../../meta/protobuf/protobuf-error.ts";
import type { DecodeReport, Draft, MessageType } from "../../meta/schema.ts";
import { errors, type StatusError } from "../../meta/status.ts";
import { jsonType, protobufType, yamlType } from "../accept.ts";
import type { Context } from "../context.ts";
import { parseYaml } from "../yaml/parse.ts";
import { YamlThreadError } from "../yaml/thread.ts";
import type { DraftObject } from "../resources/draft.ts";
import type { Scope } from "../registry/scope.ts";
import { errorText } from "../../util/error-text.ts";
import { fieldsOf, isObject } from "../../util/is-object.ts";

/** Upstream's limit for a request's body (apiserver `MaxRequestBodyBytes`). */
export const maxBodyBytes = 3 * 1024 * 1024;

/** A body as a value, before it is decoded by a schema. */
export interface RawBody {
  readonly value: unknown;
  /**
   * Returns the paths of duplicate keys. It is called only when the count of `keys` shows that there are any.
   */
  readonly duplicates: () => readonly string[];
  /** The number of keys in the text; undefined without a text. */
  readonly keys: number | undefined;
  /** Problems of the text itself, for strict validation. */
  readonly problems?: readonly string[];
}

const noText = { duplicates: () => [], keys: undefined };

export function mediaType(request: ApiRequest): string {
  return (request.headers["content-type"] ?? jsonType).split(";")[0]?.trim().toLowerCase() ?? jsonType;
}

/** Reads the body by its media type; an empty one has the value undefined. A body can be read once. */
export async function readBody(
  { request, pace }: Context,
  { schema, kind }: { readonly schema: MessageType; readonly kind: string },
): Promise<RawBody> {
  if (request.body.type === "object") return { value: request.body.value, ...noText };
  const bytes = request.body.type === "bytes" ? await request.body.read(maxBodyBytes) : undefined;
  if (bytes === undefined || bytes.length === 0) return { value: undefined, ...noText };
  pace.note(bytes.length);
  const body = await parseBody(bytes, mediaType(request), { schema, kind });
  await pace.pause();
  if (schema.foreign !== undefined) requireTypeMeta(body.value, kind, bytes);
  return body;
}

async function parseBody(
  bytes: Uint8Array,
  type: string,
  { schema, kind }: { readonly schema: MessageType; readonly kind: string },
): Promise<RawBody> {
  const isForeign = schema.foreign !== undefined;
  switch (type) {
    case jsonType:
      return parseObject(bytes, kind, isForeign ? parseExactly : undefined);
    case yamlType:
    case "text/yaml":
      return readYaml(bytes, schema);
    case protobufType:
      // Custom resources have no message.
      if (!isForeign) return { value: parseProtobuf(bytes, schema), ...noText };
  }
  throw errors.unsupportedMediaType([jsonType, yamlType, protobufType]);
}

function parseObject(bytes: Uint8Array, kind: string, parse?: (text: string) => unknown): RawBody {
  try {
    return parseText(bytes, parse);
  } catch (error) {
    if (error instanceof JsonError) throw unrecognized(kind, goMessage(error, bytes), bytes, error);
    throw error;
  }
}

/** @throws JsonError, StatusError 413 */
export function parseText(bytes: Uint8Array, parse?: (text: string) => unknown): RawBody {
  try {
    const { value, keys, text } = parseJson(bytes, parse);
    return { value, keys, duplicates: () => duplicateKeys(text) };
  } catch (error) {
    if (error instanceof TooManyValuesError) throw tooLarge(error);
    throw error;
  }
}

function tooLarge({ message }: TooManyValuesError) {
  return errors.tooLarge(`Request entity too large: ${message}`);
}

/** Requires apiVersion and kind, because a custom resource has no other type information. */
function requireTypeMeta(value: unknown, kind: string, bytes: Uint8Array): void {
  if (!isObject(value)) return;
  const { apiVersion, kind: name } = value;
  const missing = (name ?? "") === "" ? "Kind" : (apiVersion ?? "") === "" ? "apiVersion" : undefined;
  if (missing === undefined) return;
  const text = bytes[0] === 0x7b ? Buffer.from(bytes).toString("utf8") : toJson(value);
  throw errors.badRequest(
    `the object provided is unrecognized (must be of type ${kind}): Object '${missing}' is missing in '${text}' (${summary(bytes)})`,
  );
}

/** Returns the message of Go's decoder for the same text, where it is easily known. */
export function goMessage(error: JsonError, bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("utf8");
  const token = /^Unexpected token '(.)'/su.exec(error.message)?.[1];
  if (token !== undefined) return `invalid character '${token}' looking for beginning of value`;
  const position = /at position (\d+)/.exec(error.message)?.[1];
  if (position === undefined && !/end of JSON input|Unterminated/.test(error.message)) return error.message;
  const [found] = text.slice(Number(position ?? text.length));
  return found === undefined || error.message.startsWith("Unterminated")
    ? "unexpected end of JSON input"
    : `invalid character '${found}' looking for beginning of value`;
}

function unrecognized(kind: string, why: string, bytes: Uint8Array, cause?: unknown) {
  return errors.badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why} (${summary(bytes)})`,
    cause,
  );
}

/** Returns the beginning of a body as upstream shows it: text if it may be JSON, otherwise hexadecimal. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const head = Buffer.from(bytes.subarray(0, 30)).toString(bytes[0] === 0x7b ? "utf8" : "hex");
  return bytes.length > 30 ? `${head} ...` : head;
}

export async function readYaml(bytes: Uint8Array, { foreign }: MessageType): Promise<RawBody> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    const { value, duplicates } = await parseYaml(text, foreign !== undefined);
    const problems = duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`];
    return { value, problems, ...noText };
  } catch (error) {
    if (error instanceof TooManyValuesError) throw tooLarge(error);
    if (error instanceof YamlThreadError)
      throw errors.tooLarge(`Request entity too large: converting YAML to JSON: ${error.message}`);
    throw errors.badRequest(`error converting YAML to JSON: ${errorText(error)}`, error);
  }
}

function parseProtobuf(bytes: Uint8Array, schema: MessageType): unknown {
  try {
    return decodeEnvelope(bytes, schema);
  } catch (error) {
    if (error instanceof ProtobufError) throw errors.badRequest(error.message, error);
    if (error instanceof TooManyValuesError) throw tooLarge(error);
    throw error;
  }
}

/** Returns the kind of a write's options, for errors. */
export function optionsKind({ info }: Context): { readonly group: string; readonly kind: string } {
  const prefix = { update: "Update", patch: "Patch", delete: "Delete", deletecollection: "Delete" }[
    info.verb
  ];
  return { group: "meta.k8s.io", kind: `${prefix ?? "Create"}Options` };
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Decodes a body into the kind's canonical form, and handles unknown and duplicate fields as requested. */
export function decodeBody<O extends object, I extends object>(
  kind: Kind<O, I>,
  body: RawBody,
  context: Context,
): Draft<KubeObject<O>> {
  if (body.value === undefined) {
    throw unrecognized(kind.kind, "unexpected end of JSON input", new Uint8Array());
  }
  checkTypeMeta(kind, body.value, context);
  const validation = fieldValidation(context);
  const problems: string[] = [];
  const object = decodeObject(kind, body.value, body, validation === "Ignore" ? undefined : problems);
  if (problems.length > 0 && validation === "Strict") {
    throw errors.badRequest(
      `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: strict decoding error: ${problems.join(", ")}`,
    );
  }
  warnOf(context, problems);
  return object;
}

/**
 * Warns of problems that strict validation would refuse. Each line of a message of Go's YAML parser is a
 * warning.
 */
export function warnOf(scope: Scope, problems: readonly string[]): void {
  for (const problem of problems) {
    const [head = "", ...lines] = problem.split("\n").map((line) => line.trim());
    for (const text of lines.length === 0 ? [head] : lines) scope.warn(text);
  }
}

/** Decodes any value: `problems` collects what strict validation would refuse. */
export function decodeObject<O extends object, I extends object>(
  kind: Kind<O, I>,
  value: unknown,
  body?: RawBody,
  problems?: string[],
): Draft<KubeObject<O>> {
  const report: DecodeReport | undefined = problems === undefined ? undefined : { unknown: [], keys: 0 };
  const fields = decodeFields(kind.schema, kind.kind, value, report);
  if (report !== undefined && problems !== undefined) {
    problems.push(...(body?.problems ?? []));
    const unknown = report.unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
    const repeats = body?.keys !== undefined && body.keys !== report.keys ? body.duplicates() : [];
    const duplicates = repeats.map((path) => `duplicate field ${JSON.stringify(path)}`);
    // Upstream prunes custom resources only when they are read.
    const found = (kind.schema.foreign === undefined ? [unknown, duplicates] : [duplicates, unknown]).flat();
    problems.push(...found.slice(0, mostUnknown));
  }
  const draft: DraftObject = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: {}, ...fields };
  if (clearsManagers(value)) draft.metadata.managedFields = [];
  // Safe: the fields are the ones that the kind's schema has decoded.
  return draft as Draft<KubeObject<O>>;
}

/**
 * Reports whether managedFields is an empty list, which asks to clear the field owners. The canonical form
 * has no empty lists.
 */
function clearsManagers(value: unknown): boolean {
  const { managedFields } = fieldsOf(fieldsOf(value)["metadata"]);
  return Array.isArray(managedFields) && managedFields.length === 0;
}

/** Decodes by a schema alone. A value that does not fit is a 400 in upstream's words. */
export function decodeFields<O extends object>(
  schema: MessageType<O>,
  kind: string,
  value: unknown,
  report?: DecodeReport,
): O {
  try {
    return decode(schema, value, report);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw undecodable(schema, kind, error);
  }
}

/** Returns the error for a value that does not fit its schema. */
export function undecodable(schema: MessageType, kind: string, error: DecodeError): StatusError {
  const version = JSON.stringify(schema.name.split(".").at(-2));
  return errors.badRequest(
    `${kind} in version ${version} cannot be handled as a ${kind}: ${error.message}`,
    error,
  );
}

/** Checks that an object's apiVersion and kind are right, if present. @throws StatusError */
export function checkTypeMeta(kind: Kind, value: unknown, { services }: Context): void {
  const { apiVersion, kind: name } = fieldsOf(value);
  if (kind.schema.foreign !== undefined) {
    checkForeignTypeMeta(kind, value);
    return;
  }
  // A typed client in the same process may omit both, because the path identifies the kind.
  const sameVersion = apiVersion === undefined || apiVersion === "" || apiVersion === kind.apiVersion;
  const sameKind = name === undefined || name === "" || name === kind.kind;
  if (sameVersion && sameKind) return;
  const said = {
    apiVersion: textOf("apiVersion", apiVersion, kind) || kind.apiVersion,
    kind: textOf("kind", name, kind) || kind.kind,
  };
  const isServed = [...services.resources.all()].some((one) => isOf(one.kind, said));
  if (isServed && sameKind) {
    throw errors.badRequest(
      `the API version in the data (${said.apiVersion}) does not match the expected API version (${kind.apiVersion})`,
    );
  }
  const version = versionOf(said.apiVersion);
  const internal = (group: string) => (group === "" ? "core" : group.split(".")[0]);
  const why = isServed
    ? `converting (${version}.${said.kind}) to (${internal(kind.group)}.${kind.kind}): unknown conversion`
    : `no kind ${JSON.stringify(said.kind)} is registered for version ${JSON.stringify(said.apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`;
  throw errors.badRequest(
    `${said.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind.kind}: ${why}`,
  );
}

/** Checks a custom resource's apiVersion. Its kind is checked later: the wrong kind is an invalid value. */
function checkForeignTypeMeta(expected: Kind, value: unknown): void {
  const { apiVersion } = fieldsOf(value);
  if (typeof apiVersion === "string" && apiVersion !== expected.apiVersion) {
    throw errors.badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
    );
  }
  checkForeignKind(expected, value);
}

/** @throws StatusError 422 for an object of another kind */
export function checkForeignKind(expected: Kind, value: unknown): void {
  const { kind, metadata } = fieldsOf(value);
  if (typeof kind !== "string" || kind === expected.kind) return;
  const { name } = fieldsOf(metadata);
  throw errors.invalid({ group: expected.group, kind }, typeof name === "string" ? name : "", [
    invalid(root.child("kind"), kind, `must be ${expected.kind}`),
  ]);
}

function textOf(field: string, value: unknown, { kind }: Kind): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  const why = `couldn't get version/kind; json parse error: json: cannot unmarshal ${typeof value} into Go struct field .${field} of type string`;
  throw errors.badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why}`);
}

function isOf(kind: Kind, said: { readonly apiVersion: string; readonly kind: string }): boolean {
  return kind.apiVersion === said.apiVersion && kind.kind === said.kind;
}

function versionOf(apiVersion: string): string {
  return apiVersion.split("/").at(-1) ?? "";
}

export function fieldValidation(context: Context): FieldValidation {
  const asked = context.request.query.get("fieldValidation") ?? "";
  switch (asked) {
    case "Ignore":
    case "Strict":
    case "Warn":
      return asked;
    case "":
      // A typed client's value was compiled, so warnings would be useless.
      return context.request.body.type === "object" ? "Ignore" : "Warn";
    default: {
      const supported = ["", "Ignore", "Strict", "Warn"];
      throw errors.invalid(optionsKind(context), "", [
        notSupported(root.child("fieldValidation"), asked, supported),
      ]);
    }
  }
}
