import { type Expression, type ListLiteral, type MapEntry, operators, type StructField } from "./ast.ts";
import { spend } from "./effort.ts";
import { type Token, tokenize } from "./lexer.ts";
import { EscapeError, literalValue } from "./literals.ts";
import type { Macro } from "./macros.ts";
import { type Issue, SyntaxIssue } from "./source.ts";
import { codePoints } from "./text.ts";
import { isSymbol, TokenStream } from "./token-stream.ts";
import { TreeBuilder } from "./tree-builder.ts";
import type { Value } from "./values.ts";
import { table } from "../util/table.ts";

export interface ParseOptions {
  /** The macros by the key of `tree-builder.ts`. */
  readonly macros: ReadonlyMap<string, Macro>;
  /** True when `a.?b`, `a[?b]` and `[?a]` are allowed. */
  readonly optionalSyntax: boolean;
}

export type Parsed =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** The maximum nesting of a grammar rule. The default of cel-go. */
const deepest = 250;
/** The maximum length in code points. The default of cel-go. */
const longest = 100_000;
/** The steps for splitting a source into tokens. */
const stepsPerCharacter = 8;

/** Parses an expression. Stops at the first syntax error. @throws BudgetExceeded */
export function parse(source: string, options: ParseOptions): Parsed {
  const length = codePoints(source);
  if (length > longest) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${longest}`;
    return { ok: false, issues: [{ message, offset: undefined }] };
  }
  spend(source.length * stepsPerCharacter);
  const { tokens, issues } = tokenize(source);
  try {
    const expression = new Parser(tokens, options).parse();
    return issues.length > 0 ? { ok: false, issues } : { ok: true, expression };
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error;
    return { ok: false, issues: [...issues, error] };
  }
}

const reserved: ReadonlySet<string> = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const relations: Readonly<Record<string, string>> = table({
  "<": operators.less,
  "<=": operators.lessEquals,
  ">": operators.greater,
  ">=": operators.greaterEquals,
  "==": operators.equals,
  "!=": operators.notEquals,
  in: operators.in,
});

const products: Readonly<Record<string, string>> = table({
  "*": operators.multiply,
  "/": operators.divide,
  "%": operators.modulo,
});

const sums: Readonly<Record<string, string>> = table({ "+": operators.add, "-": operators.subtract });

type Rule = "expr" | "relation" | "calc" | "member";

interface Term {
  /** The offset of the operator before the operand. */
  readonly offset: number;
  readonly term: Expression;
}

/** A recursive descent parser with one method for each rule of cel-spec's grammar. */
class Parser {
  readonly #tokens: TokenStream;
  readonly #tree: TreeBuilder;
  readonly #optionalSyntax: boolean;
  readonly #nesting: Record<Rule, number> = { expr: 0, relation: 0, calc: 0, member: 0 };

  constructor(tokens: readonly Token[], { macros, optionalSyntax }: ParseOptions) {
    this.#tokens = new TokenStream(tokens);
    this.#tree = new TreeBuilder(macros);
    this.#optionalSyntax = optionalSyntax;
  }

  parse(): Expression {
    const expression = this.#expression();
    this.#tokens.expectEnd();
    return expression;
  }

  /** Parses an expression. `also` lists other symbols that are allowed here, for the error message. */
  #expression(also = ""): Expression {
    this.#enter("expr");
    if (!this.#tokens.atOperand()) this.#tokens.failAsOperand(also);
    let expression = this.#disjunction();
    const question = this.#tokens.accept("?");
    if (question !== undefined) {
      const yes = this.#tokens.within(":", () => this.#disjunction());
      this.#tokens.expect(":");
      const args = [expression, yes, this.#expression()];
      expression = this.#tree.call(operators.conditional, question.offset, undefined, args);
    }
    this.#nesting.expr -= 1;
    return expression;
  }

  #disjunction(): Expression {
    return this.#chain("||", operators.or, () => this.#chain("&&", operators.and, () => this.#relation()));
  }

  #chain(symbol: string, name: string, part: () => Expression): Expression {
    const first = part();
    const rest: Term[] = [];
    for (let token = this.#tokens.accept(symbol); token !== undefined; token = this.#tokens.accept(symbol)) {
      rest.push({ offset: token.offset, term: part() });
    }
    return this.#balanced(name, first, rest);
  }

  /** Makes a balanced tree of a chain of operators, so that long chains remain shallow. */
  #balanced(name: string, first: Expression, rest: readonly Term[]): Expression {
    const middle = Math.floor(rest.length / 2);
    const root = rest[middle];
    if (root === undefined) return first;
    const left = this.#balanced(name, first, rest.slice(0, middle));
    const right = this.#balanced(name, root.term, rest.slice(middle + 1));
    return this.#tree.call(name, root.offset, undefined, [left, right]);
  }

  #relation(): Expression {
    return this.#nested("relation", () => {
      let left = this.#calculation();
      for (;;) {
        const name = this.#operator(relations);
        if (name === undefined) return left;
        const { offset } = this.#tokens.next();
        this.#enter("relation");
        left = this.#tree.call(name, offset, undefined, [
          left,
          this.#nested("relation", () => this.#calculation()),
        ]);
      }
    });
  }

  #calculation(precedence = 0): Expression {
    return this.#nested("calc", () => {
      let left = this.#unary();
      for (;;) {
        const product = precedence <= 2 ? this.#operator(products) : undefined;
        const name = product ?? (precedence <= 1 ? this.#operator(sums) : undefined);
        if (name === undefined) return left;
        const { offset } = this.#tokens.next();
        this.#enter("calc");
        left = this.#tree.call(name, offset, undefined, [
          left,
          this.#calculation(product === undefined ? 2 : 3),
        ]);
      }
    });
  }

  #operator(names: Readonly<Record<string, string>>): string | undefined {
    const { kind, text } = this.#tokens.peek();
    return kind === "symbol" && Object.hasOwn(names, text) ? names[text] : undefined;
  }

  #unary(): Expression {
    const { text, offset, kind } = this.#tokens.peek();
    if (kind !== "symbol" || (text !== "!" && text !== "-")) return this.#member();
    const number = this.#tokens.peek(1).kind;
    if (text === "-" && (number === "int" || number === "double")) return this.#member();
    let count = 0;
    while (this.#tokens.accept(text) !== undefined) count += 1;
    const inner = this.#member();
    if (count % 2 === 0) return inner;
    return this.#tree.call(text === "!" ? operators.not : operators.negate, offset, undefined, [inner]);
  }

  #member(): Expression {
    return this.#nested("member", () => {
      let expression = this.#primary();
      for (;;) {
        const dot = this.#tokens.accept(".");
        const bracket = dot === undefined ? this.#tokens.accept("[") : undefined;
        if (dot !== undefined) expression = this.#selection(expression, dot);
        else if (bracket !== undefined) expression = this.#indexing(expression, bracket);
        else return expression;
        this.#enter("member");
      }
    });
  }

  #selection(operand: Expression, dot: Token): Expression {
    const optional = this.#acceptOptional("unsupported syntax '.?'", dot);
    const name = optional ? this.#fieldName() : this.#nameAfterDot();
    const open = this.#tokens.peek();
    if (!optional && isSymbol(open, "(")) {
      return this.#tree.call(name.text, open.offset, operand, this.#arguments());
    }
    if (optional) {
      const field = this.#literal(name.offset, name.text);
      return this.#tree.call(operators.optionalSelect, dot.offset, undefined, [operand, field]);
    }
    const id = this.#tree.idAbove([operand], 1);
    return { id, offset: dot.offset, kind: "select", operand, field: name.text, test: false };
  }

  #nameAfterDot(): Token {
    const name = this.#tokens.peek();
    if (name.kind === "identifier" || name.kind === "quoted identifier") return this.#fieldName();
    if (isSymbol(name, "true") || isSymbol(name, "false") || isSymbol(name, "null")) {
      return this.#tokens.fail(name, "IDENTIFIER", false);
    }
    const text = name.kind === "end" ? "" : name.text;
    throw new SyntaxIssue(`Syntax error: no viable alternative at input '.${text}'`, name.offset);
  }

  /** Parses a field name. Kubernetes does not enable names in backticks. */
  #fieldName(): Token {
    const name = this.#tokens.next();
    if (name.kind === "quoted identifier") throw new SyntaxIssue("unsupported syntax: '`'", name.offset);
    return name.kind === "identifier" ? name : this.#tokens.fail(name, "{IDENTIFIER, ESC_IDENTIFIER}", false);
  }

  #indexing(operand: Expression, bracket: Token): Expression {
    const optional = this.#acceptOptional("unsupported syntax '[?'", bracket);
    const index = this.#tokens.within("]", () => this.#expression(optional ? "" : "?"));
    this.#tokens.expect("]");
    const name = optional ? operators.optionalIndex : operators.index;
    return this.#tree.call(name, bracket.offset, undefined, [operand, index]);
  }

  #primary(): Expression {
    if (!this.#tokens.atOperand()) this.#tokens.failAsOperand("");
    const token = this.#tokens.next();
    const { offset, text } = token;
    if (token.kind === "identifier") return this.#named(token, "");
    if (token.kind !== "symbol") return this.#constant(token, false, offset);
    switch (text) {
      case ".":
        return this.#named(this.#nameAfterDot(), ".");
      case "(": {
        const inner = this.#tokens.within(")", () => this.#expression());
        this.#tokens.expect(")");
        return inner;
      }
      case "[":
        return this.#list(offset);
      case "{":
        return this.#map(offset);
      case "-":
        return this.#constant(this.#tokens.next(), true, offset);
      default:
        return this.#literal(offset, text === "null" ? null : text === "true");
    }
  }

  #constant(token: Token, negative: boolean, offset: number): Expression {
    try {
      const value = literalValue(token, negative);
      if (value === undefined) throw new SyntaxIssue(`invalid ${token.kind} literal`, offset);
      return this.#literal(offset, value);
    } catch (error) {
      if (!(error instanceof EscapeError)) throw error;
      throw new SyntaxIssue(error.message, offset);
    }
  }

  /** Parses a name, a function call, or an object: `a.b.C{…}`. */
  #named(token: Token, dot: string): Expression {
    const struct = this.#struct(token, dot);
    if (struct !== undefined) return struct;
    if (reserved.has(token.text)) throw new SyntaxIssue(`reserved identifier: ${token.text}`, token.offset);
    const open = this.#tokens.peek();
    if (isSymbol(open, "("))
      return this.#tree.call(dot + token.text, open.offset, undefined, this.#arguments());
    return { id: this.#tree.id(), offset: token.offset, kind: "identifier", name: dot + token.text };
  }

  /** Looks ahead over names and dots for an opening brace. */
  #struct(first: Token, dot: string): Expression | undefined {
    let typeName = dot + first.text;
    let ahead = 0;
    while (isSymbol(this.#tokens.peek(ahead), ".") && this.#tokens.peek(ahead + 1).kind === "identifier") {
      typeName += `.${this.#tokens.peek(ahead + 1).text}`;
      ahead += 2;
    }
    const open = this.#tokens.peek(ahead);
    if (!isSymbol(open, "{")) return undefined;
    this.#tokens.skip(ahead + 1);
    const fields = this.#sequence("}", (also) => this.#field(also));
    const id = this.#tree.idAbove(fields.map(({ value }) => value));
    return { id, offset: open.offset, kind: "struct", typeName, fields };
  }

  #field(also: string): StructField {
    const { kind } = this.#tokens.peek();
    const optional = this.#acceptOptional("unsupported syntax '?'", this.#tokens.peek());
    if (!optional && also !== "" && kind !== "identifier" && kind !== "quoted identifier") {
      this.#tokens.fail(this.#tokens.peek(), "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}", false);
    }
    const name = this.#fieldName();
    const colon = this.#tokens.expect(":");
    const value = this.#expression();
    return { id: this.#tree.id(), offset: colon.offset, name: name.text, value, optional };
  }

  #list(offset: number): Expression {
    const elements: ListLiteral["elements"] = this.#sequence("]", (also) => {
      const optional = this.#acceptOptional("unsupported syntax '?'", this.#tokens.peek());
      return { value: this.#expression(optional ? "" : also), optional };
    });
    const id = this.#tree.idAbove(elements.map(({ value }) => value));
    return { id, offset, kind: "list", elements };
  }

  #map(offset: number): Expression {
    const entries = this.#sequence("}", (also): MapEntry => {
      const optional = this.#acceptOptional("unsupported syntax '?'", this.#tokens.peek());
      const key = this.#tokens.within(":", () => this.#expression(optional ? "" : also));
      const colon = this.#tokens.expect(":");
      return { id: this.#tree.id(), offset: colon.offset, key, value: this.#expression(), optional };
    });
    const id = this.#tree.idAbove(entries.flatMap(({ key, value }) => [key, value]));
    return { id, offset, kind: "map", entries };
  }

  /** Parses parts separated by commas, up to `closer`. A trailing comma and a single comma are allowed. */
  #sequence<T>(closer: string, part: (also: string) => T): readonly T[] {
    return this.#tokens.within(closer, () => {
      const parts: T[] = [];
      if (this.#tokens.accept(",") === undefined) {
        while (!isSymbol(this.#tokens.peek(), closer)) {
          parts.push(part(parts.length === 0 ? `${closer},?` : ""));
          if (isSymbol(this.#tokens.peek(), closer)) break;
          if (this.#tokens.accept(",") === undefined) this.#tokens.failAfterPart(closer);
          if (!this.#tokens.atOperand() && !isSymbol(this.#tokens.peek(), "?")) break;
        }
      }
      this.#tokens.expectCloser(closer);
      return parts;
    });
  }

  #arguments(): readonly Expression[] {
    this.#tokens.next();
    if (this.#tokens.accept(")") !== undefined) return [];
    const args: Expression[] = [];
    this.#tokens.within(")", () => {
      do args.push(this.#expression(args.length === 0 ? ")" : ""));
      while (this.#tokens.accept(",") !== undefined);
    });
    this.#tokens.expect(")");
    return args;
  }

  #literal(offset: number, value: Value): Expression {
    return { id: this.#tree.id(), offset, kind: "literal", value };
  }

  /**
   * Counts the nesting of chains in `rule` as upstream's left-recursive rules do: all of them end with the
   * outermost one.
   */
  #nested(rule: Rule, content: () => Expression): Expression {
    const outer = this.#nesting[rule];
    this.#enter(rule);
    const expression = content();
    this.#nesting[rule] = outer;
    return expression;
  }

  #enter(rule: Rule): void {
    this.#nesting[rule] += 1;
    if (this.#nesting[rule] <= deepest) return;
    throw new SyntaxIssue(`expression recursion limit exceeded: ${deepest}`, undefined);
  }

  #acceptOptional(refusal: string, place: Token): boolean {
    const question = this.#tokens.accept("?");
    if (question !== undefined && !this.#optionalSyntax) throw new SyntaxIssue(refusal, place.offset);
    return question !== undefined;
  }
}
