/** A PEM block (RFC 7468). */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
  /** The offset of the next line in the decoded text. */
  readonly end: number;
}

const [beginMark, endMark, dashes] = ["-----BEGIN ", "-----END ", "-----"] as const;

/**
 * Returns the PEM blocks of a text in Base64. Text between blocks is ignored. Follows Go's `encoding/pem`
 * exactly: a signer that found other blocks than the server would sign an unvalidated request.
 */
export function pemBlocks(base64: string): readonly PemBlock[] {
  const text = Buffer.from(base64, "base64").toString("latin1");
  const blocks: PemBlock[] = [];
  let at = 0;
  for (;;) {
    const end = text.indexOf(`\n${endMark}`, at);
    if (end < 0) return blocks;
    const found = blockBefore(text.slice(at, end), text.slice(end + 1 + endMark.length));
    at = end + 1 + endMark.length;
    if (found === undefined) continue;
    at = lineEnd(text, at);
    blocks.push({ ...found, end: at });
  }
}

/**
 * Returns the block whose end marker is between `before` and `after`; undefined without one. The block begins
 * at the last begin marker, which must be at the start of a line.
 */
function blockBefore(before: string, after: string): Omit<PemBlock, "end"> | undefined {
  const begin = before.lastIndexOf(beginMark);
  if (begin < 0 || (begin > 0 && before[begin - 1] !== "\n")) return undefined;
  const [first = "", ...lines] = before.slice(begin + beginMark.length).split("\n");
  const typeLine = trimLine(first);
  if (!typeLine.endsWith(dashes)) return undefined;
  const type = typeLine.slice(0, -dashes.length);
  const headers = headerCount(lines);
  // Without a line between them, the headers would extend into the end marker.
  if (headers > 0 && headers === lines.length) return undefined;
  if (trimLine(after.slice(0, lineLength(after))) !== type + dashes) return undefined;
  const bytes = decodeBase64(lines.slice(headers).join("\n"));
  return bytes === undefined ? undefined : { type, hasHeaders: headers > 0, bytes };
}

/** Counts the headers: lines with a colon. */
function headerCount(lines: readonly string[]): number {
  const first = lines.findIndex((line) => !line.includes(":"));
  return first < 0 ? lines.length : first;
}

/** Trims the line's end. A regular expression would take quadratic time on runs of spaces. */
function trimLine(line: string): string {
  let end = line.endsWith("\r") ? line.length - 1 : line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
  return line.slice(0, end);
}

function lineLength(text: string): number {
  const length = text.indexOf("\n");
  return length < 0 ? text.length : length;
}

/** Returns the index of the next line. */
function lineEnd(text: string, at: number): number {
  const next = text.indexOf("\n", at);
  return next < 0 ? text.length : next + 1;
}

/** Returns undefined if the text is not Base64 with padding. */
function decodeBase64(text: string): Uint8Array | undefined {
  const digits = text.replaceAll(/[ \t\r\n]/g, "");
  const isWhole = digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits);
  return isWhole ? Buffer.from(digits, "base64") : undefined;
}
