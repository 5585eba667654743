import {
  checkKey,
  type LabelOperator,
  type Requirement,
  requirement,
  Selector,
  SelectorError,
} from "./labels.ts";

type TokenType =
  | "end"
  | "identifier"
  | ","
  | "!"
  | "("
  | ")"
  | "="
  | "=="
  | "!="
  | ">"
  | "<"
  | "in"
  | "notin";

interface Token {
  readonly type: TokenType;
  readonly text: string;
}

const end: Token = { type: "end", text: "" };
const symbols = ["==", "!=", "=", "!", "(", ")", ",", "<", ">"] as const;
const tokenPattern = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^=!(),<> \t\r\n]+))/y;

const binary: Partial<Record<TokenType, LabelOperator>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const [, symbol, word = ""] of text.matchAll(new RegExp(tokenPattern, "gy"))) {
    const type = symbols.find((one) => one === symbol);
    if (type !== undefined) tokens.push({ type, text: type });
    else if (word === "in" || word === "notin") tokens.push({ type: word, text: word });
    else tokens.push({ type: "identifier", text: word });
  }
  return [...tokens, end];
}

/**
 * Parses a selector of a query: `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1`. Grammar and messages are
 * apimachinery's (`labels.Parse`). @throws SelectorError
 */
export function parseSelector(text: string): Selector {
  return new Selector(new Parser(tokenize(text)).parse());
}

const found = (text: string, expected: string) => new SelectorError(`found '${text}', expected: ${expected}`);

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): readonly Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const { type, text } = this.#peek();
      if (type === "end") return requirements;
      if (type !== "identifier" && type !== "!") throw found(text, "!, identifier, or 'end of string'");
      requirements.push(this.#checkedRequirement());
      const next = this.#next();
      if (next.type === "end") return requirements;
      if (next.type !== ",") throw found(next.text, "',' or 'end of string'");
      const after = this.#peek();
      if (after.type !== "identifier" && after.type !== "!") throw found(after.text, "identifier after ','");
    }
  }

  #checkedRequirement(): Requirement {
    try {
      return this.#requirement();
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      throw new SelectorError(`unable to parse requirement: ${error.message}`, { cause: error });
    }
  }

  #requirement(): Requirement {
    let token = this.#next();
    const negated = token.type === "!";
    if (negated) token = this.#next();
    if (token.type !== "identifier") throw found(token.text, "identifier");
    checkKey(token.text);
    const { type } = this.#peek();
    if (negated) return requirement(token.text, "!", []);
    if (type === "end" || type === ",") return requirement(token.text, "exists", []);
    const operator = this.#operator();
    const values = operator === "in" || operator === "notin" ? this.#values() : [this.#exactValue()];
    return requirement(token.text, operator, [...new Set(values)].sort());
  }

  #operator(): LabelOperator {
    const token = this.#raw();
    const operator = binary[token.type];
    if (operator === undefined) throw found(token.text, "in, notin, =, ==, !=, gt, lt");
    return operator;
  }

  #exactValue(): string {
    const { type } = this.#peek();
    if (type === "end" || type === ",") return "";
    const token = this.#next();
    if (token.type !== "identifier") throw found(token.text, "identifier");
    return token.text;
  }

  #values(): readonly string[] {
    const open = this.#next();
    // Upstream's message has no comma here.
    if (open.type !== "(") throw new SelectorError(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.type === ")") {
      this.#next();
      return [""];
    }
    if (first.type !== "identifier" && first.type !== ",") throw found(first.text, "',', ')' or identifier");
    const values = this.#valueList();
    if (this.#next().type !== ")") throw found(first.text, "')'");
    return values;
  }

  /**
   * Parses values up to the closing parenthesis. A comma without a value before or after it adds an empty
   * value.
   */
  #valueList(): readonly string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#next();
      const { type, text } = this.#peek();
      if (token.type === "identifier") {
        values.push(token.text);
        if (type === ")") return values;
        if (type !== ",") throw found(text, "',' or ')'");
      } else if (token.type === ",") {
        if (values.length === 0 || type === "," || type === ")") values.push("");
        if (type === ")") return values;
      } else throw found(token.text, "',', or identifier");
    }
  }

  /** The next token. `in` and `notin` are identifiers where an operator is not allowed. */
  #peek(): Token {
    const token = this.#tokens[this.#at] ?? end;
    return token.type === "in" || token.type === "notin" ? { type: "identifier", text: token.text } : token;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #raw(): Token {
    const token = this.#tokens[this.#at] ?? end;
    this.#at += 1;
    return token;
  }
}
