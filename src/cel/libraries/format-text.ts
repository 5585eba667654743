import type { Call, Expression } from "../ast.ts";
import { spend, spendOnText } from "../effort.ts";
import type { Issue } from "../source.ts";
import { quoted } from "../../util/go-quote.ts";
import type { Type } from "../type.ts";
import { CelError, type CelList } from "../values.ts";
import { accepts, type Clause, formatAs, isVerb, refusal, type Verb } from "./format-clause.ts";

/** `text.format(values)` as in the second version of cel-go's string library, in American English. */

/** An error of a format, and the index of the argument that it is about. */
interface Failure {
  readonly message: string;
  readonly argument?: Expression;
}

const isFailure = (result: string | Failure): result is Failure => typeof result !== "string";
const during = (failure: Failure): Failure => ({
  ...failure,
  message: `error during formatting: ${failure.message}`,
});

interface Arguments {
  readonly size: number;
  /** True when a missing argument is reported before the clause is parsed. */
  readonly isEager: boolean;
  readonly put: (clause: Clause, index: number) => string | Failure;
}

/** Replaces each clause by the result of `put` for its argument. */
function interpolate(format: string, { size, isEager, put }: Arguments): Interpolation {
  const parts: string[] = [];
  let used = 0;
  let at = 0;
  for (;;) {
    const next = format.indexOf("%", at);
    if (next < 0) return { text: parts.join("") + format.slice(at), used };
    spend(1);
    parts.push(format.slice(at, next));
    at = next + 1;
    if (format.charAt(at) === "%") {
      parts.push("%");
      at += 1;
      continue;
    }
    if (at >= format.length && (!isEager || used < size)) return { message: "unexpected end of string" };
    if (used >= size) return { message: `index ${used} out of range` };
    const [clause, end] = readClause(format, at);
    if ("message" in clause) return { message: `could not parse formatting clause: ${clause.message}` };
    const text = put(clause, used);
    if (isFailure(text)) return during(text);
    spendOnText(text.length);
    parts.push(text);
    used += 1;
    at = end;
  }
}

type Interpolation = { readonly text: string; readonly used: number } | Failure;

/** Parses the clause after a percent sign. Returns the clause and its end. */
function readClause(format: string, start: number): readonly [Clause | Failure, number] {
  const [, digits] = /^\.([0-9]*)/.exec(format.slice(start, start + 1000)) ?? [];
  const at = digits === undefined ? start : start + 1 + digits.length;
  const inPrecision = "error while parsing precision:";
  if (at >= format.length) {
    return [{ message: `${inPrecision} could not find end of precision specifier` }, at];
  }
  const precision = digits === undefined ? undefined : Number(digits);
  if (digits === "" || (precision !== undefined && precision >= 2 ** 63)) {
    const problem = digits === "" ? "invalid syntax" : "value out of range";
    const parsing = `error while converting precision to integer: strconv.Atoi: parsing ${quoted(digits ?? "")}`;
    return [{ message: `${inPrecision} ${parsing}: ${problem}` }, at];
  }
  const verb = format.charAt(at);
  if (isVerb(verb)) return [{ verb, precision }, at + 1];
  // Upstream reads bytes.
  const byte = String.fromCharCode(Buffer.from(format.slice(at, at + 2))[0] ?? 0);
  return [{ message: `unrecognized formatting clause "${byte}"` }, at];
}

export function format(text: string, values: CelList): string | CelError {
  const result = interpolate(text, {
    size: values.size,
    isEager: true,
    put: (clause, index) => {
      const value = values.at(index);
      const formatted = value instanceof CelError ? value : formatAs(clause, value);
      return formatted instanceof CelError ? { message: formatted.message } : formatted;
    },
  });
  return "message" in result ? new CelError(result.message) : result.text;
}

/** Returns the issues of a call whose format and list of arguments are literals. */
export function checkFormat(call: Call, typeOf: (expression: Expression) => Type): readonly Issue[] {
  const {
    target,
    args: [list],
    offset,
  } = call;
  if (target?.kind !== "literal" || typeof target.value !== "string" || list?.kind !== "list") return [];
  const values = list.elements.map(({ value }) => value);
  const result = interpolate(target.value, {
    size: values.length,
    isEager: false,
    put: ({ verb }, index) => {
      const argument = values[index];
      const wrong = argument && stranger(verb, argument, typeOf);
      return wrong === undefined ? "" : { message: refusal(verb, typeOf(wrong)), argument: wrong };
    },
  });
  if ("message" in result) return [{ message: result.message, offset: result.argument?.offset ?? offset }];
  if (values.length <= result.used) return [];
  const counts = `expected ${result.used}, got ${values.length}`;
  return [{ message: `too many arguments supplied to string.format (${counts})`, offset }];
}

/** The first expression with a wrong type: the argument, or a part of a nested list or map. */
function stranger(
  verb: Verb,
  argument: Expression,
  typeOf: (expression: Expression) => Type,
): Expression | undefined {
  const type = typeOf(argument);
  if (type.kind !== "dyn" && !accepts(verb, type)) return argument;
  if (verb !== "s" || (argument.kind !== "list" && argument.kind !== "map")) return undefined;
  const parts =
    argument.kind === "list"
      ? argument.elements.map(({ value }) => value)
      : argument.entries.flatMap(({ key, value }) => [key, value]);
  for (const part of parts) {
    const wrong = stranger(verb, part, typeOf);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
