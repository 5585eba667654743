import { spawn } from "node:child_process";
import { once } from "node:events";

/** A special file to create. Node has no mknod, so one shell creates a batch. */
export interface SpecialFile {
  readonly path: string;
  readonly type: "character" | "block" | "fifo";
  readonly mode: number;
  readonly major: number;
  readonly minor: number;
}

/** Makes an overlayfs whiteout, which hides the file of the layers below. */
export function whiteout(path: string): SpecialFile {
  return { path, type: "character", mode: 0, major: 0, minor: 0 };
}

const letters = { character: "c", block: "b", fifo: "p" } as const;

/** @throws Error with the tool's output when a file cannot be created. */
export async function makeNodes(files: readonly SpecialFile[]): Promise<void> {
  if (files.length === 0) return;
  const script = files.map((file) => {
    const numbers = file.type === "fifo" ? "" : ` ${file.major} ${file.minor}`;
    return `mknod -m ${file.mode.toString(8)} ${quote(file.path)} ${letters[file.type]}${numbers}\n`;
  });
  const shell = spawn("sh", ["-eu"], { stdio: ["pipe", "ignore", "pipe"] });
  let errors = "";
  shell.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  shell.stdin.on("error", () => {}); // The exit code reports the failure.
  shell.stdin.end(script.join(""));
  const [code]: readonly (number | null)[] = await once(shell, "close");
  if (code !== 0) throw new Error(`Cannot make special files: ${errors.trim()}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
