import { nextRevision, noRevision } from "../revision.ts";
import type { Entry, ListOptions, Page, Revision, Write } from "../store.ts";

/**
 * The model that tests compare a store with: a copy of the state for each revision, without optimizations.
 */
export class NaiveStore {
  readonly #worlds = new Map<Revision, readonly Entry[]>([[noRevision, []]]);
  revision = noRevision;
  compacted = noRevision;

  commit(writes: readonly Write[]): Revision {
    const world = new Map(this.#world(this.revision).map((entry) => [entry.key, entry]));
    const revision = nextRevision(this.revision);
    let changed = false;
    for (const write of writes) {
      const created = world.get(write.key)?.created ?? revision;
      if (write.type === "delete") changed = world.delete(write.key) || changed;
      else world.set(write.key, { key: write.key, value: write.value, revision, created });
      changed ||= write.type === "put";
    }
    if (!changed) return this.revision;
    this.#worlds.set(revision, [...world.values()].sort(byBytes));
    this.revision = revision;
    return revision;
  }

  list(prefix: string, { at = this.revision, after, limit = Infinity }: ListOptions): Page {
    const bound = after === undefined ? undefined : Buffer.from(after);
    const matching = this.#world(at).filter(
      ({ key }) => key.startsWith(prefix) && (!bound || Buffer.compare(Buffer.from(key), bound) > 0),
    );
    const entries = matching.slice(0, limit);
    return { entries, revision: at, remaining: matching.length - entries.length };
  }

  compact(before: Revision): void {
    if (before > this.compacted) this.compacted = before;
  }

  #world(at: Revision): readonly Entry[] {
    return this.#worlds.get(at) ?? [];
  }
}

function byBytes(a: Entry, b: Entry): number {
  return Buffer.compare(Buffer.from(a.key), Buffer.from(b.key));
}
