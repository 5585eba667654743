import { readFileSync } from "node:fs";

/** Ranges of IDs that exist in a user namespace: the first ID, and how many. */
export type IdRanges = readonly (readonly [first: number, count: number])[];

/** Every ID of Linux, as where there is no user namespace. */
const everyId: IdRanges = [[0, 2 ** 32 - 1]];

/** Parses `/proc/<pid>/uid_map` (user_namespaces(7)). */
export function parseIdMap(text: string): IdRanges {
  return [...text.matchAll(/^\s*(\d+)\s+\d+\s+(\d+)$/gm)].map(([, first, count]) => [
    Number(first),
    Number(count),
  ]);
}

export function hasId(ranges: IdRanges, id: number): boolean {
  return ranges.some(([first, count]) => id >= first && id < first + count);
}

/** Returns the last ID before a gap, from root on. */
export function lastId(ranges: IdRanges): number {
  let next = 0;
  for (const [first, count] of ranges.toSorted(([a], [b]) => a - b)) if (first === next) next += count;
  return Math.max(0, next - 1);
}

function read(file: string): IdRanges {
  try {
    return parseIdMap(readFileSync(file, "utf8"));
  } catch {
    return everyId; // Not on Linux, or a kernel without user namespaces.
  }
}

/** The users and groups that this process can give to files and processes. They never change. */
export const ownIds = { users: read("/proc/self/uid_map"), groups: read("/proc/self/gid_map") };

/** Returns the owner of a file for IDs that may not exist here: root for those that do not. */
export function ownerFor(user: number, group: number): readonly [uid: number, gid: number] {
  return [hasId(ownIds.users, user) ? user : 0, hasId(ownIds.groups, group) ? group : 0];
}

/** True in a user namespace: root there is an ordinary user of the machine. */
export const isInUserNamespace = !hasId(ownIds.users, 2 ** 32 - 2);
