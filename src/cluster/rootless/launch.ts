import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { initProgram } from "../../kubelet/native/init-program.ts";
import { machineObstacle } from "../../kubelet/native/machine-obstacle.ts";
import { toolEnvironment } from "../../kubelet/native/shell.ts";
import { makeDataDirectory } from "../data-directory.ts";
import { type IdMaps, oneId, subordinateIds } from "./subordinate-ids.ts";
import { rootlessDirectory } from "./namespaces.ts";

/** A program and its arguments. */
export type Command = readonly [file: string, ...args: readonly string[]];

/** True for an ordinary user of Linux, who is root only in namespaces of his own. */
export const isOrdinaryUser = process.platform === "linux" && process.getuid?.() !== 0;

/** The programs that the native runtime runs on the host. */
const tools = ["ip", "mount", "umount"];
/** The longest path of a file below a cluster's directory that is the address of a socket. */
const longestSocket = "rootless/relay-4194304.sock";
const maxSocketPath = 107;

/** Returns why an ordinary user's containers cannot run with their files in this directory; undefined when they can. */
export function rootlessObstacle(directory: string): string | undefined {
  const lack = machineObstacle();
  if (lack !== undefined) return lack;
  if (!/^\/[\w./-]+$/.test(directory))
    return `the path ${directory} has other characters than letters, digits and . _ / -`;
  if (join(directory, longestSocket).length > maxSocketPath)
    return `the path ${directory} is too long for sockets`;
  const folders = toolEnvironment.PATH.split(":");
  const missing = tools.find((tool) => !folders.some((folder) => existsSync(join(folder, tool))));
  if (missing !== undefined) return `the program ${missing} is not installed`;
  return probe(directory, oneId);
}

/** Tries everything that the kernel may refuse, in a directory beside the cluster's, on the same disk. */
function probe(directory: string, [users, groups]: IdMaps): string | undefined {
  let near = directory;
  while (!existsSync(near)) near = dirname(near);
  let scratch: string;
  try {
    scratch = mkdtempSync(join(near, ".knarr-probe-"));
  } catch {
    return undefined; // The start itself says why the directory cannot be used.
  }
  try {
    const { status, stderr, error } = spawnSync(initProgram, ["rootless-probe", scratch, users, groups], {
      encoding: "utf8",
      timeout: 10_000,
      env: toolEnvironment,
    });
    return status === 0 ? undefined : explained(stderr.trim() || String(error));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Returns the user's subordinate IDs, if this machine has some and can map them. */
function chosenMaps(directory: string): IdMaps {
  const maps = subordinateIds();
  return maps !== undefined && probe(directory, maps) === undefined ? maps : oneId;
}

/** The settings that forbid user namespaces, with the value that does so. */
const settings = [
  ["kernel/unprivileged_userns_clone", "0"],
  ["kernel/apparmor_restrict_unprivileged_userns", "1"],
  ["user/max_user_namespaces", "0"],
] as const;

function explained(why: string): string {
  const guilty = settings.find(([name, value]) => {
    try {
      return readFileSync(`/proc/sys/${name}`, "utf8").trim() === value;
    } catch {
      return false;
    }
  });
  if (guilty === undefined) return `the kernel forbids containers of an ordinary user (${why})`;
  const [name, value] = guilty;
  return `user namespaces are disabled (${name.replaceAll("/", ".")} is ${value})`;
}

export interface LaunchOptions {
  readonly directory: string;
  /** The API server's address in the machine's network; undefined for a command that serves nothing. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
}

/** Returns the command that runs another one in the namespaces of the cluster's node, which are made if there are none. */
export function insideNamespaces({ directory, listen }: LaunchOptions, command: Command): Command {
  makeDataDirectory(directory);
  const own = rootlessDirectory(directory);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const maps = chosenMaps(directory);
  return [initProgram, "rootless", own, ...maps, listen?.host ?? "", String(listen?.port ?? 0), ...command];
}

/** Returns the command line that runs this process's program with other arguments. */
export function thisProgram(line: readonly string[]): Command {
  return [process.execPath, ...process.execArgv, process.argv[1] ?? "", ...line];
}
