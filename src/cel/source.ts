/** The source of an expression and its issues. Offsets are UTF-16; locations count code points. */

import { spend } from "./effort.ts";
import { codePoints } from "./text.ts";

/** A compilation error, at an offset of its source or without a location. */
export interface Issue {
  readonly message: string;
  readonly offset: number | undefined;
}

/** Thrown by the parser at the first syntax error. */
export class SyntaxIssue extends Error {
  override readonly name = "SyntaxIssue";
  readonly offset: number | undefined;

  constructor(message: string, offset: number | undefined) {
    super(message);
    this.offset = offset;
  }
}

const reported = 100;
/** Lines above this length in bytes are not quoted in messages. */
const longestSnippet = 16_384;

interface Located {
  readonly message: string;
  /** From 1; -1 without a location. */
  readonly line: number;
  /** From 0, in code points. */
  readonly column: number;
}

/**
 * All issues as cel-go prints them, in the order of their locations (`common/errors.go`). @throws
 * BudgetExceeded
 */
export function renderIssues(source: string, issues: readonly Issue[]): string {
  // An empty source has no line to show, and no first column.
  const lines = source === "" ? [] : source.split("\n");
  const located = issues.slice(0, reported).map((issue) => locate(lines, issue));
  located.sort((a, b) => a.line - b.line || a.column - b.column);
  const dots = new Map<string, string>();
  const shown = located.map((issue) => render(lines, issue, dots));
  if (issues.length > reported) shown.push(`${issues.length - reported} more errors were truncated`);
  return shown.join("\n");
}

function locate(lines: readonly string[], { message, offset }: Issue): Located {
  if (offset === undefined) return { message, line: -1, column: -1 };
  if (lines.length === 0) return { message, line: 1, column: -1 };
  let start = 0;
  let line = 0;
  for (; line < lines.length - 1; line++) {
    const next = start + (lines[line]?.length ?? 0) + 1;
    if (next > offset) break;
    start = next;
  }
  return { message, line: line + 1, column: codePoints((lines[line] ?? "").slice(0, offset - start)) };
}

/** Formats an issue. `dots` caches the indentation below lines, because issues often share a line. */
function render(
  lines: readonly string[],
  { message, line, column }: Located,
  dots: Map<string, string>,
): string {
  const text = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  const snippet = lines[line - 1]?.replaceAll("\t", " ");
  if (snippet === undefined || Buffer.byteLength(snippet) > longestSnippet) return text;
  spend(snippet.length);
  const under = dots.get(snippet) ?? Array.from(snippet, (point) => (point > "\x7f" ? wide : ".")).join("");
  dots.set(snippet, under);
  return `${text}\n | ${snippet}\n | ${under.slice(0, column)}${under[column] === wide ? "＾" : "^"}`;
}

/** The mark below a character that is not ASCII. */
const wide = "．";
