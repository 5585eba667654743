import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Random } from "./random.ts";

/** The external dependencies of every component: time, randomness, a log, and the metrics of the process. */
export interface Env {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Undefined: nothing is measured. */
  readonly metrics?: Metrics | undefined;
}
