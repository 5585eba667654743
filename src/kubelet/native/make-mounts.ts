import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import {
  at,
  Descriptors,
  type Identity,
  isDirectory,
  isSame,
  O_PATH,
  openTrusted,
} from "../safe-path/descriptors.ts";
import { type InsideOptions, openInside } from "../safe-path/open-inside.ts";
import { openSubPath } from "../safe-path/sub-path.ts";
import { directoryRequest, mountsRequest } from "./boot-script.ts";
import { bindEntry, type Entry, formatFstab, type InnerMount } from "./mount-plan.ts";
import { toolboxInside, wavesFile } from "./prepare-container.ts";
import { parseStat } from "../process-handle.ts";
import type { ContainerRecord } from "./records.ts";
import type { StatePaths } from "./state-paths.ts";

/** `f_type` of `/proc` (linux/magic.h). */
const procMagic = 0x9fa0;
const directoryMode = 0o755;

/**
 * A container's root during its boot, opened from outside. Each descriptor is of the boot's own mount
 * namespace.
 */
interface Inside {
  readonly root: number;
  /** The host's root, until the boot unmounts it. */
  readonly old: number;
  readonly toolbox: Identity;
  /** The paths at which nothing may be mounted: the root and `/dev`, which holds the toolbox. */
  readonly own: readonly Identity[];
}

/**
 * Resolves, for a container's boot, every path that its image, its Pod's other containers or its volumes may
 * change concurrently: sources and targets of mounts, and the working directory. `openInside` turns each into
 * a descriptor, opened through the boot's root and so in its own mount namespace. The boot mounts `<old
 * root>/proc/<this process>/fd/<n>`, in which no name can be replaced. A mount is made in two steps: first
 * with its flags on a stage that only the boot can see, then at its target. Setting flags takes a path to the
 * mount, and the target has no trustworthy path.
 */
export class MountMaker {
  readonly #paths: StatePaths;
  readonly #record: ContainerRecord;
  readonly #waves: readonly (readonly InnerMount[])[];
  /** The descriptors of the wave that the boot is mounting. */
  readonly #held = new Descriptors();

  private constructor(paths: StatePaths, record: ContainerRecord, waves: readonly (readonly InnerMount[])[]) {
    this.#paths = paths;
    this.#record = record;
    this.#waves = waves;
  }

  static async open(paths: StatePaths, record: ContainerRecord): Promise<MountMaker> {
    const waves = await readFile(paths.container(record.id, wavesFile), "utf8");
    return new MountMaker(paths, record, JSON.parse(waves) as InnerMount[][]);
  }

  /** Carries out a request of the boot. @throws Error when a path leads out, or does not exist. */
  answer(request: string): void {
    this.close();
    const [what, number] = request.split(" ");
    const inside = this.#enter();
    if (what === mountsRequest) this.#makeWave(inside, Number(number));
    else if (what === directoryRequest) this.#makeWorkingDirectory(inside);
  }

  close(): void {
    this.#held.close();
  }

  #enter(): Inside {
    const { id } = this.#record;
    const handle = parseStat(readFileSync(this.#paths.container(id, "init"), "utf8"));
    // An open directory in /proc stays that process's: it never shows a later process with the same PID.
    const process = this.#held.add(openTrusted(`/proc/${handle?.pid ?? 0}`));
    const now = parseStat(readFileSync(at(process, "stat"), "utf8"));
    if (now?.startTime !== handle?.startTime) throw new Error("Cannot make mounts: the container has ended");
    const root = this.#held.add(openSync(at(process, "root"), O_PATH | constants.O_DIRECTORY));
    const open = (path: string) => this.#held.add(openInside(root, path, { scope: "root" }));
    const identity = (path: string) => fstatSync(open(path));
    const toolbox = toolboxInside(id);
    return {
      root,
      old: open(`${toolbox}/old`),
      toolbox: identity(toolbox),
      own: [identity("/"), identity("/dev")],
    };
  }

  #makeWave(inside: Inside, index: number): void {
    const stage = this.#held.add(openInside(inside.old, this.#paths.stage, { scope: "root" }));
    const oldRoot = `${toolboxInside(this.#record.id)}/old`;
    const byDescriptor = (descriptor: number) => `${oldRoot}/proc/${process.pid}/fd/${descriptor}`;
    const entries = (this.#waves[index] ?? []).flatMap((mount, number): readonly Entry[] => {
      const source = this.#openSource(inside, mount);
      const last = isDirectory(source) ? "directory" : "file";
      const target = this.#openTarget(inside, mount.containerPath, last);
      const name = `${index}.${number}`;
      if (last === "directory") mkdirSync(at(stage, name));
      else closeSync(openSync(at(stage, name), "wx"));
      const staged = `${oldRoot}${this.#paths.stage}/${name}`;
      return [
        bindEntry(byDescriptor(source), staged, mount.options),
        bindEntry(staged, byDescriptor(target), "rbind"),
      ];
    });
    writeFileSync(this.#paths.container(this.#record.id, `mounts.${index}`), formatFstab(entries), {
      mode: 0o600,
    });
  }

  /** Opens a source. A missing source is created as a directory, as in containerd. */
  #openSource({ old }: Inside, { hostPath, subPath }: InnerMount): number {
    const volume = this.#held.add(
      openInside(old, hostPath, { scope: "root", create: { last: "directory", mode: directoryMode } }),
    );
    return subPath === "" ? volume : this.#held.add(openSubPath(volume, subPath));
  }

  /**
   * Refuses targets over the toolbox and `/proc`, which `exec` and the rest of the boot trust while they have
   * privileges that the container lacks.
   */
  #openTarget(inside: Inside, path: string, last: "directory" | "file"): number {
    const target = this.#openInside(inside, path, last);
    const stat = fstatSync(target);
    const taken = statfsSync(at(target)).type === procMagic || inside.own.some((own) => isSame(own, stat));
    if (taken) throw new Error(`Cannot mount at ${JSON.stringify(path)}: it is the container's own`);
    return target;
  }

  #makeWorkingDirectory(inside: Inside): void {
    this.#openInside(inside, this.#record.process.cwd, "directory");
  }

  #openInside({ root, toolbox }: Inside, path: string, last: "directory" | "file"): number {
    const create: InsideOptions["create"] = { last, mode: directoryMode };
    return this.#held.add(openInside(root, path, { scope: "root", create, except: toolbox }));
  }
}
