import { SelectorError } from "./labels.ts";

/** One condition on a field, such as `spec.nodeName=node-1`. */
export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Selects objects by field: all terms must hold. Which fields a kind offers is for its server to say. */
export class FieldSelector {
  readonly terms: readonly FieldTerm[];

  constructor(terms: readonly FieldTerm[]) {
    this.terms = terms;
  }

  /** Whether it selects everything. */
  get empty(): boolean {
    return this.terms.length === 0;
  }

  /** `valueOf` gives a field's value, empty when it has none. */
  matches(valueOf: (field: string) => string): boolean {
    return this.terms.every(
      ({ field, operator, value }) => (valueOf(field) === value) === (operator === "="),
    );
  }

  /** The one value that `field` must have, where there is one: indexes look it up. */
  exactValue(field: string): string | undefined {
    return this.terms.find((term) => term.field === field && term.operator === "=")?.value;
  }

  toString(): string {
    return this.terms
      .map(({ field, operator, value }) => `${field}${operator}${value.replaceAll(/[\\,=]/g, "\\$&")}`)
      .join(",");
  }
}

export const anyFields: FieldSelector = new FieldSelector([]);

const termPattern = /^(?<field>.*?)(?<operator>!=|==|=)(?<value>.*)$/s;

/**
 * Parses `a=b,c!=d`; in values a backslash stands before `,`, `=` and itself. Grammar and messages are
 * apimachinery's (`fields.ParseSelector`).
 * @throws SelectorError
 */
export function parseFieldSelector(text: string): FieldSelector {
  const parts = (text.match(/(?:\\.|\\$|[^\\,])+/gs) ?? []).sort();
  const terms = parts.map((part): FieldTerm => {
    const { field, operator, value } = termPattern.exec(part)?.groups ?? {};
    if (field === undefined || value === undefined) {
      throw new SelectorError(`invalid selector: '${text}'; can't understand '${part}'`);
    }
    return { field, operator: operator === "!=" ? "!=" : "=", value: unescape(value) };
  });
  // A bare operator is no condition at all.
  return new FieldSelector(terms.filter(({ field, value }) => field !== "" || value !== ""));
}

function unescape(text: string): string {
  return text.replaceAll(/\\([^])|\\$|[,=]/g, (match, escaped: string | undefined) => {
    if (escaped !== undefined && "\\,=".includes(escaped)) return escaped;
    // Upstream prints the character's number.
    throw new SelectorError(
      match.startsWith("\\")
        ? `invalid field selector: invalid escape sequence: ${match}`
        : `invalid field selector: unescaped character in value: ${match.codePointAt(0)}`,
    );
  });
}
