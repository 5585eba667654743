import { type FieldError, type FieldPath, invalid } from "../field-error.ts";
import { percentProblems } from "./text.ts";

export function rangeProblems(value: number, min: number, max: number): readonly string[] {
  return value >= min && value <= max ? [] : [`must be between ${min} and ${max}, inclusive`];
}

export const portProblems = (port: number) => rangeProblems(port, 1, 65535);

/** Validates user and group IDs, which are non-negative 32-bit integers. */
export const idProblems = (id: number) => rangeProblems(id, 0, 2 ** 31 - 1);

/** Requires an IANA service name, for the name of a container's port. */
export function portNameProblems(name: string): readonly string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) problems.push("must contain at least one letter (a-z)");
  if (name.includes("--")) problems.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function* validateNonNegative(value: number | undefined, path: FieldPath): Generator<FieldError> {
  if (value !== undefined && value < 0) yield invalid(path, value, "must be greater than or equal to 0");
}

export function* validatePort(port: number, path: FieldPath): Generator<FieldError> {
  for (const problem of portProblems(port)) yield invalid(path, port, problem);
}

/** Validates a port number or name. */
export function* validatePortNumberOrName(port: number | string, path: FieldPath): Generator<FieldError> {
  const problems = typeof port === "number" ? portProblems(port) : portNameProblems(port);
  for (const problem of problems) yield invalid(path, port, problem);
}

/** Validates a count or a percentage. */
export function* validateCountOrPercent(value: number | string, path: FieldPath): Generator<FieldError> {
  if (typeof value === "number") yield* validateNonNegative(value, path);
  else for (const problem of percentProblems(value)) yield invalid(path, value, problem);
}

/** The number of a percentage, 25 for `25%`; undefined for other values. */
export function percentOf(value: number | string | undefined): number | undefined {
  if (typeof value !== "string" || percentProblems(value).length > 0) return undefined;
  return Number(value.slice(0, -1));
}
