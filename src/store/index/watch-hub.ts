import { type Change, changedKey } from "../store.ts";
import { Watcher } from "./watcher.ts";

/**
 * Passes changes to the watchers whose prefix they match, without work for the others: watchers are found by
 * looking up the key's own prefixes, one for each watched length.
 */
export class WatchHub {
  readonly #watchers = new Map<string, Set<Watcher>>();
  /** The number of watched prefixes of each length. */
  readonly #lengths = new Map<number, number>();

  open(prefix: string, history: Change[], signal: AbortSignal): Watcher {
    const cancel = () => watcher.cancel();
    const watcher = new Watcher(prefix, history, () => {
      signal.removeEventListener("abort", cancel);
      this.#remove(watcher);
    });
    this.#add(watcher);
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) watcher.cancel();
    return watcher;
  }

  publish(changes: readonly Change[]): void {
    for (const change of changes) {
      const key = changedKey(change);
      for (const length of this.#lengths.keys()) {
        if (length > key.length) continue;
        for (const watcher of this.#watchers.get(key.slice(0, length)) ?? []) watcher.push(change);
      }
    }
  }

  /** Ends every watch once its consumer has read everything published. */
  close(): void {
    for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher.finish();
  }

  #add(watcher: Watcher): void {
    const watchers = this.#watchers.get(watcher.prefix);
    if (watchers !== undefined) {
      watchers.add(watcher);
      return;
    }
    this.#watchers.set(watcher.prefix, new Set([watcher]));
    const { length } = watcher.prefix;
    this.#lengths.set(length, (this.#lengths.get(length) ?? 0) + 1);
  }

  #remove(watcher: Watcher): void {
    const watchers = this.#watchers.get(watcher.prefix);
    watchers?.delete(watcher);
    if (watchers === undefined || watchers.size > 0) return;
    this.#watchers.delete(watcher.prefix);
    const { length } = watcher.prefix;
    const others = (this.#lengths.get(length) ?? 1) - 1;
    if (others === 0) this.#lengths.delete(length);
    else this.#lengths.set(length, others);
  }
}
