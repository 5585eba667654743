import { totalmem } from "node:os";
import { events } from "../api/core/event/schema.ts";
import { groupResource } from "../meta/kind.ts";
import { ExpectationError } from "../store/errors.ts";
import type { Entry, Revision, Store } from "../store/store.ts";
import { type Clock, every } from "../util/clock.ts";
import { yieldToSockets } from "../util/yield.ts";

/** Upstream's `--event-ttl`. */
const timeToLiveMs = 3_600_000;
const sweepEveryMs = 60_000;
/** So many deletions go to the store at a time. */
const sliceSize = 100;
/** Events take at most so much of the machine's memory, in bytes: a 128th of it. The oldest leave early. */
const mostBytes = Math.min(512 * 2 ** 20, Math.max(32 * 2 ** 20, totalmem() / 128));

/** Where the store's history was at some time. */
interface Mark {
  readonly time: number;
  readonly revision: Revision;
}

/**
 * Forgets Events an hour after their last write, or sooner while there are too many, until the signal fires. How old a
 * write is follows from its revision: no Event is decoded, and no client's clock is trusted. After a restart the hour
 * starts anew.
 */
export async function expireEvents(
  store: Store,
  clock: Clock,
  signal: AbortSignal,
  limitBytes = mostBytes,
): Promise<void> {
  const marks: Mark[] = [{ time: clock.now(), revision: store.revision }];
  await every(clock, sweepEveryMs, signal, async () => {
    const now = clock.now();
    marks.push({ time: now, revision: store.revision });
    const expired = marks.findLast(({ time }) => time <= now - timeToLiveMs);
    if (expired !== undefined) marks.splice(0, marks.indexOf(expired));
    await sweep(store, expired?.revision ?? (0 as Revision), limitBytes);
  });
}

async function sweep(store: Store, upTo: Revision, limitBytes: number): Promise<void> {
  const { entries } = store.list(`/registry/${groupResource(events)}/`);
  const old = beyond(entries, upTo, limitBytes);
  for (let start = 0; start < old.length; start += sliceSize) {
    await Promise.all(old.slice(start, start + sliceSize).map((entry) => forget(store, entry)));
    await yieldToSockets();
  }
}

/** The entries that were last written by then, and the oldest of the others as long as these are too large. */
function beyond(entries: readonly Entry[], upTo: Revision, limitBytes: number): readonly Entry[] {
  let bytes = 0;
  for (const { revision, value } of entries) if (revision > upTo) bytes += value.length;
  if (bytes <= limitBytes) return entries.filter(({ revision }) => revision <= upTo);
  const oldestFirst = entries.toSorted((a, b) => a.revision - b.revision);
  const kept = oldestFirst.findIndex(({ revision, value }) => {
    if (revision <= upTo) return false;
    if (bytes <= limitBytes) return true;
    bytes -= value.length;
    return false;
  });
  return kept < 0 ? oldestFirst : oldestFirst.slice(0, kept);
}

async function forget(store: Store, { key, revision }: Entry): Promise<void> {
  try {
    await store.commit([{ type: "delete", key }], [{ key, revision }]);
  } catch (error) {
    // It was written again, or is gone.
    if (!(error instanceof ExpectationError)) throw error;
  }
}
