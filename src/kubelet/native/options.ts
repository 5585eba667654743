import type { Env } from "../../util/env.ts";
import type { ImageStore } from "../images/image-store.ts";

export interface NativeOptions {
  readonly env: Env;
  readonly images: ImageStore;
  /**
   * Everything the runtime knows, one process at a time. On a disk that overlayfs can write to, and with a short
   * path of plain characters: it becomes part of mount options and of a socket's address.
   */
  readonly stateDirectory: string;
  /** Pods' addresses, e.g. `10.88.0.0/24`. The first is the bridge's own. */
  readonly podCIDR: string;
  /** The Linux bridge, made when missing; its own for each runtime on a machine. At most 15 characters. */
  readonly bridge: string;
  /** Name of the cgroup that holds all Pods; its own for each runtime on a machine. */
  readonly cgroup: string;
}
