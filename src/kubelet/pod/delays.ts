import type { Clock } from "../../util/clock.ts";
import type { Backoff } from "./view.ts";

/** Upstream's delays for crashing containers and failing pulls: 10 s, doubled up to 5 min (kubelet `MaxCrashLoopBackOff`). */
const firstMs = 10_000;
const maxMs = 300_000;
/** After so long without trouble the next trouble is the first again. */
const forgetAfterMs = 2 * maxMs;

/** Growing delays by name. */
export class Delays {
  readonly #clock: Clock;
  readonly #delays = new Map<string, Backoff>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  grow(name: string): void {
    const now = this.#clock.now();
    const known = this.#delays.get(name);
    const isFresh = known === undefined || now - known.since > forgetAfterMs;
    this.#delays.set(name, { delayMs: isFresh ? firstMs : Math.min(known.delayMs * 2, maxMs), since: now });
  }

  reset(name: string): void {
    this.#delays.delete(name);
  }

  delay(name: string): number | undefined {
    const known = this.#delays.get(name);
    return known === undefined || this.#clock.now() - known.since > forgetAfterMs ? undefined : known.delayMs;
  }

  entries(): Iterable<[string, Backoff]> {
    return this.#delays.entries();
  }
}
