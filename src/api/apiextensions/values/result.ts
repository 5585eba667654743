import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  tooLong,
  tooMany,
} from "../../../meta/field-error.ts";
import { toJson } from "../../../meta/json.ts";

/**
 * One problem of a value, in kube-openapi's words. `name` is the path from the value's root; undefined for
 * the whole value.
 */
export interface Issue {
  readonly name: string | undefined;
  readonly message: string;
  readonly cause: "invalid" | "type" | "required" | "enum" | "tooLong" | "tooMany";
  readonly value?: unknown;
  /** The exceeded bound. */
  readonly max?: number;
  /** The allowed values. */
  readonly values?: readonly unknown[];
}

/**
 * The maximum number of issues per value. Upstream has no limit, but an issue lists all values of its enum,
 * so an object with many values and a long enum would produce gigabytes of text.
 */
const mostIssues = 1_000;
const mostShownValues = 50_000;

/**
 * The result of one check. If all alternatives fail, the errors of the one with the most `matches` are
 * reported.
 */
export class Result {
  readonly issues: Issue[] = [];
  matches = 0;
  readonly #messages = new Set<string>();
  #shownValues = 0;

  constructor(...issues: readonly Issue[]) {
    this.add(...issues);
  }

  get isValid(): boolean {
    return this.issues.length === 0;
  }

  /** Adds issues, without duplicates. */
  add(...issues: readonly Issue[]): void {
    for (const issue of issues) {
      if (this.issues.length >= mostIssues || this.#shownValues > mostShownValues) return;
      if (this.#messages.has(issue.message)) continue;
      this.#messages.add(issue.message);
      this.#shownValues += issue.values?.length ?? 0;
      this.issues.push(issue);
    }
  }

  merge(other: Result | undefined): void {
    if (other === undefined) return;
    this.add(...other.issues);
    this.matches += other.matches;
  }
}

/** The field error that clients receive. */
export function fieldError(issue: Issue, root: FieldPath): FieldError {
  const { name = "", message, max = -1 } = issue;
  const path = name === "" || name === "." ? root : root.child(name.replace(/^\./, ""));
  const value = issue.value ?? "";
  switch (issue.cause) {
    case "required":
      return requiredValue(path);
    case "enum":
      return notSupported(path, issue.value ?? null, (issue.values ?? []).map(shown));
    case "tooLong":
      return tooLong(path, max);
    case "tooMany":
      return tooMany(path, Number(value), max);
    case "type":
      return { ...invalid(path, value, message), reason: "FieldValueTypeInvalid" };
    case "invalid":
      return invalid(path, value, message);
  }
}

const shown = (value: unknown): string => (typeof value === "string" ? value : toJson(value));
