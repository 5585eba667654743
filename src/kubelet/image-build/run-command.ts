/** The command of a RUN, in the image of the steps before it. */
export interface RunStep {
  /** The ID of the image. */
  readonly image: string;
  readonly command: readonly string[];
  /** `NAME=value` each, beyond those of the image. */
  readonly variables: ReadonlyMap<string, string>;
  /** The workshop for the layer. */
  readonly directory: string;
  /** Receives the output's lines. */
  readonly output: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface RunResult {
  readonly exitCode: number;
  /** The directory with what overlayfs wrote. */
  readonly upper: string;
  /** Removes the container. */
  readonly remove: () => Promise<void>;
}

/** Runs the commands of a build in containers without a network. @throws Error when none can be made here */
export interface CommandRunner {
  run(step: RunStep): Promise<RunResult>;
}
