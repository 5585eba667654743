/** More segments than any path has. */
const maxSegments = 16;

/**
 * Splits a percent-encoded path. The segments are both authorized and routed, so that no encoding separates the two.
 * Returns undefined for a path that has several readings: an encoded slash, a dot segment, an empty segment.
 */
export function segmentsOf(path: string): readonly string[] | undefined {
  const [before, ...raw] = path.split("/", maxSegments + 2);
  if (before !== "" || raw.length === 0 || raw.length > maxSegments) return undefined;
  // A slash at the end makes no difference, as for upstream's router.
  if (raw.at(-1) === "") raw.pop();
  const segments: string[] = [];
  for (const one of raw) {
    const segment = decode(one);
    if (segment === undefined || segment === "" || segment === "." || segment === "..") return undefined;
    if (segment.includes("/") || segment.includes("\0")) return undefined;
    segments.push(segment);
  }
  return segments;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
