/**
 * The value of an unquoted YAML scalar in Kubernetes: YAML 1.1's words for true and false, Go's integers, no
 * sexagesimal numbers. A timestamp is a string.
 */
export function resolvePlain(text: string): string | number | boolean | null {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return text;
  const plain = text.startsWith(".") ? text : text.replaceAll("_", "");
  return integer(plain) ?? float(plain) ?? text;
}

const words = new Map<string, boolean | null | number>();
for (const word of ["y", "yes", "on", "true"]) for (const form of forms(word)) words.set(form, true);
for (const word of ["n", "no", "off", "false"]) for (const form of forms(word)) words.set(form, false);
for (const word of ["", "~", ...forms("null")]) words.set(word, null);
for (const word of [".nan", ".NaN", ".NAN"]) words.set(word, Number.NaN);
for (const word of [".inf", ".Inf", ".INF"]) {
  words.set(word, Infinity).set(`+${word}`, Infinity).set(`-${word}`, -Infinity);
}

/** `yes`, `Yes` and `YES` */
function forms(word: string): string[] {
  return [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()];
}

const bases: readonly [RegExp, number][] = [
  [/^([-+]?)0[xX]([0-9a-fA-F]+)$/, 16],
  [/^([-+]?)0[bB]([01]+)$/, 2],
  [/^([-+]?)0[oO]?([0-7]+)$/, 8],
  [/^([-+]?)([1-9][0-9]*|0)$/, 10],
];

function integer(text: string): number | undefined {
  for (const [pattern, base] of bases) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const [, sign = "", digits = ""] = match;
    // Number() rounds long decimals correctly; a conversion digit by digit would not.
    const value = base === 10 ? Number(digits) : Number.parseInt(digits, base);
    return sign === "-" && value !== 0 ? -value : value;
  }
  return undefined;
}

function float(text: string): number | undefined {
  if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
