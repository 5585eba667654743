import { decode, DecodeError, type DecodeReport } from "../../meta/decode.ts";
import type { ApiRequest } from "../../meta/exchange.ts";
import { duplicateKeys, JsonError, parseJson } from "../../meta/json.ts";
import type { Kind } from "../../meta/kind.ts";
import { decodeEnvelope } from "../../meta/protobuf/envelope.ts";
import { ProtobufError } from "../../meta/protobuf/protobuf-error.ts";
import type { MessageType } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import { jsonType, protobufType, yamlType } from "../accept.ts";
import type { Context } from "../context.ts";
import type { DraftObject } from "./metadata.ts";

/** Upstream's limit for a request's body (apiserver `MaxRequestBodyBytes`). */
export const maxBodyBytes = 3 * 1024 * 1024;

/** A body as a value, before any schema has looked at it. */
export interface RawBody {
  readonly value: unknown;
  /** Paths of keys that stood twice in their object, found only when the count of `keys` shows that there are any. */
  readonly duplicates: () => readonly string[];
  /** How many keys the text has; undefined where there was no text. */
  readonly keys: number | undefined;
  /** What a strict client wants to hear of the text itself. */
  readonly problems?: readonly string[];
}

const noText = { duplicates: () => [], keys: undefined };

export function mediaType(request: ApiRequest): string {
  return (request.headers["content-type"] ?? jsonType).split(";")[0]?.trim().toLowerCase() ?? jsonType;
}

/** Reads the body by its media type; an empty one has the value undefined. A body is read once. */
export async function readBody(request: ApiRequest, schema: MessageType): Promise<RawBody> {
  if (request.body.type === "object") return { value: request.body.value, ...noText };
  const bytes = request.body.type === "bytes" ? await request.body.read(maxBodyBytes) : undefined;
  if (bytes === undefined || bytes.length === 0) return { value: undefined, ...noText };
  switch (mediaType(request)) {
    case jsonType:
      return parseText(bytes);
    case yamlType:
    case "text/yaml": {
      const duplicates: string[] = [];
      const value = await parseYaml(bytes, duplicates);
      const problems =
        duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`];
      return { value, problems, ...noText };
    }
    case protobufType:
      return { value: parseProtobuf(bytes, schema), ...noText };
    default:
      throw errors.unsupportedMediaType([jsonType, yamlType, protobufType]);
  }
}

export function parseText(bytes: Uint8Array): RawBody {
  try {
    const { value, keys, text } = parseJson(bytes);
    return { value, keys, duplicates: () => duplicateKeys(text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw errors.badRequest(
      `the object provided is unrecognized (must be of type Object): couldn't get version/kind; json parse error: ${error.message}`,
      error,
    );
  }
}

/** YAML is rare and its library large: it is loaded when the first such body comes. */
export async function parseYaml(bytes: Uint8Array, duplicates?: string[]): Promise<unknown> {
  const { parseYamlDocument } = await import("../../meta/yaml.ts");
  try {
    return parseYamlDocument(Buffer.from(bytes).toString("utf8"), duplicates);
  } catch (error) {
    throw errors.badRequest(
      `error converting YAML to JSON: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
}

function parseProtobuf(bytes: Uint8Array, schema: MessageType): unknown {
  try {
    return decodeEnvelope(bytes, schema);
  } catch (error) {
    if (error instanceof ProtobufError) throw errors.badRequest(error.message, error);
    throw error;
  }
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Decodes a body into the kind's canonical form, and deals with unknown and duplicate fields as asked. */
export function decodeBody(kind: Kind, body: RawBody, context: Context): DraftObject {
  checkTypeMeta(kind, body.value);
  const validation = fieldValidation(context);
  const problems: string[] = [];
  const object = decodeObject(kind, body.value, body, validation === "Ignore" ? undefined : problems);
  if (problems.length > 0 && validation === "Strict") {
    throw errors.badRequest(
      `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: strict decoding error: ${problems.join(", ")}`,
    );
  }
  for (const problem of problems) context.warnings.add(problem);
  return object;
}

/** The same for any value: `problems` collects what a strict client wants to hear. */
export function decodeObject(kind: Kind, value: unknown, body?: RawBody, problems?: string[]): DraftObject {
  const report: DecodeReport | undefined = problems === undefined ? undefined : { unknown: [], keys: 0 };
  const fields = decodeFields(kind.schema, kind.kind, value, report);
  if (report !== undefined && problems !== undefined) {
    problems.push(...(body?.problems ?? []));
    problems.push(...report.unknown.map((path) => `unknown field ${JSON.stringify(path)}`));
    if (body?.keys !== undefined && body.keys !== report.keys) {
      problems.push(...body.duplicates().map((path) => `duplicate field ${JSON.stringify(path)}`));
    }
  }
  const draft = { apiVersion: kind.apiVersion, kind: kind.kind, ...fields } as unknown as DraftObject;
  if (clearsManagers(value)) draft.metadata.managedFields = [];
  return draft;
}

/** The canonical form has no empty lists, but this one is an order: to forget who manages what. */
function clearsManagers(value: unknown): boolean {
  const { managedFields } = (value as { metadata?: { managedFields?: unknown } } | undefined)?.metadata ?? {};
  return Array.isArray(managedFields) && managedFields.length === 0;
}

/** Decodes by a schema alone; what does not fit is a 400 in upstream's words. */
export function decodeFields(
  schema: MessageType,
  kind: string,
  value: unknown,
  report?: DecodeReport,
): object {
  try {
    return decode(schema, value, report);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const version = JSON.stringify(schema.name.split(".").at(-2));
    throw errors.badRequest(
      `${kind} in version ${version} cannot be handled as a ${kind}: ${error.message}`,
      error,
    );
  }
}

function checkTypeMeta(kind: Kind, value: unknown): void {
  const { apiVersion, kind: name } = (value ?? {}) as { apiVersion?: unknown; kind?: unknown };
  // A typed client in the same process may leave both out: it went to the right path.
  const sameVersion = apiVersion === undefined || apiVersion === "" || apiVersion === kind.apiVersion;
  const sameKind = name === undefined || name === "" || name === kind.kind;
  if (sameVersion && sameKind) return;
  throw errors.badRequest(
    sameKind
      ? `the API version in the data (${String(apiVersion)}) does not match the expected API version (${kind.apiVersion})`
      : `${JSON.stringify(name)} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a ${kind.kind}: no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(apiVersion)}`,
  );
}

function versionOf(apiVersion: unknown): string {
  return typeof apiVersion === "string" ? (apiVersion.split("/").at(-1) ?? "") : "";
}

export function fieldValidation(context: Context): FieldValidation {
  const asked = context.request.query.get("fieldValidation") ?? "";
  switch (asked) {
    case "Ignore":
    case "Strict":
    case "Warn":
      return asked;
    case "":
      // A typed client's value was made by a compiler; there is nobody to warn.
      return context.request.body.type === "object" ? "Ignore" : "Warn";
    default:
      throw errors.badRequest(`invalid value for query parameter fieldValidation: ${JSON.stringify(asked)}`);
  }
}
