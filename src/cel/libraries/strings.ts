import { ArrayList } from "../collections.ts";
import { type CostModel, perCharacter, reading, sizeAt, sizeOf, traversal } from "../cost/model.ts";
import { plus, type Range, scaled, times, zero } from "../cost/range.ts";
import { type FunctionDeclaration, global, type Library, member } from "../declarations.ts";
import { spend, spendOnText } from "../effort.ts";
import { formatValue } from "../format-value.ts";
import { quoted } from "../../util/go-quote.ts";
import { codePoints, codeUnitOf, trim } from "../text.ts";
import { dyn, int, listOf, string } from "../types.ts";
import { CelError, type CelList, type Int } from "../values.ts";
import { checkFormat, format } from "./format-text.ts";
import { oneLook } from "./lists.ts";
import { replacement } from "./replacement-size.ts";

/** String functions (cel-go `ext.Strings`, version 2). Indexes count code points. */

const outOfRange = (index: Int) => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: Int): string | CelError {
  const size = codePoints(text);
  if (index < 0 || index > size) return outOfRange(index);
  const start = codeUnitOf(text, Number(index));
  return text.slice(start, codeUnitOf(text, 1, start));
}

/**
 * Takes the steps of a search, which may take as long as the product of both lengths. Upstream's cost only
 * includes one of them.
 */
const spendOnSearch = (text: string, part: string) => spend((text.length * part.length) / 256);

function indexOf(text: string, part: string, from: Int = 0): Int | CelError {
  if (part === "") return from;
  if (from < 0) return outOfRange(from);
  if (from >= codePoints(text)) return -1;
  spendOnSearch(text, part);
  const found = text.indexOf(part, codeUnitOf(text, Number(from)));
  return found < 0 ? -1 : codePoints(text.slice(0, found));
}

function lastIndexOf(text: string, part: string, from?: Int): Int | CelError {
  const size = codePoints(text);
  if (part === "") return from ?? size;
  if (from === undefined && text.length < part.length) return -1;
  const start = from ?? size - 1;
  if (start < 0) return outOfRange(start);
  if (start >= size) return -1;
  spendOnSearch(text, part);
  const found = text.lastIndexOf(part, codeUnitOf(text, Number(start)));
  return found < 0 ? -1 : codePoints(text.slice(0, found));
}

function substring(text: string, start: Int, end?: Int): string | CelError {
  const size = codePoints(text);
  if (end !== undefined && start > end) {
    return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0 || start > size) return outOfRange(start);
  if (end !== undefined && end > size) return outOfRange(end);
  const first = codeUnitOf(text, Number(start));
  return text.slice(
    first,
    end === undefined ? undefined : codeUnitOf(text, Number(end) - Number(start), first),
  );
}

/**
 * Splits into at most `most` pieces, the last of which is the rest; into all pieces if `most` is negative.
 */
function cut(text: string, separator: string, most: Int): readonly string[] {
  spendOnSearch(text, separator);
  const wanted = most < 0 ? Number.POSITIVE_INFINITY : Number(most);
  const pieces: string[] = [];
  let start = 0;
  while (pieces.length + 1 < wanted) {
    const end = separator === "" ? codeUnitOf(text, 1, start) : text.indexOf(separator, start);
    if (end < 0 || (separator === "" && end >= text.length)) break;
    spend(1);
    pieces.push(text.slice(start, end));
    start = end + separator.length;
  }
  const isNothing = wanted === 0 || (separator === "" && text === "");
  return isNothing ? [] : [...pieces, text.slice(start)];
}

/** Replaces a part of a text. An empty part matches before, between and after all characters. */
function replace(text: string, part: string, by: string, most: Int = -1): string {
  if (part === by || most === 0) return text;
  const pieces =
    part === "" ? ["", ...cut(text, part, most)] : cut(text, part, most < 0 ? most : Number(most) + 1);
  const isWhole = part === "" && (most < 0 || most > codePoints(text));
  const all = isWhole ? [...pieces, ""] : pieces;
  spendOnText(text.length + all.length * by.length);
  return all.join(by);
}

function join(list: CelList, separator = ""): string | CelError {
  const texts: string[] = [];
  for (const element of list) {
    if (typeof element !== "string") {
      const what = element instanceof CelError ? element.message : formatValue(element);
      return new CelError(`join: invalid input: ${what}`);
    }
    spendOnText(16 + element.length + separator.length);
    texts.push(element);
  }
  return texts.join(separator);
}

/** Quotes a text with the escapes of CEL. */
const quote = (text: string) => {
  spendOnText(text.length);
  return quoted(text, false);
};

/** The cost of reading a text and splitting it. */
const cutting: CostModel = {
  estimate: (args) => {
    const most = args[2]?.literal;
    const isInt = typeof most === "number" || typeof most === "bigint";
    const max = isInt ? Number(most) + (most < 0 ? 2 ** 64 : 0) : sizeAt(args, 0).max;
    return { cost: twice.estimate(args).cost, size: { min: 0, max } };
  },
  actual: (args) => twice.actual(args, null),
};
const twice = traversal(0, 2);

const joining: CostModel = {
  estimate: ([list, separator]) => {
    const count = list?.size ?? zero;
    const elements = list?.elements === undefined ? zero : times(count, list.elements.size);
    const gaps: Range = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
    const size = separator === undefined ? elements : plus(elements, times(separator.size, gaps));
    return { cost: scaled(size, perCharacter), size };
  },
  actual: (_args, result) => Math.ceil(sizeOf(result) * 2 * perCharacter),
};

const once = traversal(0);
/**
 * The cost of quoting. Each character may need an escape, and two quotes are added. Upstream's sum overflows
 * if the size is unknown.
 */
const quoting: CostModel = {
  estimate: (args) => {
    const size = sizeAt(args, 0);
    return { cost: once.estimate(args).cost, size: { min: size.min + 2, max: (size.max * 2 + 2) % 2 ** 64 } };
  },
  actual: once.actual,
};

const functions: readonly FunctionDeclaration[] = [
  { name: "charAt", overloads: [member("string_char_at_int", [string, int], string, charAt)] },
  {
    name: "indexOf",
    overloads: [
      member("string_index_of_string", [string, string], int, (text, part) => indexOf(text, part)),
      member("string_index_of_string_int", [string, string, int], int, indexOf),
    ],
    cost: oneLook,
  },
  {
    name: "lastIndexOf",
    overloads: [
      member("string_last_index_of_string", [string, string], int, (text, part) => lastIndexOf(text, part)),
      member("string_last_index_of_string_int", [string, string, int], int, lastIndexOf),
    ],
    cost: oneLook,
  },
  {
    name: "lowerAscii",
    overloads: [
      member("string_lower_ascii", [string], string, (text) =>
        text.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
      ),
    ],
    cost: once,
  },
  {
    name: "upperAscii",
    overloads: [
      member("string_upper_ascii", [string], string, (text) =>
        text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
      ),
    ],
    cost: once,
  },
  {
    name: "replace",
    overloads: [
      member("string_replace_string_string", [string, string, string], string, (text, part, by) =>
        replace(text, part, by),
      ),
      member("string_replace_string_string_int", [string, string, string, int], string, replace),
    ],
    cost: replacement,
  },
  {
    name: "split",
    overloads: [
      member(
        "string_split_string",
        [string, string],
        listOf(string),
        (text, separator) => new ArrayList(cut(text, separator, -1)),
      ),
      member(
        "string_split_string_int",
        [string, string, int],
        listOf(string),
        (text, separator, most) => new ArrayList(cut(text, separator, most)),
      ),
    ],
    cost: cutting,
  },
  {
    name: "substring",
    overloads: [
      member("string_substring_int", [string, int], string, (text, start) => substring(text, start)),
      member("string_substring_int_int", [string, int, int], string, substring),
    ],
    cost: once,
  },
  { name: "trim", overloads: [member("string_trim", [string], string, trim)], cost: once },
  {
    name: "join",
    overloads: [
      member("list_join", [listOf(string)], string, (list) => join(list)),
      member("list_join_string", [listOf(string), string], string, join),
    ],
    cost: joining,
  },
  {
    name: "format",
    overloads: [member("string_format", [string, listOf(dyn)], string, format, reading(0))],
    mixesTypes: true,
    checkCall: checkFormat,
  },
  { name: "strings.quote", overloads: [global("strings_quote", [string], string, quote, quoting)] },
];

export const stringFunctions: Library = { functions };
