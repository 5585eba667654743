import { chmod, mkdir } from "node:fs/promises";
import { totalmem } from "node:os";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { EmptyDirVolumeSource } from "../../api/core/volume/schema.ts";
import { parseQuantity, quantityValue } from "../../meta/quantity.ts";
import { podResources } from "../pod/resources.ts";
import { RuntimeError } from "../runtime.ts";
import { exists } from "./exists.ts";
import { isMountPoint, mount } from "./mounts.ts";
import { applyFsGroupAt } from "./owners.ts";

/**
 * Makes an emptyDir at a path. One in memory is a tmpfs, which is mounted again after a reboot.
 * @throws RuntimeError for a medium that this node does not have
 */
export async function makeEmptyDir(
  pod: Pod,
  directory: string,
  { medium = "", sizeLimit }: EmptyDirVolumeSource,
): Promise<void> {
  const inMemory = medium === "Memory";
  if (!inMemory && medium !== "")
    throw new RuntimeError("CreateContainerConfigError", `unknown storage medium ${JSON.stringify(medium)}`);
  if ((await exists(directory)) && (!inMemory || (await isMountPoint(directory)))) return;
  await mkdir(directory, { recursive: true });
  if (inMemory) await mount("tmpfs", "tmpfs", directory, [`size=${memorySize(pod, sizeLimit)}`]);
  // tmpfs mounts its root with the sticky bit, which upstream leaves, and subPaths inherit.
  await chmod(directory, inMemory ? 0o1777 : 0o777);
  await applyFsGroupAt(pod, directory);
}

/**
 * Returns the size of an emptyDir in memory: the least of the machine's memory, the Pod's limit and its own
 * limit (kubelet `emptydir`).
 */
function memorySize(pod: Pod, sizeLimit: string | undefined): number {
  const own = sizeLimit === undefined ? 0 : quantityValue(parseQuantity(sizeLimit));
  const limits = [totalmem(), podResources(pod).memoryLimitBytes ?? 0, own];
  return Math.min(...limits.filter((limit) => limit > 0));
}
