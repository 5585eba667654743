import type { Clock } from "../util/clock.ts";
import { exponentialBounds } from "../util/metrics/metric.ts";
import type { Metrics } from "../util/metrics/metrics.ts";

/** Bounds from 10 ns to 10 s, as upstream's. */
const bounds = exponentialBounds(10e-9, 10, 10);
const labels = ["name"] as const;

interface QueueState {
  readonly depth: number;
  readonly unfinishedMs: number;
  readonly longestMs: number;
}

/** The queues of each name, which count together: some controllers share a name. */
const queues = new WeakMap<Metrics, Map<string, Set<WorkQueueMetrics>>>();

/** Has a queue measured at each scrape. Returns its removal. */
function join(metrics: Metrics, name: string, queue: WorkQueueMetrics): () => void {
  const known = queues.get(metrics) ?? new Map<string, Set<WorkQueueMetrics>>();
  if (!queues.has(metrics)) {
    queues.set(metrics, known);
    measureAtScrapes(metrics, known);
  }
  const own = known.get(name) ?? new Set();
  known.set(name, own.add(queue));
  return () => void own.delete(queue);
}

function measureAtScrapes(metrics: Metrics, known: ReadonlyMap<string, ReadonlySet<WorkQueueMetrics>>): void {
  const gauge = (part: string, help: string) => metrics.gauge({ name: `workqueue_${part}`, help, labels });
  const depth = gauge("depth", "Current depth of workqueue");
  const unfinished = gauge(
    "unfinished_work_seconds",
    "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
  );
  const longest = gauge(
    "longest_running_processor_seconds",
    "How many seconds has the longest running processor for workqueue been running.",
  );
  metrics.beforeScrape(() => {
    for (const [name, all] of known) {
      const states = Array.from(all, (one) => one.state());
      const sum = (of: (state: QueueState) => number) => states.reduce((total, one) => total + of(one), 0);
      depth.set(
        { name },
        sum((one) => one.depth),
      );
      unfinished.set({ name }, sum((one) => one.unfinishedMs) / 1000);
      longest.set({ name }, Math.max(0, ...states.map(({ longestMs }) => longestMs)) / 1000);
    }
  });
}

/** The metrics of one work queue (component-base `metrics/prometheus/workqueue`). */
export class WorkQueueMetrics {
  readonly #clock: Clock;
  readonly #labels: { readonly name: string };
  readonly #adds;
  readonly #retries;
  readonly #queueDuration;
  readonly #workDuration;
  /** The times at which keys were queued and taken, on the monotonic clock. */
  readonly #queued = new Map<string, number>();
  readonly #taken = new Map<string, number>();
  readonly #leave: () => void;

  constructor(metrics: Metrics, clock: Clock, name: string) {
    this.#clock = clock;
    this.#labels = { name };
    const family = (part: string, help: string) => ({ name: `workqueue_${part}`, help, labels });
    this.#adds = metrics.counter(family("adds_total", "Total number of adds handled by workqueue"));
    this.#retries = metrics.counter(family("retries_total", "Total number of retries handled by workqueue"));
    this.#queueDuration = metrics.histogram(
      family(
        "queue_duration_seconds",
        "How long in seconds an item stays in workqueue before being requested.",
      ),
      bounds,
    );
    this.#workDuration = metrics.histogram(
      family("work_duration_seconds", "How long in seconds processing an item from workqueue takes."),
      bounds,
    );
    this.#leave = join(metrics, this.#labels.name, this);
  }

  /** The numbers of this moment. */
  state(): QueueState {
    const now = this.#clock.monotonic();
    let [unfinishedMs, longestMs] = [0, 0];
    for (const at of this.#taken.values()) {
      unfinishedMs += now - at;
      longestMs = Math.max(longestMs, now - at);
    }
    return { depth: this.#queued.size, unfinishedMs, longestMs };
  }

  enqueued(key: string): void {
    this.#adds.add(this.#labels);
    this.#queued.set(key, this.#clock.monotonic());
  }

  retried(): void {
    this.#retries.add(this.#labels);
  }

  taken(key: string): void {
    const now = this.#clock.monotonic();
    this.#queueDuration.observe(this.#labels, (now - (this.#queued.get(key) ?? now)) / 1000);
    this.#queued.delete(key);
    this.#taken.set(key, now);
  }

  done(key: string): void {
    const at = this.#taken.get(key);
    if (at === undefined) return;
    this.#workDuration.observe(this.#labels, (this.#clock.monotonic() - at) / 1000);
    this.#taken.delete(key);
  }

  shutDown(): void {
    this.#queued.clear();
    this.#taken.clear();
    this.#leave();
  }
}
