/** Patterns of text that differs in each run. Uids and times are first, because parts of them match other patterns. */
const masks: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uid>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>"],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "<time>"],
  [/\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4}( UTC)?/g, "<time>"],
  [/^([EWI])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (\S+):\d+\]/gm, "$1 $2]"],
  [/(resourceVersion"?: ?"?|Resource Version: +)\d+/g, "$1<rv>"],
  [/\b10\.9[67]\.\d+\.\d+\b/g, "<clusterIP>"],
  [/\b(Expected resource version to be \d+, was) \d+/g, "$1 <rv>"],
  [/\b(debugger-)[a-z0-9]{5}\b/g, "$1<random>"],
  [/\$DIR\/(kubectl-edit|LIVE|MERGED)-\d+/g, "/tmp/$1-<random>"],
  // The letters of generated names.
  [
    /(?<=-|pod-template-hash=)[bcdfghjklmnpqrstvwxz2456789]{8,10}\b(-[bcdfghjklmnpqrstvwxz2456789]{5}\b)?/g,
    "<hash>",
  ],
  [/\b3[0-2]\d{3}\b/g, "<nodePort>"],
  [/\b(127\.0\.0\.1|192\.0\.2\.\d+):\d+\b/g, "<server>"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>"],
  [/\beyJ[\w-]{20,}=*/g, "<continue>"],
  [/\bkube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-<random>"],
  [/(?<=^|\s)\d+(s|m\d+s|ms)(?=\s|$|,|\))/gm, "<age>"],
];

/** Lines that the client writes about itself. */
const noise = /^.*(client-side throttling|Throttling request took).*\n/gm;

/**
 * Masks what differs from run to run, and ends the text with a newline. Widths of columns are masked because the client
 * sets them.
 */
export function mask(text: string, own: Readonly<Record<string, string>>): string {
  let masked = text.replaceAll(noise, "");
  for (const [name, value] of Object.entries(own)) masked = masked.replaceAll(value, `$${name}`);
  for (const [pattern, mask] of masks) masked = masked.replaceAll(pattern, mask);
  return masked
    .replaceAll(/(?<=\S) {2,}/g, "  ")
    .replaceAll(/[ \t]+$/gm, "")
    .replace(/(?<=[^\n])$/, "\n");
}
