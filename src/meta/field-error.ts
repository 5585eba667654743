import { goNumber } from "./go-value.ts";
import { toJson } from "./json.ts";
import { table } from "../util/table.ts";

/**
 * Where a value stands in an object, printed as upstream prints it: `spec.containers[0].ports[1].name`. The text is
 * put together when somebody reads it: most values are as they should be.
 */
export class FieldPath {
  readonly #outer: FieldPath | undefined;
  /** A field's name, the place in a list, or a key in its brackets. */
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

/** The causes that a Status 422 may list (apimachinery `field.ErrorType`), with the words that open their message. */
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

/** One thing that is wrong with an object. Immutable and cheap: validation returns lists of them. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly field: string;
  /** Without the field: `Invalid value: -1: must be greater than or equal to 0`. */
  readonly message: string;
  /** Set where an update leaves alone what was wrong before: clients are only warned of it. */
  readonly forgiven?: true;
}

/** Stands for a value that is too large to be shown. */
export const omitted = Symbol("omitted");

function fieldError(reason: FieldErrorReason, path: FieldPath, value: unknown, detail: string): FieldError {
  const parts: string[] = [phrases[reason]];
  if (value !== undefined && value !== omitted) parts.push(shown(value));
  if (detail !== "") parts.push(detail);
  return { reason, field: path.toString() || "<nil>", message: parts.join(": ") };
}

const escapes: Readonly<Record<string, string>> = table({ "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" });

/** Numbers are shown as Go prints them; what else is no string as Go's JSON, which could stand in a page of HTML. */
function shown(value: unknown): string {
  if (typeof value === "number") return goNumber(value);
  const json = toJson(value);
  return typeof value === "string" ? json : json.replaceAll(/[<>&]/g, (one) => escapes[one] ?? one);
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Builders, one for each cause; argument order is always path, value, detail. */
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

/** `spec.replicas: Invalid value: -1: must be …`: how the message of a 422 shows it. */
export function describe(error: FieldError): string {
  return `${error.field}: ${error.message}`;
}
