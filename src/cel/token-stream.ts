import type { Token } from "./lexer.ts";
import { SyntaxIssue } from "./source.ts";

const end: Token = { kind: "end", text: "<EOF>", offset: 0 };

const starters: ReadonlySet<string> = new Set(["[", "{", "(", ".", "-", "!", "true", "false", "null"]);
const continuers: ReadonlySet<string> = new Set("== != < <= > >= in && || + - * / % ? . [".split(" "));
/** The tokens that an expression can begin with, in the order of upstream's grammar. */
const operandNames =
  "[ ] { } ( ) . , - ! ? true false null NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER".split(" ");

/**
 * The tokens of an expression, and the errors about unexpected tokens. The messages are those of upstream's
 * parser generator (ANTLR). It first tests whether parsing can continue without the token (extraneous), then
 * whether a token is missing before it, and otherwise reports a mismatch.
 */
export class TokenStream {
  readonly #tokens: readonly Token[];
  /** The closing symbols of the open constructs, the innermost last. */
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

  /** Reports whether an expression can begin here. */
  atOperand(): boolean {
    return startsOperand(this.peek());
  }

  /** Runs `content` inside a construct that this symbol closes. */
  within<T>(closer: string, content: () => T): T {
    this.#closers.push(closer);
    const result = content();
    this.#closers.pop();
    return result;
  }

  /** Expects the closing symbol of a construct before its content ends. */
  expectCloser(closer: string): void {
    this.#closers.pop();
    this.expect(closer);
    this.#closers.push(closer);
  }

  /** Expects a symbol. */
  expect(symbol: string): Token {
    const token = this.peek();
    if (isSymbol(token, symbol)) return this.next();
    const isExtraneous = isSymbol(this.peek(1), symbol);
    if (!isExtraneous && this.#couldFollow(token, symbol)) {
      throw new SyntaxIssue(`Syntax error: missing '${symbol}' at '${token.text}'`, token.offset);
    }
    return this.fail(token, `'${symbol}'`, isExtraneous);
  }

  /** Expects the end of the expression. */
  expectEnd(): void {
    const token = this.peek();
    if (token.kind !== "end") this.fail(token, "<EOF>", this.peek(1).kind === "end");
  }

  /** Fails after a part of a list, where a comma or the closing symbol is expected. */
  failAfterPart(closer: string): never {
    const after = this.peek(1);
    return this.fail(this.peek(), `{'${closer}', ','}`, isSymbol(after, closer) || isSymbol(after, ","));
  }

  /** Fails at a token that cannot begin an expression. `also` lists other symbols that are allowed here. */
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

  /** Reports whether the token is valid after the symbol. */
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
