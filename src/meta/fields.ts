import { SelectorError } from "./labels.ts";

/** One condition on a field, such as `spec.nodeName=node-1`. */
export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Selects objects by field: all terms must match. The API server decides which fields a kind supports. */
export class FieldSelector {
  readonly terms: readonly FieldTerm[];

  constructor(terms: readonly FieldTerm[]) {
    this.terms = terms;
  }

  /** Reports whether the selector matches everything. */
  get empty(): boolean {
    return this.terms.length === 0;
  }

  /** `valueOf` returns a field's value, or an empty string. */
  matches(valueOf: (field: string) => string): boolean {
    return this.terms.every(
      ({ field, operator, value }) => (valueOf(field) === value) === (operator === "="),
    );
  }

  /** The only value of `field` that can match, if there is one. Indexes look it up. */
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
 * Parses `a=b,c!=d`. In values, a backslash escapes `,`, `=` and itself. Grammar and messages are
 * apimachinery's (`fields.ParseSelector`). @throws SelectorError
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
  // An operator without field and value is not a condition.
  return new FieldSelector(terms.filter(({ field, value }) => field !== "" || value !== ""));
}

function unescape(text: string): string {
  return text.replaceAll(/\\([^])|\\$|[,=]/g, (match, escaped: string | undefined) => {
    if (escaped !== undefined && "\\,=".includes(escaped)) return escaped;
    // Upstream prints the character's code point.
    throw new SelectorError(
      match.startsWith("\\")
        ? `invalid field selector: invalid escape sequence: ${match}`
        : `invalid field selector: unescaped character in value: ${match.codePointAt(0)}`,
    );
  });
}
