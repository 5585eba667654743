import { basename } from "node:path";
import { every, sleep } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { errorText } from "../../util/error-text.ts";
import type { ContainerStatus, Runtime, SandboxStatus } from "../runtime.ts";
import { LogDirectory } from "../safe-path/log-directory.ts";
import { planRotation, rotatedName } from "./rotation-plan.ts";

/** The settings of KubeletConfiguration. */
export interface LogSettings {
  /** `containerLogMaxSize` in bytes; negative for no rotation. */
  readonly maxBytes: number;
  /** `containerLogMaxFiles`, with the present log; at least 2. */
  readonly maxFiles: number;
  /** `containerLogMonitorInterval` in milliseconds. */
  readonly intervalMs: number;
}

/** Upstream's defaults. */
export const defaultLogSettings: LogSettings = { maxBytes: 10 << 20, maxFiles: 5, intervalMs: 10_000 };

/** The time within which a runtime creates the new log, and the interval at which it is looked for. */
const reopenMs = 2000;
const lookMs = 10;

export interface LogRotationOptions {
  readonly env: Pick<Env, "clock" | "log">;
  readonly runtime: Pick<Runtime, "reopenLog">;
  readonly settings: LogSettings;
  readonly sandboxes: () => Iterable<SandboxStatus>;
}

/** Rotates the logs of running containers that have grown too large, one after the other (kubelet `logs`). */
export class LogRotation {
  readonly #options: LogRotationOptions;

  constructor(options: LogRotationOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { env, runtime, settings } = this.#options;
    if (runtime.reopenLog === undefined || settings.maxBytes < 0) return;
    await every(env.clock, settings.intervalMs, signal, () => this.rotate());
  }

  async rotate(): Promise<void> {
    for (const { containers } of this.#options.sandboxes()) {
      for (const container of containers) {
        if (container.state !== "running") continue;
        try {
          await this.#look(container);
        } catch (error) {
          const { id, logPath } = container;
          this.#options.env.log.warn("Cannot rotate a log", { id, logPath, error: errorText(error) });
        }
      }
    }
  }

  async #look({ id, logPath }: ContainerStatus): Promise<void> {
    const { settings } = this.#options;
    const directory = LogDirectory.open(logPath);
    if (directory === undefined) return;
    const name = basename(logPath);
    try {
      const size = await directory.size(name);
      // A lost log is created again.
      if (size === undefined && !(await directory.has(name))) await this.#reopen(directory, id, name);
      else if (size !== undefined && size >= settings.maxBytes) await this.#rotate(directory, id, name);
    } finally {
      directory.close();
    }
  }

  async #rotate(directory: LogDirectory, id: string, name: string): Promise<void> {
    const { env, settings } = this.#options;
    const { remove, compress } = planRotation(name, await directory.names(), settings.maxFiles);
    for (const one of remove) await directory.remove(one);
    for (const one of compress) await directory.compress(one);
    const rotated = rotatedName(name, env.clock.now());
    await directory.rename(name, rotated);
    try {
      await this.#reopen(directory, id, name);
    } catch (error) {
      // The container still writes to the old file, which gets its name back unless the new one came late.
      if ((await directory.size(name)) === undefined) await directory.rename(rotated, name);
      throw error;
    }
  }

  async #reopen(directory: LogDirectory, id: string, name: string): Promise<void> {
    const { env, runtime } = this.#options;
    await runtime.reopenLog?.(id);
    for (let waited = 0; (await directory.size(name)) === undefined; waited += lookMs) {
      if (waited >= reopenMs) throw new Error("the runtime did not create the new log");
      await sleep(env.clock, lookMs);
    }
  }
}
