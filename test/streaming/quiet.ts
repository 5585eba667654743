import { setImmediate as turn } from "node:timers/promises";

/** Resolves when a number has stopped changing: nothing happens any more that needs no time. */
export async function quiet(count: () => number): Promise<void> {
  for (let turns = 0, last = -1; turns < 500; turns++) {
    if (count() !== last) turns = 0;
    last = count();
    await turn();
  }
}
