import { capabilityMask } from "./capabilities.ts";
import type { ProcessSpec } from "./records.ts";

/** The exit code of a container whose command could not be started, as containerd reports it. */
export const startErrorCode = 128;

/** A filter of system calls, as the init program loads it. */
export interface LaunchFilter {
  /** The flags of SECCOMP_SET_MODE_FILTER. */
  readonly flags: number;
  /** The instructions, an array of `struct sock_filter`, in hexadecimal digits. */
  readonly program: string;
}

export interface LaunchOptions {
  /** Undefined for a container without a filter. */
  readonly seccomp: LaunchFilter | undefined;
  /** The process leads a session whose terminal is its standard input. */
  readonly terminal: boolean;
}

/**
 * Returns the plan that turns a process inside a container, which still has all privileges, into the container's own
 * (`native/init/init.c`). @throws Error for a word that contains a zero byte: no command can get it
 */
export function launchPlan(
  { argv, env, cwd, credentials }: ProcessSpec,
  { seccomp, terminal }: LaunchOptions,
): Buffer {
  const { uid, gid, groups, bounding, noNewPrivileges } = credentials;
  const filter = seccomp === undefined ? [] : [["seccomp", String(seccomp.flags), seccomp.program]];
  const operations = [
    ...(terminal ? [["terminal"]] : []),
    ["keyring"],
    ["directory", cwd],
    // The filter also holds for the operations after it. Without no_new_privs, loading one takes CAP_SYS_ADMIN.
    ...(noNewPrivileges ? [] : filter),
    ...(bounding === undefined ? [] : [["bounding", capabilityMask(bounding).toString(16)]]),
    ["groups", String(groups.length), ...groups.map(String)],
    ["gid", String(gid)],
    ["uid", String(uid)],
    ["no-inheritable"],
    ...(noNewPrivileges ? [["no-new-privileges"], ...filter] : []),
    ...env.map((variable) => ["env", variable]),
    ...argv.map((word) => ["arg", word]),
    ["exec"],
  ];
  return Buffer.from(operations.flat().map(terminated).join(""));
}

function terminated(word: string): string {
  if (word.includes("\0"))
    throw new Error("invalid argument: a zero byte in the command, its environment or its directory");
  return `${word}\0`;
}
