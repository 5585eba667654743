import { stat } from "node:fs/promises";
import { constants } from "node:os";
import type { Clock } from "../../util/clock.ts";
import type { ContainerStatus } from "../runtime.ts";
import { unknownExitCode, type Exit, type ExitWatch } from "./exit-watch.ts";
import { terminationFile } from "./prepare-container.ts";
import { isAlive, readHandle } from "../process-handle.ts";
import type { ContainerRecord } from "./records.ts";
import type { StatePaths } from "./state-paths.ts";
import { terminationMessage } from "../termination-message.ts";

export interface ContainerStatesOptions {
  readonly paths: StatePaths;
  readonly exits: ExitWatch;
  readonly clock: Clock;
  /** Reports whether the container still exists. */
  readonly exists: (container: string) => boolean;
}

const killed = 128 + constants.signals.SIGKILL;

/**
 * A container that ran is assumed to run for this time, unless its exit file exists. Every step of every Pod
 * lists all containers: with four reads of the disk for each, many starts at once would take quadratic time.
 */
const runsOnMs = 1000;

/** Determines a container's state from its supervisor's files. */
export class ContainerStates {
  readonly #options: ContainerStatesOptions;
  /** Containers whose supervisor is being started, and has written no file yet. */
  readonly #starting = new Set<string>();
  /** Containers that ran at the last check. */
  readonly #running = new Map<string, { readonly at: number; readonly startedAt: number }>();

  constructor(options: ContainerStatesOptions) {
    this.#options = options;
  }

  /** Runs `start`; until it settles, the container's state is created. */
  async starting<T>(container: string, start: () => Promise<T>): Promise<T> {
    this.#starting.add(container);
    try {
      return await start();
    } finally {
      this.#starting.delete(container);
    }
  }

  async status(record: ContainerRecord): Promise<ContainerStatus> {
    const { id, config, imageId, createdAt, logPath } = record;
    const { name, attempt, image } = config;
    const { uid, gid, groups } = record.process.credentials;
    const base = { id, name, attempt, image, imageId, createdAt, logPath, user: { uid, gid, groups } };
    // A start that fails must not have been reported as running.
    if (!record.started || this.#starting.has(id)) return { ...base, state: "created" };
    const { clock, exits } = this.#options;
    const seen = exits.known(id) === undefined ? this.#running.get(id) : undefined;
    if (seen !== undefined && clock.monotonic() - seen.at < runsOnMs)
      return { ...base, state: "running", startedAt: seen.startedAt };
    const exit = await this.#exit(record);
    const init = await stat(this.#options.paths.container(id, "init")).catch(() => undefined);
    const started = { ...base, ...(init !== undefined && { startedAt: Math.trunc(init.mtimeMs) }) };
    if (exit === undefined) {
      if (init !== undefined)
        this.#running.set(id, { at: clock.monotonic(), startedAt: Math.trunc(init.mtimeMs) });
      return { ...started, state: "running" };
    }
    this.#running.delete(id);
    const message = record.message ?? (await this.#lastWords(record, exit));
    const oomKilled = exit.oomKills > 0 && exit.code === killed;
    return {
      ...started,
      ...(message !== undefined && { message }),
      state: "exited",
      finishedAt: exit.at,
      exitCode: exit.code,
      reason: oomKilled ? "OOMKilled" : exit.code === 0 ? "Completed" : "Error",
    };
  }

  forget(container: string): void {
    this.#running.delete(container);
  }

  /**
   * Returns the exit, even one that was not recorded because the supervisor was killed or the machine
   * rebooted.
   */
  async #exit({ id }: ContainerRecord): Promise<Exit | undefined> {
    const { paths, exits } = this.#options;
    const exit = await exits.read(id);
    if (exit !== undefined) return exit;
    for (const file of ["supervisor", "init"]) {
      const handle = await readHandle(paths.container(id, file));
      if (handle !== undefined && (await isAlive(handle))) return undefined;
    }
    const last = await exits.read(id); // The file may have been written since the first read.
    if (last !== undefined || !this.#options.exists(id)) return last;
    await exits.record(id, unknownExitCode);
    return exits.read(id);
  }

  async #lastWords(record: ContainerRecord, exit: Exit): Promise<string | undefined> {
    const fallBack = record.config.terminationMessagePolicy === "FallbackToLogsOnError" && exit.code !== 0;
    const file = this.#options.paths.container(record.id, terminationFile);
    return terminationMessage(file, fallBack ? record.logPath : undefined);
  }
}
