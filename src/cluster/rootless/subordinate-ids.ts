import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { toolEnvironment } from "../../kubelet/native/shell.ts";

/** The arguments of newuidmap(1) and newgidmap(1) after the PID; empty for the user's own ID alone. */
export type IdMaps = readonly [users: string, groups: string];

export const oneId: IdMaps = ["", ""];

/** The user is root; the IDs from 1 on are the user's first range with at least this many. */
const usualCount = 65_536;

/**
 * Returns maps with the ranges that `/etc/subuid` and `/etc/subgid` give to this user; undefined without ranges, or without
 * the programs that may map them.
 */
export function subordinateIds(): IdMaps | undefined {
  const folders = toolEnvironment.PATH.split(":");
  const has = (program: string) => folders.some((folder) => existsSync(join(folder, program)));
  if (!has("newuidmap") || !has("newgidmap")) return undefined;
  try {
    const { username, uid, gid } = userInfo();
    const [users, groups] = ["/etc/subuid", "/etc/subgid"].map((file) =>
      firstRange(readFileSync(file, "utf8"), username, uid),
    );
    return users === undefined || groups === undefined ? undefined : [mapOf(uid, users), mapOf(gid, groups)];
  } catch {
    return undefined; // Without such a file, or without an account.
  }
}

interface Range {
  readonly first: number;
  readonly count: number;
}

/** Returns a user's first range (subuid(5)), by name or ID; a range that has the usual size is preferred. */
export function firstRange(text: string, username: string, uid: number): Range | undefined {
  const ranges = text
    .split("\n")
    .map((line) => /^([^:]+):(\d{1,10}):(\d{1,10})$/.exec(line) ?? [])
    .filter(([, owner]) => owner === username || owner === String(uid))
    .map(([, , first, count]) => ({ first: Number(first), count: Number(count) }));
  return ranges.find(({ count }) => count >= usualCount) ?? ranges[0];
}

function mapOf(id: number, { first, count }: Range): string {
  return `0 ${id} 1 1 ${first} ${count}`;
}
