import { goNumber } from "./go-value.ts";
import { toJson } from "./json.ts";
import { table } from "../util/table.ts";

/**
 * The path of a value in an object, in upstream's form: `spec.containers[0].ports[1].name`. The text is only
 * built on demand, because most values are valid.
 */
export class FieldPath {
  readonly #outer: FieldPath | undefined;
  /** A field's name, a list index, or a map key in brackets. */
  readonly #step: string | number;

  constructor(step: string | number, outer?: FieldPath) {
    this.#step = step;
    this.#outer = outer;
  }

  child(name: string, ...inner: readonly string[]): FieldPath {
    const path = name === "" ? this : new FieldPath(`.${name}`, this);
    const [next, ...others] = inner;
    return next === undefined ? path : path.child(next, ...others);
  }

  index(index: number): FieldPath {
    return new FieldPath(index, this);
  }

  key(key: string): FieldPath {
    return new FieldPath(`[${key}]`, this);
  }

  toString(): string {
    const step = typeof this.#step === "number" ? `[${this.#step}]` : this.#step;
    if (this.#outer === undefined) return step;
    const outer = this.#outer.toString();
    return outer === "" && step.startsWith(".") ? step.slice(1) : `${outer}${step}`;
  }
}

export const root = new FieldPath("");

/** The causes in a Status 422 (apimachinery `field.ErrorType`), with the beginning of their messages. */
const phrases = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooShort: "Too short",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  InternalError: "Internal error",
  FieldValueTypeInvalid: "Invalid value",
} as const;

export type FieldErrorReason = keyof typeof phrases;

/** One problem of an object. Immutable and cheap, because validation returns lists of them. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly field: string;
  /** The message without the field: `Invalid value: -1: must be greater than or equal to 0`. */
  readonly message: string;
  /** Set when an update tolerates a problem that the old object has. The client gets a warning. */
  readonly forgiven?: true;
}

/** A mark between the errors of a long validation: other requests may have a turn here. */
export const pause: unique symbol = Symbol("pause");
export type ErrorOrPause = FieldError | typeof pause;

/** A placeholder for a value that is too large for a message. */
export const omitted = Symbol("omitted");

function fieldError(reason: FieldErrorReason, path: FieldPath, value: unknown, detail: string): FieldError {
  const parts: string[] = [phrases[reason]];
  if (value !== undefined && value !== omitted) parts.push(shown(value));
  if (detail !== "") parts.push(detail);
  return { reason, field: path.toString() || "<nil>", message: parts.join(": ") };
}

const escapes: Readonly<Record<string, string>> = table({ "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" });

/**
 * Formats a value: numbers as Go prints them, other values except strings as Go's JSON, which escapes HTML.
 */
function shown(value: unknown): string {
  if (typeof value === "number") return goNumber(value);
  const json = toJson(value);
  return typeof value === "string" ? json : json.replaceAll(/[<>&]/g, (one) => escapes[one] ?? one);
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Constructors of errors, one for each cause. The arguments are path, value, detail. */
export const invalid = (path: FieldPath, value: unknown, detail: string): FieldError =>
  fieldError("FieldValueInvalid", path, value ?? null, detail);
export const requiredValue = (path: FieldPath, detail = ""): FieldError =>
  fieldError("FieldValueRequired", path, undefined, detail);
export const duplicate = (path: FieldPath, value: unknown): FieldError =>
  fieldError("FieldValueDuplicate", path, value, "");
export const forbidden = (path: FieldPath, detail: string): FieldError =>
  fieldError("FieldValueForbidden", path, undefined, detail);
export const notFound = (path: FieldPath, value: unknown): FieldError =>
  fieldError("FieldValueNotFound", path, value, "");
export const notSupported = (path: FieldPath, value: unknown, supported: readonly string[]): FieldError => {
  const values = supported.map((one) => JSON.stringify(one)).join(", ");
  return fieldError("FieldValueNotSupported", path, value, values && `supported values: ${values}`);
};
export const tooLong = (path: FieldPath, max: number): FieldError =>
  fieldError("FieldValueTooLong", path, undefined, `may not be more than ${plural(max, "byte", "bytes")}`);
export const tooMany = (path: FieldPath, actual: number, max: number): FieldError =>
  fieldError("FieldValueTooMany", path, actual, `must have at most ${plural(max, "item", "items")}`);
export const internal = (path: FieldPath, detail: string): FieldError =>
  fieldError("InternalError", path, undefined, detail);

/** The form of an error in the message of a 422: `spec.replicas: Invalid value: -1: must be …`. */
export function describe(error: FieldError): string {
  return `${error.field}: ${error.message}`;
}
