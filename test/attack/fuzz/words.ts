import type { Random } from "../../../src/util/random.ts";

/** Returns one of the values, each with equal probability. */
export function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random.next() * values.length)] as T;
}

export function chance(random: Random, likely: number): boolean {
  return random.next() < likely;
}

/** Names of properties that every JavaScript object has. */
export const prototypeNames = [
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "__proto__",
  "__defineGetter__",
  "prototype",
  "then",
  "length",
];

/** Strings on which parsers, patterns and encoders differ. */
export const oddTexts: readonly string[] = [
  ...prototypeNames,
  "",
  " ",
  ".",
  "..",
  "a/b",
  "%2f",
  "%ZZ",
  "%",
  "\0",
  "\n",
  "é",
  "日本",
  "😀",
  "\u202e",
  "a".repeat(64),
  "a".repeat(300),
  "A-_.",
  "-1",
  "0",
  "1",
  "1e999",
  "9223372036854775808",
  "NaN",
  "true",
  "null",
  "{}",
  "[",
  "1Ki",
  "1.5",
  "-",
  "*",
  "a=b",
  "a in (b,c)",
  "a,!b,c notin (d)",
  "metadata.name=a",
  "metadata.name!=",
  "a=\\",
  "2026-01-01T00:00:00Z",
  "v1",
  "apps/v1",
  "a/b/c",
  "default",
  "kubernetes",
  "system:masters",
  "10.96.0.1",
  "::ffff:1.2.3.4",
  "10.0.0.0/33",
  "$(a)",
  "^(a+)+$",
  "self.size() > 0",
  "https://a:b@c/d?e#f",
];

export function oddText(random: Random): string {
  return pick(random, oddTexts);
}

const oddNumbers = [
  0,
  -0,
  -1,
  1,
  0.5,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 64),
  1e21,
  1e308,
  5e-324,
  65_536,
];

/** Returns any JSON value, rarely a valid one. */
export function oddValue(random: Random, depth = 0): unknown {
  const kinds = depth > 3 ? 4 : 9;
  switch (Math.floor(random.next() * kinds)) {
    case 0:
      return null;
    case 1:
      return pick(random, [true, false]);
    case 2:
      return pick(random, oddNumbers);
    case 3:
      return oddText(random);
    case 4:
      return [];
    case 5:
      return {};
    case 6:
      return Array.from({ length: Math.floor(random.next() * 4) }, () => oddValue(random, depth + 1));
    case 7:
      return ownEntries(
        Array.from({ length: Math.floor(random.next() * 4) }, () => [
          oddText(random),
          oddValue(random, depth + 1),
        ]),
      );
    default:
      return nested(Math.floor(random.next() * 60), oddValue(random, 9));
  }
}

/** Returns an object of these entries, `__proto__` included. */
export function ownEntries(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}

function nested(depth: number, inner: unknown): unknown {
  let value = inner;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}
