import { table } from "../../util/table.ts";

/**
 * Names of properties as expressions can say them: `spec.a-b` is `spec.a__dash__b`, `namespace` is
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

/** Undefined when no name can stand for the property. */
export function escapeName(property: string): string | undefined {
  if (!/^[a-zA-Z_./-][\w./-]*$/.test(property)) return undefined;
  if (keywords.has(property)) return `__${property}__`;
  return property.replaceAll(/__|[-./]/g, (part) => escapes[part] ?? part);
}

/** The property that a name stands for; undefined when it is not how a property is escaped. */
export function unescapeName(name: string): string | undefined {
  let isValid = true;
  const property = name.replaceAll(/__[^_]+__/g, (part) => {
    const text = unescapes.get(part);
    // A keyword is only escaped where it is the whole name.
    if (text === undefined || (keywords.has(text) && part !== name)) isValid = false;
    return text ?? part;
  });
  return isValid ? property : undefined;
}
