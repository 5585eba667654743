import { describe, type FieldError, type FieldPath, invalid, root } from "./field-error.ts";
import { labelKeyProblems, labelValueProblems } from "./label-syntax.ts";
import type { LabelSelector } from "./v1.ts";
import { by } from "../util/compare.ts";

export type Labels = Readonly<Record<string, string>>;

/** The relation between a key and its values, with the names of apimachinery `selection`. */
export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

/** One condition of a selector. Values are distinct and sorted. */
export interface Requirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** Thrown when a selector is invalid. The message is upstream's. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
}

/** Selects objects by label: all requirements must match. Immutable. */
export class Selector {
  /** Undefined for the selector that matches nothing. */
  readonly #requirements: readonly Requirement[] | undefined;

  /** Requirements must come from `requirement`, which validates them. */
  constructor(requirements: readonly Requirement[] | undefined) {
    this.#requirements = requirements?.toSorted(by(({ key }) => key));
  }

  get requirements(): readonly Requirement[] {
    return this.#requirements ?? [];
  }

  /** Reports whether the selector matches everything. */
  get empty(): boolean {
    return this.#requirements?.length === 0;
  }

  matches(labels: Labels | undefined): boolean {
    return this.#requirements?.every((one) => holds(one, labelOf(labels, one.key))) ?? false;
  }

  /** The only value of `key` that can match, if there is one. Indexes look it up. */
  exactValue(key: string): string | undefined {
    const first = this.requirements.find((one) => one.key === key);
    if (first === undefined || first.values.length !== 1) return undefined;
    return ["in", "=", "=="].includes(first.operator) ? first.values[0] : undefined;
  }

  /** The selector in the syntax of queries. Parsing it gives an equal selector. */
  toString(): string {
    return this.requirements.map(print).join(",");
  }
}

export const everything: Selector = new Selector([]);
export const nothing: Selector = new Selector(undefined);

const integer = /^[+-]?\d+$/;

/** Parses a signed 64-bit integer in Go's notation; undefined when the text is invalid. */
function parseInt64(text: string): bigint | undefined {
  if (!integer.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Returns the value of a label, whose key may be that of a method of objects. */
export function labelOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function holds({ operator, values }: Requirement, actual: string | undefined): boolean {
  switch (operator) {
    case "exists":
      return actual !== undefined;
    case "!":
      return actual === undefined;
    case "in":
    case "=":
    case "==":
      return actual !== undefined && values.includes(actual);
    case "notin":
    case "!=":
      return actual === undefined || !values.includes(actual);
    case "gt":
    case "lt": {
      const left = parseInt64(actual ?? "");
      const right = parseInt64(values[0] ?? "");
      if (left === undefined || right === undefined) return false;
      return operator === "gt" ? left > right : left < right;
    }
  }
}

function print({ key, operator, values }: Requirement): string {
  const list = values.join(",");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${list})`;
    case "gt":
      return `${key}>${list}`;
    case "lt":
      return `${key}<${list}`;
    default:
      return `${key}${operator}${list}`;
  }
}

/** Validates and makes a requirement. @throws SelectorError with all problems. */
export function requirement(key: string, operator: LabelOperator, values: readonly string[]): Requirement {
  const lines = [...new Set([...requirementProblems(key, operator, values, root)].map(describe))];
  if (lines.length === 0) return { key, operator, values: [...new Set(values)].sort() };
  throw new SelectorError(lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`);
}

/** The problems of a requirement (apimachinery `labels.NewRequirement`). */
export function* requirementProblems(
  key: string,
  operator: LabelOperator,
  given: readonly string[] | undefined,
  at: FieldPath,
): Generator<FieldError> {
  const path = at.child("values");
  const values = given ?? [];
  const badKey = labelKeyProblems(key);
  if (badKey.length > 0) yield invalid(at.child("key"), key, badKey.join("; "));
  const count = countProblem(operator, values);
  if (count !== undefined) yield invalid(path, given, count);
  for (const [i, value] of values.entries())
    if ((operator === "gt" || operator === "lt") && parseInt64(value) === undefined)
      yield invalid(path.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer");
  for (const [i, value] of values.entries()) {
    const bad = labelValueProblems(value);
    if (bad.length > 0) yield invalid(path.index(i).key(key), value, bad.join("; "));
  }
}

function countProblem(operator: LabelOperator, values: readonly string[]): string | undefined {
  switch (operator) {
    case "in":
    case "notin":
      return values.length === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case "exists":
    case "!":
      return values.length > 0 ? "values set must be empty for exists and does not exist" : undefined;
    case "gt":
    case "lt":
      return values.length === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
    default:
      return values.length === 1 ? undefined : "exact-match compatibility requires one single value";
  }
}

/** Checks a key with the message of the parser. @throws SelectorError when `key` is not a label key. */
export function checkKey(key: string): void {
  const problems = labelKeyProblems(key);
  if (problems.length > 0) throw new SelectorError(describe(invalid(root, key, problems.join("; "))));
}

const operators = { In: "in", NotIn: "notin", Exists: "exists", DoesNotExist: "!" } as const;

function isSelectorOperator(name: string): name is keyof typeof operators {
  return Object.hasOwn(operators, name);
}

/**
 * The selector for an object's `LabelSelector`: an absent one matches nothing, an empty one everything.
 * @throws SelectorError
 */
export function selectorOf(selector: LabelSelector | undefined): Selector {
  if (selector === undefined) return nothing;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return new Selector([
    ...Object.entries(matchLabels).map(([key, value]) => requirement(key, "=", [value])),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      if (isSelectorOperator(operator)) return requirement(key, operators[operator], values);
      throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
    }),
  ]);
}

/** Selects objects that have all these labels. Does not validate the labels. */
export function selectorOfLabels(labels: Labels): Selector {
  return new Selector(
    Object.entries(labels).map(([key, value]): Requirement => ({ key, operator: "=", values: [value] })),
  );
}
