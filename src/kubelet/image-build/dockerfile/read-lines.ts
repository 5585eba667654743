import { DockerfileError } from "./dockerfile-error.ts";

/** An instruction's text without comments, continuations joined. */
export interface LogicalLine {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface DockerfileText {
  /** The character that escapes and continues lines: a backslash, or a backtick by directive. */
  readonly escape: "\\" | "`";
  readonly lines: readonly LogicalLine[];
}

/** Bytes of a Dockerfile, and its instructions. */
export const maxDockerfileBytes = 1024 * 1024;
const maxInstructions = 10_000;

const directive = /^#[ \t]*([a-zA-Z][a-zA-Z0-9]*)[ \t]*=[ \t]*(.+?)[ \t]*$/;

/** Splits a Dockerfile into its instructions (Dockerfile reference: "Format", "Parser directives"). @throws DockerfileError */
export function readLogicalLines(file: string, source: string): DockerfileText {
  if (Buffer.byteLength(source) > maxDockerfileBytes)
    throw new DockerfileError(file, 1, `the file has more than ${maxDockerfileBytes} bytes`);
  const physical = source.replace(/^\uFEFF/, "").split(/\r?\n/);
  const escape = escapeOf(file, physical);
  const lines: LogicalLine[] = [];
  let parts: string[] = [];
  let first = 0;
  for (const [index, raw] of physical.entries()) {
    // Comments and empty lines do not end a continued instruction.
    if (/^[ \t]*(#|$)/.test(raw)) continue;
    if (parts.length === 0) first = index + 1;
    const continued = withoutContinuation(raw, escape);
    const part = continued ?? raw;
    parts.push(parts.length === 0 ? part.trimStart() : part);
    if (continued !== undefined) continue;
    lines.push({ line: first, text: parts.join("").trimEnd() });
    parts = [];
    if (lines.length > maxInstructions)
      throw new DockerfileError(file, first, `the file has more than ${maxInstructions} instructions`);
  }
  const rest = parts.join("").trimEnd();
  if (rest !== "") lines.push({ line: first, text: rest });
  return { escape, lines };
}

/** Reads the directives, which precede everything else. */
function escapeOf(file: string, physical: readonly string[]): "\\" | "`" {
  let escape: "\\" | "`" = "\\";
  const seen = new Set<string>();
  for (const [index, line] of physical.entries()) {
    const [, name = "", value = ""] = directive.exec(line) ?? [];
    const key = name.toLowerCase();
    if (!["syntax", "escape", "check"].includes(key)) break;
    if (seen.has(key))
      throw new DockerfileError(file, index + 1, `only one ${key} parser directive can be used`);
    seen.add(key);
    if (key !== "escape") continue;
    if (value !== "\\" && value !== "`")
      throw new DockerfileError(file, index + 1, `invalid ESCAPE ${JSON.stringify(value)}: use \\ or \``);
    escape = value;
  }
  return escape;
}

/** Returns the line up to the escape character at its end; undefined for a line that is not continued. */
function withoutContinuation(line: string, escape: string): string | undefined {
  const end = line.trimEnd();
  if (!end.endsWith(escape) || end.endsWith(escape + escape)) return undefined;
  return end.slice(0, -1);
}
