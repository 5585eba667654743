import { exponentialBounds } from "../util/metrics/metric.ts";
import type { Metrics } from "../util/metrics/metrics.ts";

export type AttemptResult = "scheduled" | "unschedulable" | "error";

/** The Pods that wait for a node, by the reason why they wait. */
export interface PendingPods {
  readonly active: number;
  readonly backoff: number;
  readonly unschedulable: number;
  readonly gated: number;
}

/** The metrics of a scheduler (scheduler `metrics/metrics.go`). */
export class SchedulerMetrics {
  readonly #attempts;
  readonly #durations;

  /** `pending` is asked at each scrape. */
  constructor(metrics: Metrics, pending: () => PendingPods) {
    const labels = ["result", "profile"] as const;
    this.#attempts = metrics.counter({
      name: "scheduler_schedule_attempts_total",
      help: "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, while 'error' means an internal scheduler problem.",
      labels,
    });
    this.#durations = metrics.histogram(
      {
        name: "scheduler_scheduling_attempt_duration_seconds",
        help: "Scheduling attempt latency in seconds (scheduling algorithm + binding)",
        labels,
      },
      exponentialBounds(0.001, 2, 15),
    );
    const gauge = metrics.gauge({
      name: "scheduler_pending_pods",
      help: "Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in unschedulablePods that the scheduler attempted to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted to schedule because they are gated.",
      labels: ["queue"],
    });
    metrics.beforeScrape(() => {
      for (const [queue, count] of Object.entries(pending())) gauge.set({ queue }, count);
    });
  }

  /** Counts an attempt to schedule a Pod of a profile, which took so many milliseconds. */
  attempted(profile: string, result: AttemptResult, ms: number): void {
    this.#attempts.add({ result, profile });
    this.#durations.observe({ result, profile }, ms / 1000);
  }
}
