import { readlink } from "node:fs/promises";
import type { TerminalSize } from "../runtime.ts";
import { descendants } from "../process-handle.ts";
import { runTool } from "./shell.ts";

/**
 * Returns a function that applies sizes one at a time. It skips sizes that a newer one has replaced, and
 * always applies the last one. A failed `apply` is not repeated.
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
 * Sets the size of the terminal that `script`, a PID, made for its child. Node has no ioctl, so `stty` sets
 * it, on the child's descriptor. Does nothing when the terminal is gone.
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
