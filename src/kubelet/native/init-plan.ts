import { capabilityMask } from "./capabilities.ts";
import { lastId, ownIds } from "../../util/own-ids.ts";
import type { ProcessSpec } from "./records.ts";

/** One step of the init program (`native/init/`), followed by its arguments. */
export type Operation = readonly [name: string, ...args: readonly string[]];

/** A filter of system calls, as the init program loads it. */
export interface LaunchFilter {
  /** The flags of SECCOMP_SET_MODE_FILTER. */
  readonly flags: number;
  /** The instructions, an array of `struct sock_filter`, in hexadecimal digits. */
  readonly program: string;
}

/**
 * Returns the last operations of a plan: they turn a process inside a container, which still has all privileges, into the
 * container's own.
 */
export function launchOperations(
  { argv, env, cwd, credentials }: ProcessSpec,
  seccomp: LaunchFilter | undefined,
): readonly Operation[] {
  const { uid, gid, groups, bounding, noNewPrivileges } = credentials;
  const filter: readonly Operation[] =
    seccomp === undefined ? [] : [["seccomp", String(seccomp.flags), seccomp.program]];
  return [
    ["keyring"],
    ["directory", cwd],
    // The filter also holds for the operations after it. Without no_new_privs, loading one takes CAP_SYS_ADMIN.
    ...(noNewPrivileges ? [] : filter),
    ...(bounding === undefined ? [] : [["bounding", capabilityMask(bounding).toString(16)] as const]),
    // With one ID there are no groups that could be chosen.
    ...(lastId(ownIds.groups) === 0
      ? []
      : [["groups", String(groups.length), ...groups.map(String)] as const]),
    ["gid", String(gid)],
    ["uid", String(uid)],
    ["no-inheritable"],
    ...(noNewPrivileges ? ([["no-new-privileges"], ...filter] as const) : []),
    ...env.map((variable) => ["env", variable] as const),
    ...argv.map((word) => ["arg", word] as const),
    ["exec"],
  ];
}

/**
 * Returns operations as the init program reads them: words that each end with a zero byte.
 * @throws Error for a word that contains a zero byte: no command can get it
 */
export function encodeOperations(operations: readonly Operation[]): Buffer {
  return Buffer.from(operations.flat().map(terminated).join(""));
}

function terminated(word: string): string {
  if (word.includes("\0"))
    throw new Error("invalid argument: a zero byte in the command, its environment or its directory");
  return `${word}\0`;
}
