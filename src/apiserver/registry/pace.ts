import { atOnce, type Steps } from "../../util/steps.ts";
import { yielding, yieldToSockets } from "../../util/yield.ts";

/** In bytes. Less is dealt with in a few milliseconds from end to end. */
const largeBytes = 64 * 1024;

/** The pace of one request: between the steps of a large one, sockets have a turn. Only each step alone is bounded. */
export class Pace {
  #isLarge = false;

  /** Notes how much the request brings, or changes. */
  note(bytes: number): void {
    if (bytes > largeBytes) this.#isLarge = true;
  }

  pause(): Promise<void> | undefined {
    return this.#isLarge ? yieldToSockets() : undefined;
  }

  /** Takes all steps, with a pause after each. */
  async inSteps<T>(steps: Steps<T>): Promise<T> {
    return this.#isLarge ? yielding(steps) : atOnce(steps);
  }
}
