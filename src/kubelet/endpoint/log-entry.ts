/** One entry of a container's log. Its bytes belong to the buffer that it was read from. */
export interface LogEntry {
  /** As it stands in the log, RFC 3339 with nanoseconds. */
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  /** The line goes on in the next entry of the stream. */
  readonly partial: boolean;
  readonly content: Buffer;
}

const space = 0x20;
const entryHead = /^(\S+) (stdout|stderr) ([FP])(?::\S*)? /;
/** Longer than any time, stream and tags. */
const maxHeadBytes = 256;

/** Reads one line without its newline; undefined when it is no log entry (a log cut off by a full disk, say). */
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

/** The entry as a client sees it. `startsLine` is false for the rest of a line that began in an entry before. */
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
