import type { CheckAction } from "../runtime.ts";
import type { Clock } from "../../util/clock.ts";

/** What a simulated container knows of itself. */
export interface ProgramContext {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** How often the container was restarted before. */
  readonly attempt: number;
  /** Writes a line to the container's log. */
  log(line: string): void;
  /** Fires when the container is told to stop; it is killed when its grace period is over. */
  readonly signal: AbortSignal;
}

/** What an image does, as a TypeScript function. */
export interface Program {
  /** Runs the container; resolves with its exit code. */
  run(context: ProgramContext): Promise<number>;
  /** Answers probes and hooks: why they fail, or undefined. Without it commands go to `exec`, and all else succeeds. */
  check?(action: CheckAction, context: ProgramContext): Promise<string | undefined>;
  /** Answers `exec`. Without it, that is refused. */
  exec?(
    command: readonly string[],
    context: ProgramContext,
  ): Promise<{ readonly exitCode: number; readonly output?: string }>;
}

/** Does nothing until it is told to stop, then ends well: what most servers look like from outside. */
export const server: Program = {
  run: ({ signal }) =>
    new Promise((resolve) => {
      if (signal.aborted) resolve(0);
      else signal.addEventListener("abort", () => resolve(0), { once: true });
    }),
};

/** Ends well at once: what others wait for. */
export const task: Program = { run: () => Promise.resolve(0) };
