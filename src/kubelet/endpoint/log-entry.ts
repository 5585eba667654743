/** One entry of a container's log. `content` is a view of the buffer that was parsed. */
export interface LogEntry {
  /** RFC 3339 with nanoseconds, as written in the log. */
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  /** The line continues in the stream's next entry. */
  readonly partial: boolean;
  readonly content: Buffer;
}

const space = 0x20;
const entryHead = /^(\S+) (stdout|stderr) ([FP])(?::\S*)? /;
/** Longer than any time, stream and tags. */
const maxHeadBytes = 256;

/**
 * Parses one line without its newline; undefined when it is no log entry (for example, a line cut off by a
 * full disk).
 */
export function parseEntry(line: Buffer): LogEntry | undefined {
  const head = line.toString("latin1", 0, Math.min(line.length, maxHeadBytes));
  const match = entryHead.exec(head) ?? withoutContent(head, line);
  if (match === null) return undefined;
  const [all, time = "", stream, tag] = match;
  return {
    time,
    stream: stream === "stderr" ? "stderr" : "stdout",
    partial: tag === "P",
    content: line.subarray(all.length),
  };
}

/** Some writers leave out the space before an empty content. */
function withoutContent(head: string, line: Buffer): RegExpExecArray | null {
  return line.at(-1) === space ? null : /^(\S+) (stdout|stderr) ([FP])(?::\S*)?$/.exec(head);
}

const newline = Buffer.from("\n");

/** Returns the bytes that a client gets. `startsLine` is false when the entry continues a line. */
export function formatEntry(entry: LogEntry, timestamps: boolean, startsLine: boolean): Buffer {
  const parts: Buffer[] = timestamps && startsLine ? [Buffer.from(`${fixedNanoseconds(entry.time)} `)] : [];
  parts.push(entry.content);
  if (!entry.partial) parts.push(newline);
  return Buffer.concat(parts);
}

/** Nine fractional digits, so that lines sort as text (kubelet `RFC3339NanoFixed`). */
function fixedNanoseconds(time: string): string {
  const match = /^([^.]*:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(time);
  return match === null ? time : `${match[1]}.${(match[2] ?? "").padEnd(9, "0").slice(0, 9)}${match[3]}`;
}
