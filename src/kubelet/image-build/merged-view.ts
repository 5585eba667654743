import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";

/** The files that a container saw, read-only, in a mount namespace of a process of its own. */
export interface MergedView {
  readonly root: string;
  readonly close: () => Promise<void>;
}

/**
 * Mounts what a container has written over its image's layers. The kernel decides what that shows: which
 * directories are opaque or renamed is in attributes that Node.js cannot read. The mount ends with its process, and that with
 * Knarr.
 * @throws Error with the tool's output
 */
export async function openMergedView(
  layersDirectory: string,
  /** Names in `layersDirectory`, topmost first. */
  layers: readonly string[],
  upper: string,
  mountPoint: string,
): Promise<MergedView> {
  const options = `ro,lowerdir=${[upper, ...layers].join(":")}`;
  // A lone lower directory is not a valid overlay: the mount point is an empty one below it.
  const lower = layers.length === 0 ? `${options}:${mountPoint}` : options;
  const script = 'mount -n -t overlay -o "$1" overlay "$2" && echo ready && read -r _';
  const child = spawn(
    "unshare",
    ["--mount", "--propagation", "private", "sh", "-c", script, "sh", lower, mountPoint],
    {
      cwd: layersDirectory,
      stdio: ["pipe", "pipe", "pipe"],
      // The newer system call limits an option to 256 bytes.
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LIBMOUNT_FORCE_MOUNT2: "always" },
    },
  );
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text.slice(0, 4096)));
  child.stdin.on("error", () => {}); // The exit reports the failure.
  const closed = once(child, "close");
  const ready = await Promise.race([
    once(createInterface(child.stdout), "line").then(() => true),
    closed.then(() => false),
  ]);
  if (!ready) throw new Error(`cannot read what the command wrote: ${errors.trim()}`);
  return {
    root: join(`/proc/${child.pid}/root`, mountPoint),
    async close() {
      child.stdin.end("\n");
      await closed;
    },
  };
}
