import { closeSync } from "node:fs";
import type { Pod } from "../../api/core/pod/schema.ts";
import { hasId, ownIds } from "../../util/own-ids.ts";
import { openTrusted } from "../safe-path/descriptors.ts";
import { giveToGroup } from "../safe-path/group-ownership.ts";

/**
 * Returns the one user that all containers of the Pod have by its spec (upstream `volume/util.FsUserFrom`);
 * undefined when they differ or a container has the image's user.
 */
export function fsUserOf({ spec }: Pod): number | undefined {
  const users = new Set(
    [...(spec.initContainers ?? []), ...spec.containers].map(
      ({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser,
    ),
  );
  return users.size === 1 ? [...users][0] : undefined;
}

/** Gives a volume, as an open descriptor, to the Pod's `fsGroup`, by the Pod's policy. */
export async function applyFsGroup({ spec }: Pod, root: number, signal?: AbortSignal): Promise<void> {
  const { fsGroup: group, fsGroupChangePolicy } = spec.securityContext ?? {};
  // A rootless node refuses containers with groups that it does not have.
  if (group === undefined || !hasId(ownIds.groups, group)) return;
  const onRootMismatch = fsGroupChangePolicy === "OnRootMismatch";
  await giveToGroup(root, { group, readOnly: false, onRootMismatch, signal });
}

/** Does the same for a directory that no Pod can replace. */
export async function applyFsGroupAt(pod: Pod, path: string, signal?: AbortSignal): Promise<void> {
  const root = openTrusted(path);
  try {
    await applyFsGroup(pod, root, signal);
  } finally {
    closeSync(root);
  }
}
