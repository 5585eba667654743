/** Splits at whitespace outside of quotes. Quotes and escapes stay, for `expandWord`. */
export function splitWords(text: string, escape: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const next = text[at] ?? "";
    if (next === escape && quote !== "'") {
      word += next + (text[++at] ?? "");
      continue;
    }
    if (quote !== "") {
      if (next === quote) quote = "";
      word += next;
    } else if (/\s/.test(next)) {
      if (word !== "") words.push(word);
      word = "";
    } else {
      if (next === "'" || next === '"') quote = next;
      word += next;
    }
  }
  if (word !== "") words.push(word);
  return words;
}

/** Returns the strings of an exec form; undefined for anything but a JSON array of strings. */
export function execForm(text: string): readonly string[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const words = value.filter((word) => typeof word === "string");
  return words.length === value.length ? words : undefined;
}

/**
 * Splits `NAME=value …`, or the older `NAME value`, whose value is the rest of the line. @throws Error with the
 * reason
 */
export function namedValues(
  instruction: string,
  text: string,
  escape: string,
): readonly (readonly [name: string, value: string])[] {
  const words = splitWords(text, escape);
  const [first = ""] = words;
  if (!first.includes("=")) {
    const [, name = "", value = ""] = /^(\S+)\s+([^]*)$/.exec(text) ?? [];
    if (name === "") throw new Error(`${instruction} must have two arguments`);
    return [[name, value]];
  }
  return words.map((word) => {
    const at = word.indexOf("=");
    if (at < 0)
      throw new Error(
        `Syntax error - can't find = in ${JSON.stringify(word)}. Must be of the form: name=value`,
      );
    if (at === 0) throw new Error(`${instruction} names can not be blank`);
    return [word.slice(0, at), word.slice(at + 1)];
  });
}
