import type { KubeObject } from "../meta/kind.ts";

/**
 * The objects as this process last wrote or assumed them, until the cache shows what came of it: a volume that was just
 * bound must not look free to the next claim.
 */
export class Latest<O extends KubeObject> {
  readonly #entries = new Map<string, { readonly object: O; readonly isAssumed: boolean }>();

  /** Takes an object as the server returned it. */
  wrote(object: O): void {
    this.#entries.set(object.metadata.uid ?? "", { object, isAssumed: false });
  }

  /** Takes the observed state with a change that is still to be written. */
  assume(object: O): void {
    this.#entries.set(object.metadata.uid ?? "", { object, isAssumed: true });
  }

  /** Forgets an object that is deleted, or a change that will not be written. */
  forget({ metadata }: O): void {
    this.#entries.delete(metadata.uid ?? "");
  }

  /** All that the cache may not show yet. */
  all(): readonly O[] {
    return [...this.#entries.values()].map(({ object }) => object);
  }

  /** The cached state, or the written or assumed one where the cache is not younger. */
  of(cached: O): O {
    const { uid = "" } = cached.metadata;
    const entry = this.#entries.get(uid);
    if (entry === undefined) return cached;
    const ahead = revisionOf(entry.object) - revisionOf(cached);
    if (ahead > 0n || (ahead === 0n && entry.isAssumed)) return entry.object;
    this.#entries.delete(uid);
    return cached;
  }
}

/** The place of an object in the order of writes; 0 before its first. */
export function revisionOf({ metadata }: KubeObject): bigint {
  return BigInt(metadata.resourceVersion ?? "0");
}
