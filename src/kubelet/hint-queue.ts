/** The greatest number of hints that a slow watcher may have pending. */
const maxPending = 10_000;

/** Passes the UIDs of changed Pods to every watcher. A pending UID is not added again. */
export class HintQueue {
  readonly #watchers = new Set<{ readonly pending: Set<string>; wake: () => void }>();
  #closed = false;

  push(uid: string): void {
    for (const watcher of this.#watchers) {
      // Hints may be dropped, because the periodic relist finds every change.
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
