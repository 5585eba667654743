import { spawn } from "node:child_process";
import { once } from "node:events";

/** A special file to make. Node has no mknod, so a batch of them goes through one shell. */
export interface SpecialFile {
  readonly path: string;
  readonly type: "character" | "block" | "fifo";
  readonly mode: number;
  readonly major: number;
  readonly minor: number;
}

/** overlayfs' mark for "the file below is gone". */
export function whiteout(path: string): SpecialFile {
  return { path, type: "character", mode: 0, major: 0, minor: 0 };
}

const letters = { character: "c", block: "b", fifo: "p" } as const;

/** @throws Error with the tool's words when one cannot be made. */
export async function makeNodes(files: readonly SpecialFile[]): Promise<void> {
  if (files.length === 0) return;
  const script = files.map((file) => {
    const numbers = file.type === "fifo" ? "" : ` ${file.major} ${file.minor}`;
    return `mknod -m ${file.mode.toString(8)} ${quote(file.path)} ${letters[file.type]}${numbers}\n`;
  });
  const shell = spawn("sh", ["-eu"], { stdio: ["pipe", "ignore", "pipe"] });
  let errors = "";
  shell.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  shell.stdin.on("error", () => {}); // The exit code tells.
  shell.stdin.end(script.join(""));
  const [code] = (await once(shell, "close")) as [number | null];
  if (code !== 0) throw new Error(`Cannot make special files: ${errors.trim()}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
