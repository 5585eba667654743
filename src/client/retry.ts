import { backoffMs, type Backoff } from "../util/backoff.ts";
import { type Clock, sleep } from "../util/clock.ts";
import type { Random } from "../util/random.ts";
import { hasReason } from "../meta/status.ts";

/** client-go's `retry.DefaultRetry`: five tries within about 15 ms, for conflicts between quick writers. */
const conflictBackoff: Backoff = { initialMs: 10, factor: 1, maxMs: 10, jitter: 0.1 };
const conflictTries = 5;

/**
 * Runs `attempt` again after a conflict. `attempt` must read the object each time.
 * @throws StatusError Conflict after the fifth try; any other error at once.
 */
export async function retryOnConflict<T>(
  attempt: () => Promise<T>,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === conflictTries || !hasReason(error, "Conflict")) throw error;
      await sleep(clock, backoffMs(conflictBackoff, tries, random));
    }
  }
}
