import { request } from "node:http";

/** The requests of a part of a run. */
export interface Tally {
  requests: number;
  /** The reasons of failed requests, with their numbers. */
  readonly failures: Map<string, number>;
  /** Milliseconds. */
  readonly latencies: number[];
  /** The longest time between two successes, in milliseconds. */
  longestGap: number;
}

const timeoutMs = 10_000;

/** Sends orders, each over a connection of its own, by some workers that wait for each answer. */
export class Load {
  /** The keys of the orders that were acknowledged. */
  readonly acknowledged: string[] = [];
  readonly #url: string;
  #tally = emptyTally();
  #lastSuccess = performance.now();
  #isOver = false;
  readonly #workers: Promise<void>[];

  constructor(url: string, workers: number) {
    this.#url = url;
    this.#workers = Array.from({ length: workers }, (_, worker) => this.#work(worker));
  }

  /** Returns the requests since the last call. */
  take(): Tally {
    const tally = this.#tally;
    tally.longestGap = Math.max(tally.longestGap, performance.now() - this.#lastSuccess);
    this.#tally = emptyTally();
    return tally;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#workers);
  }

  async #work(worker: number): Promise<void> {
    for (let round = 0; !this.#isOver; round++) {
      const key = `${worker}-${round}`;
      const begun = performance.now();
      const why = await order(`${this.#url}/?key=${key}`);
      const now = performance.now();
      const tally = this.#tally;
      tally.requests++;
      tally.latencies.push(now - begun);
      if (why !== undefined) tally.failures.set(why, (tally.failures.get(why) ?? 0) + 1);
      else {
        this.acknowledged.push(key);
        tally.longestGap = Math.max(tally.longestGap, now - this.#lastSuccess);
        this.#lastSuccess = now;
      }
    }
  }
}

function emptyTally(): Tally {
  return { requests: 0, failures: new Map(), latencies: [], longestGap: 0 };
}

/** Resolves to the reason of a failure; undefined for a success. */
function order(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const call = request(url, { agent: false, timeout: timeoutMs }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("error", (error) => resolve(error.message));
      response.on("end", () =>
        resolve(response.statusCode === 200 ? undefined : `${response.statusCode} ${text.slice(0, 80)}`),
      );
    });
    call.on("timeout", () => call.destroy(new Error("no answer in 10 s")));
    call.on("error", (error) => resolve(error.message.replace(/\d+\.\d+\.\d+\.\d+:\d+/, "…")));
    call.end();
  });
}
