import { setImmediate as turn } from "node:timers/promises";

/** Resolves when a number has stopped changing, so that only timers can change anything. */
export async function quiet(count: () => number): Promise<void> {
  for (let turns = 0, last = -1; turns < 500; turns++) {
    if (count() !== last) turns = 0;
    last = count();
    await turn();
  }
}
