import type { Clock } from "../../util/clock.ts";

/** Upstream's time for answers of the API server about callers. */
const lifeMs = 10_000;
const mostEntries = 1_000;

/** Answers that are asked for again only after ten seconds. The oldest make room for new ones. */
export class Remembered<T> {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { readonly until: number; readonly answer: Promise<T> }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Errors are not remembered. */
  get(key: string, ask: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    const known = this.#entries.get(key);
    if (known !== undefined && known.until > now) return known.answer;
    const entry = { until: now + lifeMs, answer: ask() };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > mostEntries && oldest !== undefined) this.#entries.delete(oldest);
    entry.answer.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.answer;
  }
}
