import type { Steps } from "../../util/steps.ts";
import { yieldToSockets } from "../../util/yield.ts";

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

  /** Does work with a pause after each of its steps. */
  async inSteps<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      const paused = this.pause();
      if (paused !== undefined) await paused;
    }
  }
}
