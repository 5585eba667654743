import { readlink } from "node:fs/promises";
import type { TerminalSize } from "../runtime.ts";
import { descendants } from "../process-handle.ts";
import { runTool } from "./shell.ts";

/**
 * Makes a function that is told sizes in any quick succession and applies them one at a time, skipping those that
 * a newer one has overtaken: the last one told is the last one applied. An `apply` that fails is not repeated.
 */
export function latestOnly(apply: (size: TerminalSize) => Promise<void>): (size: TerminalSize) => void {
  let wanted: TerminalSize | undefined;
  let busy = false;
  const work = async () => {
    busy = true;
    for (let size = wanted; size !== undefined; size = wanted) {
      wanted = undefined;
      await apply(size).catch(() => {});
    }
    busy = false;
  };
  return (size) => {
    wanted = size;
    if (!busy) void work();
  };
}

/**
 * Sets the size of the terminal that `script`, a PID, made for its child. Without ioctl in Node, `stty` does it, on
 * the descriptor that the child has. Does nothing when there is no terminal any more.
 */
export async function resizeTerminal(script: number, { width, height }: TerminalSize): Promise<void> {
  for (const pid of await descendants(script)) {
    const stdin = await readlink(`/proc/${pid}/fd/0`).catch(() => "");
    if (!stdin.startsWith("/dev/pts/")) continue;
    const size = ["rows", String(height), "cols", String(width)];
    await runTool("resize a terminal", "stty", ["-F", `/proc/${pid}/fd/0`, ...size]);
    return;
  }
}
