import type { Resources, Usage } from "../../runtime.ts";

/** A mount that shows a container its own cgroups: a file system, or a directory of the host, read-only. */
export type CgroupMount =
  | {
      readonly type: string;
      readonly options: string;
      /** `MOUNT_ATTR_*` of linux/mount.h. */
      readonly attributes: number;
      /** The path inside the container. */
      readonly target: string;
    }
  | { readonly source: string; readonly target: string };

/**
 * The cgroups below one root cgroup, named by path: a sandbox's ID, or `<sandbox>/<container>`. Each version
 * of the kernel's interface has one implementation, proved by one suite.
 */
export interface Cgroups {
  /**
   * Creates a cgroup with its limits, or takes over an existing one. `guardDevices` forbids all but harmless devices, if the
   * version has files for that.
   */
  create(path: string, resources: Resources, guardDevices: boolean): Promise<void>;
  /** Changes the given limits; a negative one removes the limit. @throws Error that names file and value */
  update(path: string, resources: Resources): Promise<void>;
  /** Returns the files into which a process writes `0` to join. */
  joinFiles(path: string): readonly string[];
  /** Returns the directory to which a guard of devices must be attached; undefined if `create` has made one. */
  guardedDirectory(path: string): string | undefined;
  /** Returns a file with a line `oom_kill <count>`. */
  oomFile(path: string): string;
  mounts(path: string): readonly CgroupMount[];
  /** Returns the usage by the processes of the cgroup; undefined when it is gone or is not measured. */
  usage(path: string): Promise<Usage | undefined>;
  /** Kills every process in the cgroup and below; succeeds when the cgroup is gone. */
  kill(path: string): Promise<void>;
  /** Removes the cgroup and all below. Their processes must have ended or been killed. Succeeds when it is gone. */
  remove(path: string): Promise<void>;
  /** Returns the names directly below `path`; none when the cgroup is gone. */
  children(path: string): Promise<readonly string[]>;
}
