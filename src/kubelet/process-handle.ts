import { readFile } from "node:fs/promises";

/** A process, distinguished from a later one with the same PID. */
export interface ProcessHandle {
  readonly pid: number;
  /** Clock ticks since boot. */
  readonly startTime: string;
}

/** Parses a line of `/proc/<pid>/stat` (proc_pid_stat(5)); undefined when it is incomplete. */
export function parseStat(stat: string): (ProcessHandle & { readonly state: string }) | undefined {
  // The name is in parentheses and may contain anything: fields are counted from the last one.
  const pid = Number.parseInt(stat, 10);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startTime] = [fields[0], fields[19]];
  return Number.isNaN(pid) || state === undefined || startTime === undefined
    ? undefined
    : { pid, startTime, state };
}

/** Reads the handle that a script wrote with `read -r stat < /proc/self/stat`. */
export async function readHandle(file: string): Promise<ProcessHandle | undefined> {
  return parseStat(await readFile(file, "utf8").catch(() => ""));
}

export async function isAlive(handle: ProcessHandle): Promise<boolean> {
  const now = parseStat(await readFile(`/proc/${handle.pid}/stat`, "utf8").catch(() => ""));
  return now?.startTime === handle.startTime && now.state !== "Z";
}

/** Sends a signal unless the process has ended. */
export async function signal(handle: ProcessHandle, name: NodeJS.Signals | number): Promise<void> {
  if (!(await isAlive(handle))) return;
  try {
    process.kill(handle.pid, name);
  } catch {
    // It has ended since.
  }
}

/** Returns the PIDs of all descendants; each process comes before its own descendants. */
export async function descendants(pid: number): Promise<readonly number[]> {
  const children = await childrenOf(pid);
  const deeper = await Promise.all(children.map(descendants));
  return [...children, ...deeper.flat()];
}

/**
 * Stops a process and all its descendants, and resolves to their PIDs. Each is stopped before its children
 * are listed, so that it cannot fork afterwards and none is missed.
 */
export async function freeze(pid: number): Promise<readonly number[]> {
  try {
    process.kill(pid, "SIGSTOP");
  } catch {
    return []; // It has ended since.
  }
  const deeper = await Promise.all((await childrenOf(pid)).map(freeze));
  return [pid, ...deeper.flat()];
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.trim() === "" ? [] : text.trim().split(" ").map(Number);
}
