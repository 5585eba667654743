import { listenForKeys, readsKeys } from "../cli/keys.ts";

/** The user's request to stop a cluster. */
export interface StopRequest {
  readonly cleanup: boolean;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const [ctrlC, ctrlZ] = ["\x03", "\x1a"];

/** Waits for a request to stop: a signal or a key. The second one ends the process at once. */
export class StopRequests {
  /** Resolves to the first request. */
  readonly first: Promise<StopRequest>;
  readonly #resolve: (request: StopRequest) => void;
  readonly #cleanup: boolean;
  #stopListening = () => {};

  /** `cleanup` applies to signals. */
  constructor(cleanup: boolean) {
    const { promise, resolve } = Promise.withResolvers<StopRequest>();
    this.first = promise;
    this.#resolve = resolve;
    this.#cleanup = cleanup;
    for (const signal of signals) process.once(signal, () => this.#resolve({ cleanup }));
  }

  /** Reads keys from the terminal. Returns false without one. */
  listen(): boolean {
    const { stdin, stdout } = process;
    if (!readsKeys(stdin, stdout)) return false;
    this.#stopListening = listenForKeys(stdin, (key) => this.#onKey(key));
    void this.first.then(() => this.#stopListening());
    return true;
  }

  #onKey(key: string): void {
    if (key === "q" || key === ctrlC) this.#resolve({ cleanup: this.#cleanup });
    if (key === "c") this.#resolve({ cleanup: true });
    if (key !== ctrlZ) return;
    process.stdin.setRawMode(false);
    process.kill(process.pid, "SIGTSTP");
  }
}
