/** In code points, as upstream counts them (apiserver `endpoints/filters/warning.go`). */
const maxTotal = 4096;
const maxItem = 256;

/**
 * The value of the `Warning` header: each text once. When they are long all together, each is cut short, and those
 * past the limit are left out.
 */
export function warningHeader(warnings: Iterable<string>): string {
  const texts = [...new Set(warnings)].map((text) => Array.from(text.replaceAll(/\p{C}/gu, " ")));
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  if (total <= maxTotal) return texts.map(quote).join(", ");
  const kept: string[] = [];
  let written = 0;
  for (const text of texts) {
    if (written >= maxTotal) break;
    const cut = text.slice(0, maxItem);
    written += cut.length;
    kept.push(quote(cut));
  }
  return kept.join(", ");
}

/** RFC 7234 §5.5, as clients print it: code 299, no agent, a quoted text without control characters. */
function quote(text: readonly string[]): string {
  return `299 - "${text.join("").replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
