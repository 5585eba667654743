import { closeSync, fstatSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { PreparedVolume } from "../node-context.ts";
import { Descriptors, openTrusted } from "../safe-path/descriptors.ts";
import { openInside } from "../safe-path/open-inside.ts";
import { errorText } from "../../util/error-text.ts";
import type { ClaimedVolume } from "./claims.ts";
import { exists } from "./exists.ts";
import { checkHostPath } from "./host-path.ts";
import { mountNfs } from "./nfs.ts";
import { applyFsGroup } from "./owners.ts";
import type { SourceContext } from "./sources.ts";

/** A claimed volume with its place on the node. */
export interface PersistentMount extends ClaimedVolume {
  readonly context: SourceContext;
  /** The directory of the Pod at which the volume may be mounted. */
  readonly directory: string;
  /** True if no other Pod of this node uses the volume. */
  readonly isAlone: boolean;
}

/** Makes a PersistentVolume available on this node. @throws Error for a kind that this node does not support */
export async function preparePersistent(use: PersistentMount): Promise<PreparedVolume> {
  const { spec, metadata } = use.volume;
  const group = groupOf(metadata.annotations?.["pv.beta.kubernetes.io/gid"]);
  return { ...(await prepareKind(use, spec)), ...(group === undefined ? {} : { group }) };
}

async function prepareKind(
  use: PersistentMount,
  { hostPath, local, nfs, mountOptions }: PersistentMount["volume"]["spec"],
): Promise<PreparedVolume> {
  const { context, directory, mode, readOnly } = use;
  if (local !== undefined) return prepareLocal(use, local.path);
  if (mode === "Block")
    throw new Error(
      `volume ${use.volume.metadata.name} has volumeMode Block, which its kind does not support`,
    );
  if (hostPath !== undefined) return { path: checkHostPath(hostPath.path, hostPath.type ?? ""), readOnly };
  if (nfs !== undefined) {
    const isReadOnly = readOnly || (nfs.readOnly ?? false);
    const mounting = { source: nfs, readOnly: isReadOnly, options: mountOptions ?? [] };
    await mountNfs(directory, mounting, context.signal);
    return { path: directory, readOnly: isReadOnly };
  }
  throw new Error(`volume ${use.volume.metadata.name} is of a kind that this node does not support`);
}

/** Checks a local volume, and gives it to the Pod's group if no other Pod uses it (upstream `volume/local`). */
async function prepareLocal(
  { context: { pod, signal }, directory, mode, readOnly, isAlone }: PersistentMount,
  path: string,
): Promise<PreparedVolume> {
  if (path.split("/").includes("..")) throw new Error(`invalid path: ${path} must not contain '..'`);
  const open = new Descriptors();
  try {
    const volume = open.add(openOnHost(path));
    const stat = fstatSync(volume);
    if (mode === "Block") {
      if (!stat.isBlockDevice()) throw new Error(`path ${JSON.stringify(path)} is not a block device`);
      return { path, readOnly, isBlock: true };
    }
    if (stat.isBlockDevice())
      throw new Error(`cannot mount the block device ${path}: only directories are supported here`);
    if (!stat.isDirectory()) throw new Error("only directory and block device are supported");
    // The directory records that it is done: the workload may have changed the permissions since.
    if (!(await exists(directory))) {
      if (!readOnly && isAlone) await applyFsGroup(pod, volume, signal);
      await mkdir(directory, { recursive: true });
    }
    return { path, readOnly };
  } finally {
    open.close();
  }
}

/** Opens a path of the host. Links are followed, because the path is the administrator's. */
function openOnHost(path: string): number {
  const root = openTrusted("/");
  try {
    return openInside(root, path, { scope: "root" });
  } catch (error) {
    throw new Error(`path ${JSON.stringify(path)} does not exist: ${errorText(error)}`, { cause: error });
  } finally {
    closeSync(root);
  }
}

/** The supplemental group of a volume's users, from its annotation. */
function groupOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
