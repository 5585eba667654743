import { atOnce, type Steps } from "../../util/steps.ts";
import { yielding, yieldToSockets } from "../../util/yield.ts";

/** Bytes. Smaller requests take a few milliseconds in total. */
const largeBytes = 64 * 1024;

/**
 * The pace of one request: sockets have a turn between the steps of a large one. Each step is bounded by
 * itself.
 */
export class Pace {
  #isLarge = false;

  /** Notes the size of a request, or of the object that it changes. */
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
