import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nameSuffix, type Random } from "../../util/random.ts";
import { isAlive, parseStat } from "../process-handle.ts";

/**
 * Temporary directories of one store, below a directory named after this process: `<pid>-<start time>`. They
 * belong to that process until it ends.
 */
export class Workshops {
  /** The directory of this process. */
  readonly directory: string;
  readonly #root: string;
  readonly #random: Random;

  private constructor(root: string, owner: string, random: Random) {
    this.directory = join(root, owner);
    this.#root = root;
    this.#random = random;
  }

  /** Removes the directories of ended processes in `root`. */
  static async open(root: string, random: Random): Promise<Workshops> {
    const self = parseStat(await readFile("/proc/self/stat", "utf8").catch(() => ""));
    const workshops = new Workshops(root, `${process.pid}-${self?.startTime ?? ""}`, random);
    await mkdir(workshops.directory, { recursive: true, mode: 0o700 });
    for (const owner of await readdir(root)) {
      const [pid, startTime = ""] = owner.split("-");
      if (join(root, owner) === workshops.directory || (await isAlive({ pid: Number(pid), startTime })))
        continue;
      await rm(join(root, owner), { recursive: true, force: true });
    }
    return workshops;
  }

  /** Calls `work` with a new directory, and removes the directory afterwards. */
  async use<T>(work: (directory: string) => Promise<T>): Promise<T> {
    const workshop = join(this.directory, nameSuffix(this.#random, 12));
    await mkdir(workshop, { recursive: true, mode: 0o700 });
    try {
      return await work(workshop);
    } finally {
      await rm(workshop, { recursive: true, force: true });
    }
  }

  /** Keeps every process from pruning the layers while `work` creates the image that uses them. */
  async claim<T>(layers: readonly string[], work: () => Promise<T>): Promise<T> {
    const file = join(this.directory, `${nameSuffix(this.#random, 12)}${claimSuffix}`);
    await writeFile(file, layers.join("\n"), { mode: 0o600 });
    try {
      return await work();
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Returns the layers that imports of all processes claim. An import may end during the call. */
  async claimed(): Promise<readonly string[]> {
    const layers: string[] = [];
    for (const owner of await readdir(this.#root)) {
      for (const file of await readdir(join(this.#root, owner)).catch(() => [])) {
        if (!file.endsWith(claimSuffix)) continue;
        layers.push(...(await readFile(join(this.#root, owner, file), "utf8").catch(() => "")).split("\n"));
      }
    }
    return layers;
  }
}

/** The suffix of claims; no directory name ends with it. */
const claimSuffix = ".claim";
