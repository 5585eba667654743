import { errorText } from "../util/error-text.ts";
import { isObject } from "../util/is-object.ts";
import { decode, DecodeError } from "./decode.ts";
import { describe, type FieldError } from "./field-error.ts";
import type { MessageType } from "./schema.ts";
import { parseYamlDocument, YamlError } from "./yaml.ts";

/** A configuration is malformed, or names what does not exist. The message is upstream's where it has one. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** The `apiVersion` and `kind` of a configuration. */
export interface ConfigurationKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Parses a configuration of a component, in YAML or JSON. @throws ConfigurationError unless it is of the kind */
export function parseConfiguration(text: string, expected: ConfigurationKind): unknown {
  let value: unknown;
  const duplicates: string[] = [];
  try {
    value = parseYamlDocument(text, { duplicates });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ConfigurationError(errorText(error), { cause: error });
  }
  checkKind(value, expected);
  if (duplicates.length === 0) return value;
  throw new ConfigurationError(
    `strict decoding error: yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`,
  );
}

function checkKind(value: unknown, expected: ConfigurationKind): void {
  if (!isObject(value)) throw new ConfigurationError("the configuration is empty, or no object");
  const { apiVersion, kind } = value;
  if (kind === expected.kind && apiVersion === expected.apiVersion) return;
  throw new ConfigurationError(
    `no kind ${JSON.stringify(kind ?? "")} is registered for version ${JSON.stringify(apiVersion ?? "")}: it must be ${expected.kind} in ${expected.apiVersion}`,
  );
}

/** Decodes a value, and refuses unknown fields. `where` begins the messages. @throws ConfigurationError */
export function decodeStrictly<O>(schema: MessageType<O>, value: unknown, where = ""): O {
  const report = { unknown: [], keys: 0 };
  const decoded = refusing(() => decode(schema, value, report), where);
  if (report.unknown.length === 0) return decoded;
  const unknown = report.unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  throw new ConfigurationError(`${where}strict decoding error: ${unknown.join(", ")}`);
}

/** Returns the result of the work, and turns its refusals into errors of the configuration. */
export function refusing<T>(work: () => T, where = ""): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DecodeError || error instanceof RangeError)
      throw new ConfigurationError(`${where}${error.message}`, { cause: error });
    throw error;
  }
}

/** Returns when there is no problem. @throws ConfigurationError with all problems, as Go's aggregates print them */
export function checkConfiguration(problems: readonly FieldError[]): void {
  const texts = problems.map(describe);
  if (texts.length === 0) return;
  throw new ConfigurationError(texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`);
}
