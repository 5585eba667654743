import type { Env } from "../../util/env.ts";
import type { ImageStore } from "../images/image-store.ts";

export interface NativeOptions {
  readonly env: Env;
  readonly images: ImageStore;
  /**
   * The directory of the runtime's state, for one process at a time. It must be on a disk that overlayfs can
   * write to, and have a short path of plain characters, because it becomes part of mount options and of a
   * socket's address.
   */
  readonly stateDirectory: string;
  /** The directory of the node's own seccomp profiles, for containers with `Localhost`. */
  readonly seccompDirectory: string;
  /** The Pods' network, e.g. `10.88.0.0/24`. The first address is the bridge's own. */
  readonly podCIDR: string;
  /**
   * The Linux bridge, created when missing; each runtime on a machine has its own. At most 15 characters. Undefined: Pods
   * have no network but their own loopback.
   */
  readonly bridge: string | undefined;
  /** The name of the cgroup that holds all Pods; each runtime on a machine has its own. */
  readonly cgroup: string;
}
