import type { Revision } from "./store.ts";

/** The revision of an empty store. */
export const noRevision = toRevision(0);

/** Casts a number that is known to be a revision: counted up from one, or read back. */
export function toRevision(number: number): Revision {
  return number as Revision;
}

export function newest(...revisions: readonly Revision[]): Revision {
  return toRevision(Math.max(...revisions));
}

export function nextRevision(revision: Revision): Revision {
  return toRevision(revision + 1);
}
