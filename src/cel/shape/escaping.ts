import { table } from "../../util/table.ts";

/**
 * Escaped names of properties that are not valid identifiers: `spec.a-b` is `spec.a__dash__b`, `namespace` is
 * `__namespace__` (`k8s.io/apiserver/pkg/cel/escaping.go`).
 */
const keywords: ReadonlySet<string> = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace " +
    "return var void while"
  ).split(" "),
);

const escapes: Readonly<Record<string, string>> = table({
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
});

const unescapes: ReadonlyMap<string, string> = new Map([
  ...Object.entries(escapes).map(([text, escape]) => [escape, text] as const),
  ...Array.from(keywords, (word) => [`__${word}__`, word] as const),
]);

/** Escapes a property name; undefined when it cannot be escaped. */
export function escapeName(property: string): string | undefined {
  if (!/^[a-zA-Z_./-][\w./-]*$/.test(property)) return undefined;
  if (keywords.has(property)) return `__${property}__`;
  return property.replaceAll(/__|[-./]/g, (part) => escapes[part] ?? part);
}

/** Unescapes a name; undefined when it is not an escaped property name. */
export function unescapeName(name: string): string | undefined {
  let isValid = true;
  const property = name.replaceAll(/__[^_]+__/g, (part) => {
    const text = unescapes.get(part);
    // A keyword is only escaped if it is the whole name.
    if (text === undefined || (keywords.has(text) && part !== name)) isValid = false;
    return text ?? part;
  });
  return isValid ? property : undefined;
}
