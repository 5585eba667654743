import type { Env } from "../../util/env.ts";
import type { HeartbeatFailure } from "./configuration/schema.ts";
import { drawDelay } from "./delay.ts";

/** The heartbeats of one simulated node, which fail and return at times that are drawn one after the other. */
export class Heartbeats {
  readonly #env: Pick<Env, "clock" | "random">;
  readonly #failure: HeartbeatFailure;
  #fail = false;
  /** The monotonic time of the next change; Infinity when there is none. */
  #changesAt: number;

  constructor(env: Pick<Env, "clock" | "random">, failure: HeartbeatFailure) {
    this.#env = env;
    this.#failure = failure;
    this.#changesAt = env.clock.monotonic() + drawDelay(failure.delay, env.random);
  }

  /** Reports whether the heartbeats fail now. Changes that nobody has seen are skipped. */
  fail(): boolean {
    const { clock } = this.#env;
    while (this.#changesAt <= clock.monotonic()) {
      this.#fail = !this.#fail;
      this.#changesAt += this.#fail ? this.#untilReturn() : this.#untilFailure();
    }
    return this.#fail;
  }

  #untilReturn(): number {
    const { duration } = this.#failure;
    return duration === undefined ? Infinity : drawDelay(duration, this.#env.random);
  }

  #untilFailure(): number {
    const { delay, repeat = false } = this.#failure;
    return repeat ? drawDelay(delay, this.#env.random) : Infinity;
  }
}
