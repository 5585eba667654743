import type { Revision } from "./store.ts";

/** Where an empty store stands. */
export const noRevision = toRevision(0);

/** For numbers that are known to be revisions: counted up from one, or read back from where one was written. */
export function toRevision(number: number): Revision {
  return number as Revision;
}

export function nextRevision(revision: Revision): Revision {
  return toRevision(revision + 1);
}
