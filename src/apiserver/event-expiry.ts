import { events } from "../api/core/event/schema.ts";
import { groupResource } from "../meta/kind.ts";
import { ExpectationError } from "../store/errors.ts";
import type { Entry, Revision, Store } from "../store/store.ts";
import { type Clock, every } from "../util/clock.ts";
import { memoryShare } from "../util/memory-share.ts";
import { inSlices } from "../util/yield.ts";
import { noRevision } from "../store/revision.ts";

/** The default of `--event-ttl`: an hour. */
const defaultTtlMs = 3_600_000;
const sweepEveryMs = 60_000;
/** The number of concurrent deletions in the store. */
const sliceSize = 100;
/** The greatest size of all Events together in bytes. Beyond it, the oldest are deleted early. */
const mostBytes = memoryShare();

export interface ExpiryOptions {
  /** Infinity keeps Events as long as there is room. */
  readonly ttlMs?: number | undefined;
  readonly limitBytes?: number;
}

/** The revision of the store at a time. */
interface Mark {
  readonly time: number;
  readonly revision: Revision;
}

/**
 * Deletes Events when their last write is `ttlMs` ago, or sooner when there are too many, until the signal fires.
 * The age of a write follows from its revision: no Event is decoded, and no client's clock is trusted. A
 * restart restarts the time.
 */
export async function expireEvents(
  store: Store,
  clock: Clock,
  signal: AbortSignal,
  { ttlMs = defaultTtlMs, limitBytes = mostBytes }: ExpiryOptions = {},
): Promise<void> {
  const marks: Mark[] = [{ time: clock.now(), revision: store.revision }];
  await every(clock, sweepEveryMs, signal, async () => {
    const now = clock.now();
    if (Number.isFinite(ttlMs)) marks.push({ time: now, revision: store.revision });
    const expired = marks.findLast(({ time }) => time <= now - ttlMs);
    if (expired !== undefined) marks.splice(0, marks.indexOf(expired));
    await sweep(store, expired?.revision ?? noRevision, limitBytes);
  });
}

async function sweep(store: Store, upTo: Revision, limitBytes: number): Promise<void> {
  const { entries } = store.list(`/registry/${groupResource(events)}/`);
  const last = lastToForget(entries, { from: upTo, to: store.revision }, limitBytes);
  const old = entries.filter(({ revision }) => revision <= last);
  await inSlices(old, sliceSize, (entry) => forget(store, entry));
}

const buckets = 256;

/**
 * Returns the least revision of the range whose later entries are within the limit. Each round adds up the bytes by
 * parts of the range, and goes on with the part that has the answer: sorting a hundred thousand entries, or a binary
 * search among them, would block the server.
 */
export function lastToForget(
  entries: readonly Entry[],
  { from, to }: { readonly from: number; readonly to: number },
  limitBytes: number,
): number {
  let [least, most] = [from, to];
  let candidates = entries;
  let left = limitBytes;
  while (least < most) {
    const width = Math.ceil((most - least) / buckets);
    const bytes = new Float64Array(buckets);
    const bucketOf = ({ revision }: Entry) => Math.floor((revision - least - 1) / width);
    candidates = candidates.filter(({ revision }) => revision > least && revision <= most);
    for (const entry of candidates)
      bytes[bucketOf(entry)] = (bytes[bucketOf(entry)] ?? 0) + entry.value.length;
    let bucket = buckets - 1;
    for (; bucket >= 0 && (bytes[bucket] ?? 0) <= left; bucket--) left -= bytes[bucket] ?? 0;
    if (bucket < 0) return least;
    most = Math.min(most, least + (bucket + 1) * width);
    least += bucket * width;
    if (width === 1) return most;
  }
  return least;
}

async function forget(store: Store, { key, revision }: Entry): Promise<void> {
  try {
    await store.commit([{ type: "delete", key }], [{ key, revision }]);
  } catch (error) {
    // It was written again, or is gone.
    if (!(error instanceof ExpectationError)) throw error;
  }
}
