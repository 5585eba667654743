import { events } from "../api/core/event/schema.ts";
import { groupResource } from "../meta/kind.ts";
import { ExpectationError } from "../store/errors.ts";
import type { Entry, Revision, Store } from "../store/store.ts";
import { type Clock, every } from "../util/clock.ts";

/** Upstream's `--event-ttl`. */
const timeToLiveMs = 3_600_000;
const sweepEveryMs = 60_000;
/** So many deletions go to the store at a time. */
const sliceSize = 100;

/** Where the store's history was at some time. */
interface Mark {
  readonly time: number;
  readonly revision: Revision;
}

/**
 * Forgets Events an hour after their last write, until the signal fires. How old a write is follows from its
 * revision: no Event is decoded, and no client's clock is trusted. After a restart the hour starts anew.
 */
export async function expireEvents(store: Store, clock: Clock, signal: AbortSignal): Promise<void> {
  const marks: Mark[] = [{ time: clock.now(), revision: store.revision }];
  await every(clock, sweepEveryMs, signal, async () => {
    const now = clock.now();
    marks.push({ time: now, revision: store.revision });
    const expired = marks.findLast(({ time }) => time <= now - timeToLiveMs);
    if (expired === undefined) return;
    marks.splice(0, marks.indexOf(expired));
    await sweep(store, expired.revision);
  });
}

async function sweep(store: Store, upTo: Revision): Promise<void> {
  const { entries } = store.list(`/registry/${groupResource(events)}/`);
  const old = entries.filter(({ revision }) => revision <= upTo);
  for (let start = 0; start < old.length; start += sliceSize) {
    await Promise.all(old.slice(start, start + sliceSize).map((entry) => forget(store, entry)));
  }
}

async function forget(store: Store, { key, revision }: Entry): Promise<void> {
  try {
    await store.commit([{ type: "delete", key }], [{ key, revision }]);
  } catch (error) {
    // It was written again, or is gone.
    if (!(error instanceof ExpectationError)) throw error;
  }
}
