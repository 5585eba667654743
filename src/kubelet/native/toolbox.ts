import {
  chmod,
  copyFile,
  mkdir,
  open,
  readFile,
  // oxlint-disable-next-line no-restricted-imports -- the host's own programs, which no container can change
  realpath,
  rename,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, join } from "node:path";
import { initProgram } from "./init-program.ts";
import { quoteAll, runTool } from "./shell.ts";

/**
 * The host programs that run inside a container's root, where the host's libraries do not exist: copies with
 * their libraries and loader, beside the init program, mounted read-only at a path that no image can guess.
 */
const programs = ["sh", "mount", "umount"] as const;
type ToolName = (typeof programs)[number];

/** Copies missing and outdated files into `directory`. */
export async function fillToolbox(directory: string): Promise<void> {
  await mkdir(join(directory, "old"), { recursive: true, mode: 0o755 });
  const wanted = new Map<string, string>();
  const listings: string[] = [];
  for (const program of programs) {
    const path = await find(program);
    const loader = await interpreter(path);
    wanted.set(program, path);
    wanted.set("ld", loader);
    listings.push(quoteAll([loader, "--list", path]));
  }
  const listing = await runTool("list the toolbox's libraries", "sh", ["-eu", "-c", listings.join("\n")]);
  for (const [, library] of listing.matchAll(/=> (\/\S+)/g)) {
    if (library !== undefined) wanted.set(basename(library), library);
  }
  for (const [name, path] of wanted) await copyIfChanged(path, join(directory, name));
  await copyInit(join(directory, initTool));
}

/** Compares the contents, because the files of a package have no meaningful times. */
async function copyInit(to: string): Promise<void> {
  const program = await readFile(initProgram);
  const copy = await readFile(to).catch(() => undefined);
  if (copy?.equals(program) === true) return;
  // A new file, because the old one may be running.
  await writeFile(`${to}.new`, program);
  await chmod(`${to}.new`, 0o755);
  await rename(`${to}.new`, to);
}

/** The init program's name in the toolbox. */
export const initTool = "init";

/** Returns the words that run a tool from a toolbox mounted at `at`. */
export function toolCommand(at: string, tool: ToolName): readonly string[] {
  return [`${at}/ld`, "--library-path", at, `${at}/${tool}`];
}

async function find(program: string): Promise<string> {
  for (const directory of ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]) {
    const path = await realpath(join(directory, program)).catch(() => undefined);
    if (path !== undefined) return path;
  }
  throw new Error(`Cannot run containers: ${program} is not installed (util-linux, coreutils)`);
}

/** Returns the loader of an ELF program: its PT_INTERP segment (System V ABI, 64-bit, little endian). */
async function interpreter(program: string): Promise<string> {
  const file = await open(program);
  try {
    const head = Buffer.alloc(4096);
    await file.read(head, 0, head.length, 0);
    const [table, size, count] = [
      Number(head.readBigUInt64LE(32)),
      head.readUInt16LE(54),
      head.readUInt16LE(56),
    ];
    for (let at = table; at < table + size * count; at += size) {
      if (head.readUInt32LE(at) !== 3) continue;
      const offset = Number(head.readBigUInt64LE(at + 8));
      const length = Number(head.readBigUInt64LE(at + 32));
      const text = Buffer.alloc(length);
      await file.read(text, 0, length, offset);
      return text.toString("utf8").replace(/\0.*$/s, "");
    }
  } finally {
    await file.close();
  }
  throw new Error(`Cannot run containers: ${program} is no dynamic ELF program`);
}

async function copyIfChanged(from: string, to: string): Promise<void> {
  const source = await stat(from);
  const copy = await stat(to).catch(() => undefined);
  if (copy?.size === source.size && Math.trunc(copy.mtimeMs) === Math.trunc(source.mtimeMs)) return;
  // A new file, because the old one may be running.
  await copyFile(from, `${to}.new`);
  await chmod(`${to}.new`, 0o755);
  await utimes(`${to}.new`, source.atime, source.mtime);
  await rename(`${to}.new`, to);
}
