import { open, type FileHandle } from "node:fs/promises";
import { openLog } from "./safe-path/log-file.ts";

/** Upstream `kubecontainer.MaxContainerTerminationMessage…`. */
const maxMessageBytes = 4096;
const maxLogBytes = 2048;
const maxLogLines = 80;

/**
 * Returns a container's termination message: its message file, or the end of its log when it failed and the
 * policy allows it.
 */
export async function terminationMessage(
  messageFile: string,
  logPath: string | undefined,
): Promise<string | undefined> {
  // The container writes the message file but cannot replace it, because the runtime owns the directory.
  const message = await readPart(await open(messageFile, "r").catch(() => undefined), (file) =>
    file.read(Buffer.alloc(maxMessageBytes), 0, maxMessageBytes, 0),
  );
  if (message !== "" || logPath === undefined) return message || undefined;
  const log = await readPart(await openLog(logPath).catch(() => undefined), async (file) => {
    const { size } = await file.stat();
    // The time, stream and tag of a line do not count towards the limit.
    const length = Math.min(size, maxLogBytes + maxLogLines * 64);
    return file.read(Buffer.alloc(length), 0, length, size - length);
  });
  const entries = log
    .split("\n")
    .flatMap((line) => /^\S+Z std(?:out|err) ([FP]) (.*)$/s.exec(line)?.slice(1) ?? []);
  let words = "";
  for (let i = 0; i < entries.length; i += 2) words += `${entries[i + 1]}${entries[i] === "F" ? "\n" : ""}`;
  const lines = words
    .split("\n")
    .slice(-maxLogLines - 1)
    .join("\n");
  return Buffer.from(lines).subarray(-maxLogBytes).toString("utf8") || undefined;
}

async function readPart(
  file: FileHandle | undefined,
  read: (file: FileHandle) => Promise<{ bytesRead: number; buffer: Buffer }>,
): Promise<string> {
  if (file === undefined) return "";
  try {
    const { bytesRead, buffer } = await read(file);
    return buffer.subarray(0, bytesRead).toString("utf8");
  } finally {
    await file.close();
  }
}
