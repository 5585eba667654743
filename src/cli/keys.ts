import { readFileSync } from "node:fs";
import type { ReadStream } from "node:tty";

/** Whether a terminal reads keys for this process: a job in the background that did would be stopped. */
export function readsKeys(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): boolean {
  if (!stdin.isTTY || !stdout.isTTY || process.env["TERM"] === "dumb") return false;
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return group === foreground;
  } catch {
    // Other systems do not say; there the terminal is asked for nothing.
    return false;
  }
}

/** Calls `onKey` with each key, without Enter and without echo, until the function that it returns is called. */
export function listenForKeys(stdin: ReadStream, onKey: (key: string) => void): () => void {
  const onData = (data: Buffer) => {
    for (const key of data.toString()) onKey(key);
  };
  // Ctrl-Z works as ever: the terminal is the shell's until the job is in the foreground again.
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
