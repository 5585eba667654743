/** An unquoted scalar: the type by which YAML calls it, and its value. A bigint is beyond JavaScript's safe integers. */
export interface PlainScalar {
  readonly type: "bool" | "float" | "int" | "null" | "str";
  readonly value: string | number | bigint | boolean | null;
}

/**
 * Reads an unquoted YAML scalar as Kubernetes does (go-yaml v2): YAML 1.1's words for true and false, integers of 64
 * bits, no sexagesimal numbers. A timestamp is a string, and so is a number that is too large.
 */
export function resolvePlain(text: string): PlainScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return { type: "str", value: text };
  const plain = text.startsWith(".") ? text : text.replaceAll("_", "");
  const int = integer(plain);
  if (int !== undefined) return { type: "int", value: int };
  const value = float(plain);
  return value === undefined ? { type: "str", value: text } : { type: "float", value };
}

const words = new Map<string, PlainScalar>();
function define(type: PlainScalar["type"], value: PlainScalar["value"], ...texts: readonly string[]): void {
  for (const text of texts) words.set(text, { type, value });
}
define("bool", true, ...["y", "yes", "on", "true"].flatMap(forms));
define("bool", false, ...["n", "no", "off", "false"].flatMap(forms));
define("null", null, "", "~", ...forms("null"));
define("float", Number.NaN, ".nan", ".NaN", ".NAN");
define("float", Infinity, ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF");
define("float", -Infinity, "-.inf", "-.Inf", "-.INF");

/** `yes`, `Yes` and `YES` */
function forms(word: string): string[] {
  return [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()];
}

/** The forms of integers, each with JavaScript's prefix of its base. */
const bases: readonly [RegExp, string][] = [
  [/^([-+]?)0[xX]([0-9a-fA-F]+)$/, "0x"],
  [/^([-+]?)0[bB]([01]+)$/, "0b"],
  [/^([-+]?)0[oO]?([0-7]+)$/, "0o"],
  [/^([-+]?)([1-9][0-9]*|0)$/, ""],
];

/** An integer of 64 bits; without a sign, it may use all of them. */
function integer(text: string): number | bigint | undefined {
  for (const [pattern, prefix] of bases) {
    const [, sign = "", digits = ""] = pattern.exec(text) ?? [];
    if (digits === "") continue;
    const magnitude = digits.replace(/^0+(?=.)/, "");
    // No integer has more digits, and many would take long.
    if (magnitude.length > 64) return undefined;
    const value = BigInt(prefix + magnitude) * (sign === "-" ? -1n : 1n);
    if (value < -(2n ** 63n) || value >= 2n ** (sign === "" ? 64n : 63n)) return undefined;
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  return undefined;
}

function float(text: string): number | undefined {
  if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
