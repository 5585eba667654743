import { sleep } from "../../util/clock.ts";
import type { Program } from "./program.ts";

/** A program that runs until it is stopped, and then exits with 0. */
export const server: Program = {
  run: async ({ clock, signal }) => {
    while (!signal.aborted) await sleep(clock, 86_400_000, signal);
    return 0;
  },
};
