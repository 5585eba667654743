import { stat } from "node:fs/promises";
import { constants } from "node:os";
import { sleep, type Clock } from "../../util/clock.ts";
import type { ContainerStatus } from "../runtime.ts";
import { unknownExitCode, type Exit, type ExitWatch } from "./exit-watch.ts";
import { terminationFile } from "./prepare-container.ts";
import { isAlive, readHandle } from "../process-handle.ts";
import type { ContainerRecord } from "./records.ts";
import type { StatePaths } from "./state-paths.ts";
import type { StdioClient } from "./stdio/client.ts";
import { terminationMessage } from "./termination-message.ts";

export interface ContainerStatesOptions {
  readonly paths: StatePaths;
  readonly exits: ExitWatch;
  readonly stdio: StdioClient;
  readonly clock: Clock;
  /** Whether the container has not been removed meanwhile. */
  readonly exists: (container: string) => boolean;
}

const killed = 128 + constants.signals.SIGKILL;
/** How long an end is held back for the last of its output, should something keep the log from completing. */
const drainPatienceMs = 1000;

/**
 * A container that ran is taken to run on for so long, unless its exit file has come. Every step of every Pod lists
 * all containers: with four looks at the disk for each of them, many starts at once would cost their square.
 */
const runsOnMs = 1000;

/** Tells what state a container is in, from what its supervisor left on disk. */
export class ContainerStates {
  readonly #options: ContainerStatesOptions;
  /** Containers whose supervisor is on its way, and has left no trace yet. */
  readonly #starting = new Set<string>();
  /** Containers whose logs are complete. */
  readonly #logged = new Set<string>();
  /** Containers that ran when last looked at. */
  readonly #running = new Map<string, { readonly at: number; readonly startedAt: number }>();

  constructor(options: ContainerStatesOptions) {
    this.#options = options;
  }

  /** Runs `start`; until it settles, the container is not more than created. */
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
    const base = { id, name, attempt, image, imageId, createdAt, logPath };
    // A start that fails must not be seen as running before.
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
    await this.logComplete(record);
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

  /** Resolves when all output of an ended container is in its log: its end is not shown before. */
  async logComplete({ id, started }: ContainerRecord): Promise<void> {
    if (this.#logged.has(id) || !started) return;
    const patience = new AbortController();
    const drained = this.#options.stdio.drained(id).catch(() => {});
    await Promise.race([drained, sleep(this.#options.clock, drainPatienceMs, patience.signal)]);
    patience.abort();
    this.#logged.add(id);
  }

  forget(container: string): void {
    this.#logged.delete(container);
    this.#running.delete(container);
  }

  /** The end, also one that nobody recorded: the supervisor was killed, or the machine rebooted. */
  async #exit({ id }: ContainerRecord): Promise<Exit | undefined> {
    const { paths, exits } = this.#options;
    const exit = await exits.read(id);
    if (exit !== undefined) return exit;
    for (const file of ["supervisor", "init"]) {
      const handle = await readHandle(paths.container(id, file));
      if (handle !== undefined && (await isAlive(handle))) return undefined;
    }
    const last = await exits.read(id); // It may have been written while we looked.
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
