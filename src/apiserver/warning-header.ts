/** Code points, as upstream counts them (apiserver `endpoints/filters/warning.go`). */
const maxTotal = 4096;
const maxItem = 256;

/**
 * Returns the values of the `Warning` headers, one for each text. When the texts are too long in total, each
 * is truncated, and those past the limit are dropped.
 */
export function warningHeaders(warnings: Iterable<string>): readonly string[] {
  const texts: string[] = [];
  let total = 0;
  for (const text of warnings) {
    // Only as much of a text is read as the limits can show, because a text may be as long as a body.
    const [head, length] = headOf(text, maxTotal + 1);
    texts.push(head);
    total += length;
    if (total > maxTotal) break;
  }
  if (total <= maxTotal) return texts.map(quote);
  const kept: string[] = [];
  let written = 0;
  for (const text of warnings) {
    if (written >= maxTotal) break;
    const [head, length] = headOf(text, maxItem);
    written += length;
    kept.push(quote(head));
  }
  return kept;
}

/** Returns the first code points of a text, and their number. */
function headOf(text: string, most: number): readonly [string, number] {
  // A code point takes two units at most.
  const points = Array.from(text.slice(0, most * 2)).slice(0, most);
  return [points.join("").replaceAll(/\p{C}/gu, " "), points.length];
}

/**
 * Formats a warning (RFC 7234 §5.5) as clients print it: code 299, no agent, a quoted text without control
 * characters.
 */
function quote(text: string): string {
  return `299 - "${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
