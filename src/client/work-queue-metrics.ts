import type { Clock } from "../util/clock.ts";
import { exponentialBounds } from "../util/metrics/metric.ts";
import type { Metrics } from "../util/metrics/metrics.ts";

/** Bounds from 10 ns to 10 s, as upstream's. */
const bounds = exponentialBounds(10e-9, 10, 10);
const labels = ["name"] as const;

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
  readonly #stop: () => void;

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
    const depth = metrics.gauge(family("depth", "Current depth of workqueue"));
    const unfinished = metrics.gauge(
      family(
        "unfinished_work_seconds",
        "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
      ),
    );
    const longest = metrics.gauge(
      family(
        "longest_running_processor_seconds",
        "How many seconds has the longest running processor for workqueue been running.",
      ),
    );
    this.#stop = metrics.beforeScrape(() => {
      const now = clock.monotonic();
      let [sum, most] = [0, 0];
      for (const at of this.#taken.values()) {
        sum += now - at;
        most = Math.max(most, now - at);
      }
      depth.set(this.#labels, this.#queued.size);
      unfinished.set(this.#labels, sum / 1000);
      longest.set(this.#labels, most / 1000);
    });
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
    this.#stop();
  }
}
