import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Milliseconds. A network file system whose server does not answer must not hold its Pod for ever. */
const mountTimeoutMs = 120_000;

/** Mounts a file system. Options may name paths relative to `cwd`. @throws Error with the output of mount(8) */
export async function mount(
  type: string,
  source: string,
  directory: string,
  options: readonly string[],
  { signal, cwd }: { readonly signal?: AbortSignal | undefined; readonly cwd?: string } = {},
): Promise<void> {
  const given = options.length === 0 ? [] : ["-o", options.join(",")];
  const limits = {
    timeout: mountTimeoutMs,
    ...(signal !== undefined && { signal }),
    ...(cwd !== undefined && { cwd }),
  };
  await run("mount", ["-t", type, ...given, "--", source, directory], limits);
}

/** Unmounts everything at or below a directory. */
export async function unmountBelow(directory: string): Promise<void> {
  for (const point of await mountsBelow(directory)) await unmount(point);
}

async function unmount(point: string): Promise<void> {
  await run("umount", ["--lazy", "--no-canonicalize", "--", point]);
}

export async function isMountPoint(directory: string): Promise<boolean> {
  return (await mountsBelow(directory)).includes(directory);
}

/**
 * Returns the mount points at or below a directory, innermost first. Their names are escaped:
 * proc_pid_mounts(5).
 */
async function mountsBelow(directory: string): Promise<string[]> {
  return (await readFile("/proc/self/mounts", "utf8"))
    .split("\n")
    .map((line) =>
      (line.split(" ")[1] ?? "").replace(/\\(\d{3})/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 8)),
      ),
    )
    .filter((point) => point === directory || point.startsWith(`${directory}/`))
    .reverse();
}
