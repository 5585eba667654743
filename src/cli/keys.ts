import { readFileSync } from "node:fs";
import type { ReadStream } from "node:tty";

/** Reports whether this process may read keys from a terminal: a background job that reads is stopped. */
export function readsKeys(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): boolean {
  if (!stdin.isTTY || !stdout.isTTY || process.env["TERM"] === "dumb") return false;
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return group === foreground;
  } catch {
    // Other systems do not report the foreground process; there no keys are read.
    return false;
  }
}

/** Calls `onKey` with each key, without Enter and without echo, until the returned function is called. */
export function listenForKeys(stdin: ReadStream, onKey: (key: string) => void): () => void {
  const onData = (data: Buffer) => {
    for (const key of data.toString()) onKey(key);
  };
  // After Ctrl-Z, raw mode returns only when the job is in the foreground again.
  const resume = () => void stdin.setRawMode(true);
  stdin.setRawMode(true);
  stdin.on("data", onData);
  process.on("SIGCONT", resume);
  return () => {
    process.off("SIGCONT", resume);
    stdin.off("data", onData);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
