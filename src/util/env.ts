import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";
import type { Random } from "./random.ts";

/** What every component gets from outside: time, randomness and a place to log. */
export interface Env {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
