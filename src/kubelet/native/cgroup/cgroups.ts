import type { Resources } from "../../runtime.ts";

/** A mount that shows a container its own groups. Paths are inside the container. */
export interface CgroupMount {
  readonly source: string;
  readonly target: string;
  readonly type: string;
  readonly options: string;
}

/**
 * Groups below one root group, named by path: a sandbox's ID, or `<sandbox>/<container>`. One implementation for
 * each version of the kernel's interface.
 */
export interface Cgroups {
  /** Makes a group with its limits. `guardDevices` forbids all but the harmless ones, where the version can. */
  create(path: string, resources: Resources, guardDevices: boolean): Promise<void>;
  update(path: string, resources: Resources): Promise<void>;
  /** A process joins by writing `0` into each of these files. */
  joinFiles(path: string): readonly string[];
  /** A file with a line `oom_kill <count>`. */
  oomFile(path: string): string;
  mounts(path: string): readonly CgroupMount[];
  /** Kills every process in the group and below. */
  kill(path: string): Promise<void>;
  /** Removes the group and all below; they hold no process any more, or are about to. */
  remove(path: string): Promise<void>;
  /** Names directly below `path`. */
  children(path: string): Promise<readonly string[]>;
}
