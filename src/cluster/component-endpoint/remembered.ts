import type { Clock } from "../../util/clock.ts";
import { LruMap } from "../../util/lru.ts";

/** Upstream's time for answers of the API server about callers. */
const lifeMs = 10_000;
const mostEntries = 1_000;

/** Answers that are asked for again only after ten seconds. */
export class Remembered<T> {
  readonly #clock: Clock;
  readonly #entries = new LruMap<string, { until: number; readonly answer: Promise<T> }>(mostEntries);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Errors are not remembered. */
  get(key: string, ask: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    const known = this.#entries.get(key);
    if (known !== undefined && known.until > now) return known.answer;
    const entry = { until: now + lifeMs, answer: ask() };
    this.#entries.set(key, entry);
    entry.answer.catch(() => (entry.until = now));
    return entry.answer;
  }
}
