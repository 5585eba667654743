import { type FieldError, type FieldPath, invalid, requiredValue, tooLong } from "../../meta/field-error.ts";
import { report, validateSubdomain } from "../../meta/validation/report.ts";
import { formatProblems } from "../../meta/validation/text.ts";
import { validateDriverName } from "../core/volume/validation/volume.ts";

const limits = { pool: 253, identifier: 32 } as const;

/**
 * The maximum length of the name of an attribute or capacity: a domain of 63 characters, a slash and an
 * identifier.
 */
export const maxQualifiedName = 96;

/** Requires DNS subdomains separated by slashes. */
export function* validatePoolName(name: string, path: FieldPath): Generator<FieldError> {
  if (name === "") {
    yield requiredValue(path);
    return;
  }
  if (Buffer.byteLength(name) > limits.pool) yield tooLong(path, limits.pool);
  for (const part of name.split("/")) yield* validateSubdomain(part, path);
}

const identifierProblems = formatProblems({
  rule: "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  pattern: "[A-Za-z_][A-Za-z0-9_]*",
  examples: ["my_name", "MY_NAME", "MyName"],
});

function* validateIdentifier(name: string, path: FieldPath): Generator<FieldError> {
  if (Buffer.byteLength(name) > limits.identifier) yield tooLong(path, limits.identifier);
  yield* report(path, name, identifierProblems(name));
}

/**
 * Requires an identifier, optionally with a domain before it. Names with several slashes are accepted, as
 * upstream.
 */
export function* validateQualifiedName(name: string, path: FieldPath): Generator<FieldError> {
  const [first = "", second, ...more] = name.split("/");
  if (second === undefined) yield* validateIdentifier(first, path);
  else if (more.length === 0) {
    if (first === "") yield invalid(path, "", "the domain must not be empty");
    else yield* validateDriverName(first, path);
    if (second === "") yield invalid(path, "", "the name must not be empty");
    else yield* validateIdentifier(second, path);
  }
}

export function* validateFullyQualifiedName(name: string, path: FieldPath): Generator<FieldError> {
  yield* validateQualifiedName(name, path);
  if (!name.includes("/")) {
    yield invalid(path, name, "a fully qualified name must be a domain and a name separated by a slash");
  }
}

const hex = (length: number) => `[0-9a-f]{${length}}`;
const hyphened = [8, 4, 4, 4, 12].map(hex).join("-");
const canonicalUuid = new RegExp(`^${hyphened}$`);
const uuid = new RegExp(`^(${hyphened}|${hex(32)}|urn:uuid:${hyphened}|\\{${hyphened}\\})$`, "i");
const uuidLengths = { plain: 36, urn: 45, braced: 38, bare: 32 } as const;

export function* validateUuid(text: string, path: FieldPath): Generator<FieldError> {
  const problem = uuidProblem(text);
  if (problem !== undefined) yield invalid(path, text, `error validating uid: ${problem}`);
  else if (!canonicalUuid.test(text)) {
    const form = "`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
    yield invalid(path, text, `uid must be in RFC 4122 normalized form, ${form}`);
  }
}

/** Returns the error of Go's package `github.com/google/uuid`, which accepts four notations. */
function uuidProblem(text: string): string | undefined {
  if (uuid.test(text)) return undefined;
  const length = Buffer.byteLength(text);
  if (!Object.values<number>(uuidLengths).includes(length)) return `invalid UUID length: ${length}`;
  if (length === uuidLengths.urn && !/^urn:uuid:/i.test(text)) {
    return `invalid urn prefix: ${JSON.stringify(text.slice(0, 9))}`;
  }
  if (length === uuidLengths.braced && !/^\{.*\}$/s.test(text)) return "invalid bracketed UUID format";
  return "invalid UUID format";
}
