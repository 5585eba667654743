import fc from "fast-check";
import { expect } from "vitest";
import type { Change, Entry, Write } from "../store.ts";

export function put(key: string, value: string): Write {
  return { type: "put", key, value: Buffer.from(value) };
}

export function remove(key: string): Write {
  return { type: "delete", key };
}

export function text(entry: Pick<Entry, "value"> | undefined): string | undefined {
  return entry && Buffer.from(entry.value).toString();
}

/** Few keys, so that operations often use the same ones; their UTF-8, UTF-16 and locale orders differ. */
const arbitraryKey = fc.constantFrom("a", "ab", "a/", "a/b", "b", "a\u{1f600}", "a\uffee", "aé");

export const arbitraryWrite: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(arbitraryKey, fc.string()).map(([key, value]) => put(key, value)) },
  { weight: 1, arbitrary: arbitraryKey.map(remove) },
);

export function distinct(writes: readonly Write[]): Write[] {
  return [...new Map(writes.map((write) => [write.key, write])).values()];
}

/** Returns values as text, so that a Buffer equals an array with the same bytes. */
export function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, inner: unknown) =>
      inner instanceof Uint8Array ? text({ value: inner }) : inner,
    ) ?? "null",
  );
}

export function summary(change: Change): string {
  const previous = change.previous && `${text(change.previous)}@${change.previous.revision}`;
  if (change.type === "delete") return `delete ${change.previous.key} over ${previous} at ${change.revision}`;
  const { key, revision } = change.entry;
  return `put ${key} ${text(change.entry)}@${revision}${previous ? ` over ${previous}` : ""}`;
}

export async function collect(watch: AsyncIterable<readonly Change[]>): Promise<(readonly Change[])[]> {
  const batches: (readonly Change[])[] = [];
  for await (const batch of watch) batches.push(batch);
  return batches;
}

export async function take(watch: AsyncIterable<readonly Change[]>, count: number): Promise<Change[]> {
  const changes: Change[] = [];
  for await (const batch of watch) {
    changes.push(...batch);
    if (changes.length >= count) break;
  }
  return changes;
}

export function replay(entries: readonly Entry[], changes: readonly Change[]): Entry[] {
  const state = new Map(entries.map((entry) => [entry.key, entry]));
  for (const change of changes) {
    if (change.type === "put") {
      expect(state.get(change.entry.key)).toEqual(change.previous);
      state.set(change.entry.key, change.entry);
    } else {
      expect(state.get(change.previous.key)).toEqual(change.previous);
      state.delete(change.previous.key);
    }
  }
  return [...state.values()].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
