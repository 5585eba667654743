import type { KubeObject } from "../../meta/kind.ts";

/**
 * The objects as this controller last wrote them, until the cache shows them too: a volume that it has just bound must not
 * look free to the next claim.
 */
export class Latest<O extends KubeObject> {
  readonly #written = new Map<string, O>();

  wrote(object: O): void {
    this.#written.set(object.metadata.uid ?? "", object);
  }

  /** Forgets an object that is deleted. */
  forget({ metadata }: O): void {
    this.#written.delete(metadata.uid ?? "");
  }

  /** The younger of the cached and the written state. */
  of(cached: O): O {
    const { uid = "" } = cached.metadata;
    const written = this.#written.get(uid);
    if (written === undefined) return cached;
    if (revisionOf(written) > revisionOf(cached)) return written;
    this.#written.delete(uid);
    return cached;
  }
}

function revisionOf({ metadata }: KubeObject): bigint {
  return BigInt(metadata.resourceVersion ?? "0");
}
