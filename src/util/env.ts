import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";
import type { Random } from "./random.ts";

/** The external dependencies of every component: time, randomness and a log. */
export interface Env {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
