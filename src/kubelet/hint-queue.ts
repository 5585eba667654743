/** Most hints that a slow watcher is kept: Pods are few, and each is held once. */
const maxPending = 10_000;

/** Hands the UIDs of changed Pods to every watcher; one that is pending already is not added again. */
export class HintQueue {
  readonly #watchers = new Set<{ readonly pending: Set<string>; wake: () => void }>();
  #closed = false;

  push(uid: string): void {
    for (const watcher of this.#watchers) {
      // A hint too many may be dropped: hints are never the truth.
      if (watcher.pending.size < maxPending) watcher.pending.add(uid);
      watcher.wake();
    }
  }

  async *watch(signal: AbortSignal): AsyncIterable<string> {
    const watcher = { pending: new Set<string>(), wake: () => {} };
    const wake = () => watcher.wake();
    this.#watchers.add(watcher);
    signal.addEventListener("abort", wake);
    try {
      while (!signal.aborted && !this.#closed) {
        const [uid] = watcher.pending;
        if (uid === undefined) {
          await new Promise<void>((resolve) => (watcher.wake = resolve));
        } else {
          watcher.pending.delete(uid);
          yield uid;
        }
      }
    } finally {
      this.#watchers.delete(watcher);
      signal.removeEventListener("abort", wake);
    }
  }

  close(): void {
    this.#closed = true;
    for (const watcher of this.#watchers) watcher.wake();
  }
}
