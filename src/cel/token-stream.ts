import type { Token } from "./lexer.ts";
import { SyntaxIssue } from "./source.ts";

const end: Token = { kind: "end", text: "<EOF>", offset: 0 };

const starters: ReadonlySet<string> = new Set(["[", "{", "(", ".", "-", "!", "true", "false", "null"]);
const continuers: ReadonlySet<string> = new Set("== != < <= > >= in && || + - * / % ? . [".split(" "));
/** What an expression may begin with, in the order in which upstream's grammar has it. */
const operandNames =
  "[ ] { } ( ) . , - ! ? true false null NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER".split(" ");

/**
 * The tokens of an expression, and what is said when the wrong one comes. The words are those of upstream's
 * parser generator (ANTLR), which first tries whether the expression could go on without the token
 * (extraneous), then whether one could be missing before it, and else calls it mismatched.
 */
export class TokenStream {
  readonly #tokens: readonly Token[];
  /** What closes the constructs that are open, the innermost last. */
  readonly #closers: string[] = [];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1) ?? end;
  }

  next(): Token {
    const token = this.peek();
    if (token.kind !== "end") this.#at += 1;
    return token;
  }

  skip(count: number): void {
    this.#at += count;
  }

  accept(symbol: string): Token | undefined {
    return isSymbol(this.peek(), symbol) ? this.next() : undefined;
  }

  /** Whether an expression can begin here. */
  atOperand(): boolean {
    return startsOperand(this.peek());
  }

  /** In a construct that this symbol must close. */
  within<T>(closer: string, content: () => T): T {
    this.#closers.push(closer);
    const result = content();
    this.#closers.pop();
    return result;
  }

  /** What closes the construct that we are still in. */
  expectCloser(closer: string): void {
    this.#closers.pop();
    this.expect(closer);
    this.#closers.push(closer);
  }

  /** The symbol that must come now. */
  expect(symbol: string): Token {
    const token = this.peek();
    if (isSymbol(token, symbol)) return this.next();
    const isExtraneous = isSymbol(this.peek(1), symbol);
    if (!isExtraneous && this.#couldFollow(token, symbol)) {
      throw new SyntaxIssue(`Syntax error: missing '${symbol}' at '${token.text}'`, token.offset);
    }
    return this.fail(token, `'${symbol}'`, isExtraneous);
  }

  /** The end of the expression. */
  expectEnd(): void {
    const token = this.peek();
    if (token.kind !== "end") this.fail(token, "<EOF>", this.peek(1).kind === "end");
  }

  /** Between two parts of a list: a comma or what closes it. */
  failAfterPart(closer: string): never {
    const after = this.peek(1);
    return this.fail(this.peek(), `{'${closer}', ','}`, isSymbol(after, closer) || isSymbol(after, ","));
  }

  /** No expression begins like this. `also` are symbols that were allowed here besides. */
  failAsOperand(also: string): never {
    const after = this.peek(1);
    const isExtraneous =
      startsOperand(after) ||
      (after.kind === "symbol" && also.includes(after.text) && this.peek().kind !== "end");
    const names = operandNames.filter((name) => !/^[\])},?]$/.test(name) || also.includes(name));
    const shown = names.map((name) => (/^[A-Z]/.test(name) ? name : `'${name}'`));
    return this.fail(this.peek(), `{${shown.join(", ")}}`, isExtraneous);
  }

  fail(token: Token, expected: string, isExtraneous: boolean): never {
    const problem = isExtraneous ? "extraneous" : "mismatched";
    throw new SyntaxIssue(
      `Syntax error: ${problem} input '${token.text}' expecting ${expected}`,
      token.offset,
    );
  }

  /** Whether the token could come if the symbol stood before it. */
  #couldFollow(token: Token, symbol: string): boolean {
    if (symbol === ":") return startsOperand(token);
    const enclosing = this.#closers.at(-1);
    if (token.kind === "end") return enclosing === undefined;
    if (token.kind !== "symbol") return false;
    return (
      continuers.has(token.text) ||
      token.text === enclosing ||
      (token.text === "," && enclosing !== undefined)
    );
  }
}

export const isSymbol = (token: Token, text: string) => token.kind === "symbol" && token.text === text;

function startsOperand(token: Token): boolean {
  if (token.kind === "symbol") return starters.has(token.text);
  return token.kind !== "end" && token.kind !== "quoted identifier";
}
