import { watch, type FSWatcher } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import type { StatePaths } from "./state-paths.ts";

/** How a container ended. */
export interface Exit {
  readonly code: number;
  readonly oomKills: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Exit code of a container whose end nobody saw: a reboot, or a killed supervisor. As containerd reports it. */
export const unknownExitCode = 255;

/** The supervisors' exit files: one inotify watch tells of every container. */
export class ExitWatch {
  readonly #paths: StatePaths;
  readonly #watcher: FSWatcher;
  readonly #exits = new Map<string, Exit>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** `changed` is called with a container's ID when its exit file is there. */
  constructor(paths: StatePaths, changed: (container: string) => void) {
    this.#paths = paths;
    this.#watcher = watch(paths.exits, (_, name) => {
      if (name !== null) void this.#look(name, changed);
    });
  }

  /** The end, if it has been read before: without a look at the disk. */
  known(container: string): Exit | undefined {
    return this.#exits.get(container);
  }

  /** undefined while the container has not ended. */
  async read(container: string): Promise<Exit | undefined> {
    const known = this.#exits.get(container);
    if (known !== undefined) return known;
    const file = this.#paths.exit(container);
    const text = await readFile(file, "utf8").catch(() => "");
    const [, code, kills] = /^(\d+) (\d+)\n$/.exec(text) ?? []; // A line without its end is being written.
    if (code === undefined) return undefined;
    const exit = { code: Number(code), oomKills: Number(kills), at: Math.trunc((await stat(file)).mtimeMs) };
    this.#exits.set(container, exit);
    this.#wake(container); // Also when a `list` found it: a lost event costs time, not the truth.
    return exit;
  }

  /** Resolves when the container has ended. */
  async ended(container: string): Promise<void> {
    await new Promise<void>((resolve) => {
      const waiters = this.#waiting.get(container) ?? new Set();
      this.#waiting.set(container, waiters.add(resolve));
      void this.read(container).then((exit) => exit && this.#wake(container)); // It may have been there before.
    });
  }

  /** Records an end that no supervisor recorded. */
  async record(container: string, code: number): Promise<void> {
    await writeFile(this.#paths.exit(container), `${code} 0\n`, { mode: 0o600 });
    await this.read(container);
  }

  async forget(container: string): Promise<void> {
    this.#exits.delete(container);
    await rm(this.#paths.exit(container), { force: true });
  }

  close(): void {
    this.#watcher.close();
  }

  async #look(container: string, changed: (container: string) => void): Promise<void> {
    if ((await this.read(container)) === undefined) return;
    changed(container);
  }

  #wake(container: string): void {
    for (const resolve of this.#waiting.get(container) ?? []) resolve();
    this.#waiting.delete(container);
  }
}
