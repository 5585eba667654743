import {
  type Call,
  type Expression,
  type ListLiteral,
  type MapEntry,
  operators,
  type StructField,
} from "./ast.ts";
import { tokenize, type Token, type TokenKind } from "./lexer.ts";
import {
  EscapeError,
  parseBytesLiteral,
  parseDoubleLiteral,
  parseIntLiteral,
  parseStringLiteral,
  parseUintLiteral,
} from "./literals.ts";
import { type Macro, NodeFactory } from "./macros.ts";
import { type Issue, SyntaxIssue } from "./source.ts";
import { codePoints } from "./text.ts";
import type { Value } from "./values.ts";

export interface ParseOptions {
  /** By `macroKey`. */
  readonly macros: ReadonlyMap<string, Macro>;
  /** Whether `a.?b`, `a[?b]` and `[?a]` are allowed. */
  readonly optionalSyntax: boolean;
}

export type Parsed =
  | { readonly ok: true; readonly expression: Expression; readonly size: number }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export const macroKey = (name: string, receiver: boolean, args: number) =>
  `${receiver ? "." : ""}${name}:${args}`;

/** How deep a rule of the grammar may nest in itself, and how deep a tree may be. cel-go's default. */
const deepest = 250;
/** In code points; cel-go's default. */
const longest = 100_000;

/** Stops at the first thing that it cannot read. `size` is the number of nodes, and so the largest id. */
export function parse(source: string, options: ParseOptions): Parsed {
  const length = codePoints(source);
  if (length > longest) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${longest}`;
    return { ok: false, issues: [{ message, offset: undefined }] };
  }
  const { tokens, issues } = tokenize(source);
  try {
    const parser = new Parser(tokens, options);
    const expression = parser.parse();
    return issues.length > 0 ? { ok: false, issues } : { ok: true, expression, size: parser.size };
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

const operand =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const relations: Readonly<Record<string, string>> = {
  "<": operators.less,
  "<=": operators.lessEquals,
  ">": operators.greater,
  ">=": operators.greaterEquals,
  "==": operators.equals,
  "!=": operators.notEquals,
  in: operators.in,
};

const products: Readonly<Record<string, string>> = {
  "*": operators.multiply,
  "/": operators.divide,
  "%": operators.modulo,
};

const sums: Readonly<Record<string, string>> = { "+": operators.add, "-": operators.subtract };

/** Operators whose chains make a tree deeper without nesting in the grammar. */
const deepening: ReadonlySet<string> = new Set([
  ...Object.values(relations),
  ...Object.values(products),
  ...Object.values(sums),
  operators.conditional,
  operators.index,
  operators.optionalIndex,
  operators.optionalSelect,
]);

type Rule = "expr" | "relation" | "calc" | "member";

class Parser {
  readonly #tokens: readonly Token[];
  readonly #options: ParseOptions;
  readonly #nesting: Record<Rule, number> = { expr: 0, relation: 0, calc: 0, member: 0 };
  /** How deep the tree below a node is, by id; without nodes that only the grammar's nesting can multiply. */
  readonly #depths: number[] = [];
  #at = 0;
  #lastId = 0;

  constructor(tokens: readonly Token[], options: ParseOptions) {
    this.#tokens = tokens;
    this.#options = options;
  }

  get size(): number {
    return this.#lastId;
  }

  parse(): Expression {
    const expression = this.#expression();
    const rest = this.#peek();
    if (rest.kind !== "end") throw mismatch(rest, "<EOF>", "extraneous input");
    return expression;
  }

  #expression(): Expression {
    this.#enter("expr");
    const condition = this.#disjunction();
    const question = this.#accept("?");
    let expression = condition;
    if (question !== undefined) {
      const yes = this.#disjunction();
      this.#expect(":", "{'||', ':'}");
      expression = this.#call(operators.conditional, question.offset, undefined, [
        condition,
        yes,
        this.#expression(),
      ]);
    }
    this.#nesting.expr -= 1;
    return expression;
  }

  #disjunction(): Expression {
    return this.#logical("||", operators.or, () =>
      this.#logical("&&", operators.and, () => this.#relation()),
    );
  }

  /** A chain of one logical operator becomes a balanced tree, so that long chains stay shallow. */
  #logical(symbol: string, name: string, term: () => Expression): Expression {
    const terms = [term()];
    const offsets: number[] = [];
    for (let token = this.#accept(symbol); token !== undefined; token = this.#accept(symbol)) {
      offsets.push(token.offset);
      terms.push(term());
    }
    return this.#balanced(name, terms, offsets, 0, offsets.length - 1);
  }

  #balanced(
    name: string,
    terms: readonly Expression[],
    offsets: readonly number[],
    low: number,
    high: number,
  ): Expression {
    const [first] = terms.slice(low, low + 1);
    if (first !== undefined && low > high) return first;
    const middle = Math.floor((low + high + 1) / 2);
    const left = this.#balanced(name, terms, offsets, low, middle - 1);
    const right = this.#balanced(name, terms, offsets, middle + 1, high);
    return this.#call(name, offsets[middle] ?? 0, undefined, [left, right]);
  }

  #relation(): Expression {
    this.#enter("relation");
    const outer = this.#nesting.relation;
    let left = this.#calculation();
    for (;;) {
      const token = this.#peek();
      const name = token.kind === "symbol" ? relations[token.text] : undefined;
      if (name === undefined) break;
      this.#at += 1;
      this.#enter("relation");
      this.#enter("relation");
      left = this.#call(name, token.offset, undefined, [left, this.#calculation()]);
      this.#nesting.relation -= 1;
    }
    this.#nesting.relation = outer - 1;
    return left;
  }

  #calculation(precedence = 0): Expression {
    this.#enter("calc");
    const outer = this.#nesting.calc;
    let left = this.#unary();
    for (;;) {
      const token = this.#peek();
      const product = token.kind === "symbol" && precedence <= 2 ? products[token.text] : undefined;
      const name = product ?? (token.kind === "symbol" && precedence <= 1 ? sums[token.text] : undefined);
      if (name === undefined) break;
      this.#at += 1;
      this.#enter("calc");
      left = this.#call(name, token.offset, undefined, [
        left,
        this.#calculation(product === undefined ? 2 : 3),
      ]);
    }
    this.#nesting.calc = outer - 1;
    return left;
  }

  #unary(): Expression {
    const { text, offset, kind } = this.#peek();
    if (kind !== "symbol" || (text !== "!" && text !== "-")) return this.#member();
    const next = this.#tokens[this.#at + 1];
    if (text === "-" && (next?.kind === "int" || next?.kind === "double")) return this.#member();
    let count = 0;
    while (this.#accept(text) !== undefined) count += 1;
    const inner = this.#member();
    if (count % 2 === 0) return inner;
    return this.#call(text === "!" ? operators.not : operators.negate, offset, undefined, [inner]);
  }

  #member(): Expression {
    this.#enter("member");
    const outer = this.#nesting.member;
    let expression = this.#primary();
    for (;;) {
      const dot = this.#accept(".");
      const bracket = dot === undefined ? this.#accept("[") : undefined;
      if (dot !== undefined) expression = this.#selection(expression, dot);
      else if (bracket !== undefined) expression = this.#indexing(expression, bracket);
      else break;
      this.#enter("member");
    }
    this.#nesting.member = outer - 1;
    return expression;
  }

  #selection(operand: Expression, dot: Token): Expression {
    const optional = this.#acceptOptional("unsupported syntax '.?'", dot);
    const name = this.#next();
    if (name.kind !== "identifier" && name.kind !== "quoted identifier") {
      throw new SyntaxIssue(
        `Syntax error: no viable alternative at input '.${name.text}'`.replace(
          /^(.*) no viable alternative at input '\.(true|false|null)'$/,
          "$1 mismatched input '$2' expecting IDENTIFIER",
        ),
        name.offset,
      );
    }
    const open = this.#peek();
    if (!optional && name.kind === "identifier" && open.kind === "symbol" && open.text === "(") {
      return this.#call(name.text, open.offset, operand, this.#arguments());
    }
    // Upstream's environment does not enable names in backticks either.
    if (name.kind === "quoted identifier") throw new SyntaxIssue("unsupported syntax: '`'", name.offset);
    if (optional) {
      const field = this.#literal(name.offset, name.text);
      return this.#call(operators.optionalSelect, dot.offset, undefined, [operand, field]);
    }
    const id = this.#id();
    this.#deepen(id, [operand], 1);
    return { id, offset: dot.offset, kind: "select", operand, field: name.text, test: false };
  }

  #indexing(operand: Expression, bracket: Token): Expression {
    const optional = this.#acceptOptional("unsupported syntax '[?'", bracket);
    const index = this.#expression();
    this.#expect("]", "']'");
    const name = optional ? operators.optionalIndex : operators.index;
    return this.#call(name, bracket.offset, undefined, [operand, index]);
  }

  #primary(): Expression {
    const token = this.#next();
    const { offset } = token;
    if (token.kind === "identifier") return this.#named(token, "");
    if (token.kind !== "symbol") return this.#constant(token);
    switch (token.text) {
      case ".":
        return this.#named(this.#expectKind("identifier", "IDENTIFIER"), ".");
      case "(": {
        const inner = this.#expression();
        this.#expect(")", "')'");
        return inner;
      }
      case "[":
        return this.#list(offset);
      case "{":
        return this.#map(offset);
      case "true":
      case "false":
        return this.#literal(offset, token.text === "true");
      case "null":
        return this.#literal(offset, null);
      case "-":
        return this.#number(this.#next(), true, offset);
      default:
        throw mismatch(token, operand);
    }
  }

  #constant(token: Token): Expression {
    try {
      if (token.kind === "string") return this.#literal(token.offset, parseStringLiteral(token.text));
      if (token.kind === "bytes") return this.#literal(token.offset, parseBytesLiteral(token.text));
    } catch (error) {
      if (!(error instanceof EscapeError)) throw error;
      throw new SyntaxIssue(error.message, token.offset);
    }
    if (token.kind === "end" || token.kind === "quoted identifier") throw mismatch(token, operand);
    return this.#number(token, false, token.offset);
  }

  #number(token: Token, negative: boolean, offset: number): Expression {
    const value =
      token.kind === "int"
        ? parseIntLiteral(token.text, negative)
        : token.kind === "uint"
          ? parseUintLiteral(token.text)
          : parseDoubleLiteral(token.text, negative);
    if (value === undefined) throw new SyntaxIssue(`invalid ${token.kind} literal`, offset);
    return this.#literal(offset, value);
  }

  /** A name, a call of a function, or a message: `a.b.C{…}`. */
  #named(token: Token, dot: string): Expression {
    const struct = this.#struct(token, dot);
    if (struct !== undefined) return struct;
    if (reserved.has(token.text)) throw new SyntaxIssue(`reserved identifier: ${token.text}`, token.offset);
    const open = this.#peek();
    if (open.kind === "symbol" && open.text === "(") {
      return this.#call(dot + token.text, open.offset, undefined, this.#arguments());
    }
    return { id: this.#id(), offset: token.offset, kind: "identifier", name: dot + token.text };
  }

  /** Looks ahead over names and dots to an opening brace. */
  #struct(first: Token, dot: string): Expression | undefined {
    let at = this.#at;
    let typeName = dot + first.text;
    const isSymbol = (token: Token | undefined, text: string) =>
      token?.kind === "symbol" && token.text === text;
    for (; isSymbol(this.#tokens[at], ".") && this.#tokens[at + 1]?.kind === "identifier"; at += 2) {
      typeName += `.${this.#tokens[at + 1]?.text}`;
    }
    const open = this.#tokens[at];
    if (open === undefined || !isSymbol(open, "{")) return undefined;
    this.#at = at + 1;
    const id = this.#id();
    const fields = this.#sequence("}", () => this.#field());
    this.#deepen(
      id,
      fields.map(({ value }) => value),
    );
    return { id, offset: open.offset, kind: "struct", typeName, fields };
  }

  #field(): StructField {
    const optional = this.#acceptOptional("unsupported syntax '?'", this.#peek());
    const name = this.#next();
    if (name.kind === "quoted identifier") throw new SyntaxIssue("unsupported syntax: '`'", name.offset);
    if (name.kind !== "identifier") throw mismatch(name, "{IDENTIFIER, ESC_IDENTIFIER}");
    const colon = this.#expect(":", "':'");
    const value = this.#expression();
    return { id: this.#id(), offset: colon.offset, name: name.text, value, optional };
  }

  #list(offset: number): Expression {
    const id = this.#id();
    const elements: ListLiteral["elements"] = this.#sequence("]", () => {
      const optional = this.#acceptOptional("unsupported syntax '?'", this.#peek());
      return { value: this.#expression(), optional };
    });
    this.#deepen(
      id,
      elements.map(({ value }) => value),
    );
    return { id, offset, kind: "list", elements };
  }

  #map(offset: number): Expression {
    const id = this.#id();
    const entries = this.#sequence("}", (): MapEntry => {
      const optional = this.#acceptOptional("unsupported syntax '?'", this.#peek());
      const key = this.#expression();
      const colon = this.#expect(":", "':'");
      const value = this.#expression();
      return { id: this.#id(), offset: colon.offset, key, value, optional };
    });
    this.#deepen(
      id,
      entries.flatMap(({ key, value }) => [key, value]),
    );
    return { id, offset, kind: "map", entries };
  }

  /** Parts between commas up to `close`; a comma may follow the last. */
  #sequence<T>(close: string, part: () => T): readonly T[] {
    const parts: T[] = [];
    while (this.#accept(close) === undefined) {
      parts.push(part());
      if (this.#accept(",") !== undefined) continue;
      this.#expect(close, `{'${close}', ','}`);
      break;
    }
    return parts;
  }

  #arguments(): readonly Expression[] {
    this.#at += 1;
    const args: Expression[] = [];
    if (this.#accept(")") !== undefined) return args;
    do args.push(this.#expression());
    while (this.#accept(",") !== undefined);
    this.#expect(")", "{',', ')'}");
    return args;
  }

  /** A call, or what its macro makes of it. */
  #call(
    name: string,
    offset: number,
    target: Expression | undefined,
    args: readonly Expression[],
  ): Expression {
    const below = target === undefined ? args : [target, ...args];
    const macro = this.#options.macros.get(macroKey(name, target !== undefined, args.length));
    const make = new NodeFactory(offset, () => this.#id());
    let expanded: Expression | undefined;
    if (macro?.receiver === false) expanded = macro.expand(make, ...args);
    else if (macro !== undefined && target !== undefined) expanded = macro.expand(make, target, ...args);
    const call: Call = { id: 0, offset, kind: "call", name, target, args };
    const expression = expanded ?? { ...call, id: this.#id() };
    this.#deepen(expression.id, below, target !== undefined || deepening.has(name) ? 1 : 0);
    return expression;
  }

  #literal(offset: number, value: Value): Expression {
    return { id: this.#id(), offset, kind: "literal", value };
  }

  #id(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #deepen(id: number, below: readonly Expression[], weight = 0): void {
    const depth = below.reduce((most, node) => Math.max(most, this.#depths[node.id] ?? 0), 0) + weight;
    if (depth > deepest) throw new SyntaxIssue("max recursion depth exceeded", undefined);
    this.#depths[id] = depth;
  }

  #enter(rule: Rule): void {
    this.#nesting[rule] += 1;
    if (this.#nesting[rule] <= deepest) return;
    throw new SyntaxIssue(`expression recursion limit exceeded: ${deepest}`, undefined);
  }

  #acceptOptional(refusal: string, place: Token): boolean {
    const question = this.#accept("?");
    if (question !== undefined && !this.#options.optionalSyntax) throw new SyntaxIssue(refusal, place.offset);
    return question !== undefined;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: "end", text: "<EOF>", offset: 0 };
  }

  #next(): Token {
    const token = this.#peek();
    if (token.kind !== "end") this.#at += 1;
    return token;
  }

  #accept(symbol: string): Token | undefined {
    const token = this.#peek();
    if (token.kind !== "symbol" || token.text !== symbol) return undefined;
    this.#at += 1;
    return token;
  }

  #expect(symbol: string, expected: string): Token {
    const token = this.#accept(symbol);
    if (token === undefined) throw mismatch(this.#peek(), expected);
    return token;
  }

  #expectKind(kind: TokenKind, expected: string): Token {
    const token = this.#next();
    if (token.kind !== kind) throw mismatch(token, expected);
    return token;
  }
}

function mismatch(token: Token, expected: string, problem = "mismatched input"): SyntaxIssue {
  return new SyntaxIssue(`Syntax error: ${problem} '${token.text}' expecting ${expected}`, token.offset);
}
