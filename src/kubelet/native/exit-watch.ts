import { watch, type FSWatcher } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import type { StatePaths } from "./state-paths.ts";

/** The end of a container. */
export interface Exit {
  readonly code: number;
  readonly oomKills: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The exit code of a container whose exit was not recorded (after a reboot or a killed supervisor), as
 * containerd reports it.
 */
export const unknownExitCode = 255;

/** The supervisors' exit files. One inotify watch covers every container. */
export class ExitWatch {
  readonly #paths: StatePaths;
  readonly #watcher: FSWatcher;
  readonly #exits = new Map<string, Exit>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** `changed` is called with a container's ID when its exit file exists. */
  constructor(paths: StatePaths, changed: (container: string) => void) {
    this.#paths = paths;
    this.#watcher = watch(paths.exits, (_, name) => {
      if (name !== null) void this.#look(name, changed);
    });
  }

  /** Returns an exit that was read before, without reading the disk. */
  known(container: string): Exit | undefined {
    return this.#exits.get(container);
  }

  /** Returns undefined while the container has not ended. */
  async read(container: string): Promise<Exit | undefined> {
    const known = this.#exits.get(container);
    if (known !== undefined) return known;
    const file = this.#paths.exit(container);
    const text = await readFile(file, "utf8").catch(() => "");
    const [, code, kills] = /^(\d+) (\d+)\n$/.exec(text) ?? []; // A line without its newline is incomplete.
    if (code === undefined) return undefined;
    const exit = { code: Number(code), oomKills: Number(kills), at: Math.trunc((await stat(file)).mtimeMs) };
    this.#exits.set(container, exit);
    this.#wake(container); // Wakes waiters also after a `list`: a lost event only delays them.
    return exit;
  }

  /** Resolves when the container has ended. */
  async ended(container: string): Promise<void> {
    await new Promise<void>((resolve) => {
      const waiters = this.#waiting.get(container) ?? new Set();
      this.#waiting.set(container, waiters.add(resolve));
      void this.read(container).then((exit) => exit && this.#wake(container)); // It may have existed before.
    });
  }

  /** Records an exit in place of the supervisor. */
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
