import { mkdirSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isObject } from "../../util/is-object.ts";
import type { Requirements, Sizes } from "./sizes.ts";

/** The sizes that a Pod was given, and those of its parts that were not yet changed to them. */
export interface SavedAllocation {
  readonly allocated: Sizes;
  readonly actuated: ReadonlyMap<string, Requirements>;
}

/** Keeps allocations in a file, so that a restart of the agent neither grants a waiting resize nor forgets one. */
export class Checkpoint {
  readonly #file: string;
  #writing: Promise<void> | undefined;
  #next: (() => string) | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the allocations by Pod UID; none from a file that is missing or damaged. */
  load(): ReadonlyMap<string, SavedAllocation> {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    const found = new Map<string, SavedAllocation>();
    for (const [uid, entry] of Object.entries(parse(this.#file))) {
      if (!isObject(entry)) continue;
      const { pod, containers, actuated } = entry;
      const allocated = {
        ...(isObject(pod) && { pod: pod as Requirements }), // Safe: only `save` writes the file.
        containers: requirements(containers),
      };
      found.set(uid, { allocated, actuated: requirements(actuated) });
    }
    return found;
  }

  /**
   * Writes all allocations. A write that is under way is followed by one more, whatever the number of calls meanwhile.
   * Resolves when what `all` returns is on disk.
   */
  async save(all: () => ReadonlyMap<string, SavedAllocation>): Promise<void> {
    this.#next = () => encode(all());
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async #write(): Promise<void> {
    for (let next = this.#next; next !== undefined; next = this.#next) {
      this.#next = undefined;
      await writeFile(`${this.#file}.new`, next(), { mode: 0o600 });
      await rename(`${this.#file}.new`, this.#file);
    }
  }
}

function parse(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isObject(value) && isObject(value["pods"]) ? value["pods"] : {};
  } catch {
    return {};
  }
}

function requirements(value: unknown): ReadonlyMap<string, Requirements> {
  // Safe: only `encode` makes these values.
  return new Map(isObject(value) ? (Object.entries(value) as [string, Requirements][]) : []);
}

function encode(all: ReadonlyMap<string, SavedAllocation>): string {
  const pods = [...all].map(
    ([
      uid,
      {
        allocated: { pod, containers },
        actuated,
      },
    ]) => [
      uid,
      {
        ...(pod !== undefined && { pod }),
        containers: Object.fromEntries(containers),
        ...(actuated.size > 0 && { actuated: Object.fromEntries(actuated) }),
      },
    ],
  );
  return JSON.stringify({ pods: Object.fromEntries(pods) });
}
