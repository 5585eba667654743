import { idsOfPod, RuntimeError, type SandboxStatus } from "../runtime.ts";

/** IDs below are the host's own (upstream `userns_manager.go`). */
const firstFree = idsOfPod;
/** The host has IDs of 32 bits, of which upstream uses the lower half. */
const end = 2 ** 31;

/** Gives Pods with `hostUsers: false` ranges of IDs that no other Pod on the node has. */
export class UserNamespaces {
  readonly #ranges = new Map<string, number>();

  /**
   * Returns the first ID of a Pod's range, the same at each call. `sandboxes` are those of all Pods, of which some are from an
   * earlier process. @throws RuntimeError when there is no range left
   */
  rangeOf(uid: string, sandboxes: Iterable<SandboxStatus>): number {
    const known = this.#ranges.get(uid);
    if (known !== undefined) return known;
    const taken = new Set(this.#ranges.values());
    for (const { firstId, pod } of sandboxes) {
      if (firstId === undefined) continue;
      if (pod.uid === uid) return this.#keep(uid, firstId);
      taken.add(firstId);
    }
    for (let first = firstFree; first < end; first += idsOfPod)
      if (!taken.has(first)) return this.#keep(uid, first);
    throw new RuntimeError(
      "CreatePodSandboxError",
      "could not find an empty slot to allocate a user namespace",
    );
  }

  release(uid: string): void {
    this.#ranges.delete(uid);
  }

  #keep(uid: string, first: number): number {
    this.#ranges.set(uid, first);
    return first;
  }
}
