import { yieldToSockets } from "../../../util/yield.ts";

/** Gives sockets a turn after an amount of work. */
export class Turns {
  readonly #most: number;
  #done = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Notes work that was done. */
  after(work: number): Promise<void> | undefined {
    this.#done += work;
    if (this.#done < this.#most) return undefined;
    this.#done = 0;
    return yieldToSockets();
  }
}
