import type { CheckAction } from "../runtime.ts";
import type { Clock } from "../../util/clock.ts";

/** The container of a running program. */
export interface ProgramContext {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** The number of earlier restarts of the container. */
  readonly attempt: number;
  /** Writes a line to the container's log. */
  log(line: string): void;
  /** Fires when the container must stop; it is killed after its grace period. */
  readonly signal: AbortSignal;
}

/** The usage of a simulated container. */
export interface ProgramUsage {
  /** The CPU in cores, such as 0.25. */
  readonly cpu: number;
  readonly memoryBytes: number;
}

/** The behavior of an image, as TypeScript functions. */
export interface Program {
  /** Runs the container; resolves to its exit code. */
  run(context: ProgramContext): Promise<number>;
  /**
   * Answers probes and hooks with the reason of their failure, or undefined. By default `exec` runs commands,
   * and other actions succeed.
   */
  check?(action: CheckAction, context: ProgramContext): Promise<string | undefined>;
  /** Answers `exec`. By default, exec is refused. */
  exec?(
    command: readonly string[],
    context: ProgramContext,
  ): Promise<{ readonly exitCode: number; readonly output?: string }>;
  /** Returns the present usage, for `kubectl top` and autoscalers. Default: a small and steady one. */
  usage?(context: ProgramContext): ProgramUsage;
}

/** The usage of a container whose rule and program do not give one. */
export const defaultUsage: ProgramUsage = { cpu: 0.001, memoryBytes: 8 * 1024 * 1024 };
