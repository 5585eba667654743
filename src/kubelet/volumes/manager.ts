import { closeSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { Volume } from "../../api/core/volume/schema.ts";
import { errorText } from "../../util/error-text.ts";
import type { NodeContext, PreparedVolume, Volumes } from "../node-context.ts";
import { openTrusted } from "../safe-path/descriptors.ts";
import { removeTree } from "../safe-path/remove-tree.ts";
import { prepareSubPath, type SubPathMount } from "../safe-path/sub-path.ts";
import { RuntimeError } from "../runtime.ts";
import { type VolumeFile, writeAtomically } from "./atomic-writer.ts";
import { type ClaimedVolume, claimedVolume } from "./claims.ts";
import { type CsiVolume, csiVolumeOf, inlineVolume } from "./csi/csi-volume.ts";
import type { CsiVolumes } from "./csi/csi-volumes.ts";
import { missingGrowth, reportGrowth } from "./csi/growth.ts";
import { makeEmptyDir } from "./empty-dir.ts";
import { exists } from "./exists.ts";
import { checkHostPath } from "./host-path.ts";
import { mountImage } from "./image-volume.ts";
import { unmountBelow } from "./mounts.ts";
import { mountNfs } from "./nfs.ts";
import { preparePersistent } from "./persistent-volumes.ts";
import {
  configMapFiles,
  downwardFiles,
  forgetTokens,
  projectedFiles,
  secretFiles,
  type SourceContext,
} from "./sources.ts";
import { VolumeUses } from "./volume-uses.ts";

/**
 * Volumes below `<root>/<pod uid>/<kind>/<name>`. Volumes in memory are tmpfs mounts, which are unmounted
 * with the Pod.
 */
export class VolumeManager implements Volumes {
  readonly #root: string;
  readonly #csi: CsiVolumes | undefined;
  readonly #uses = new VolumeUses();
  /** By Pod UID: the holders of images that are mounted. */
  readonly #holders = new Map<string, Set<string>>();
  /**
   * By Pod UID: settles with the latest work on its volumes. Concurrent writers of one volume would undo each
   * other's writes.
   */
  readonly #latest = new Map<string, Promise<unknown>>();

  /** `csi` mounts the volumes of CSI drivers; undefined on a node without drivers. */
  constructor(root: string, csi?: CsiVolumes) {
    this.#root = root;
    this.#csi = csi;
  }

  async run(node: NodeContext, signal: AbortSignal): Promise<void> {
    await this.#csi?.run(node, signal);
  }

  async pods(): Promise<readonly string[]> {
    return (await exists(this.#root)) ? readdir(this.#root) : [];
  }

  prepare(node: NodeContext, pod: Pod, signal?: AbortSignal): Promise<ReadonlyMap<string, PreparedVolume>> {
    return this.#inTurn(pod.metadata.uid ?? "", () => this.#prepareAll({ node, pod, signal }));
  }

  async #prepareAll(context: SourceContext): Promise<ReadonlyMap<string, PreparedVolume>> {
    const prepared = new Map<string, PreparedVolume>();
    for (const volume of context.pod.spec.volumes ?? []) {
      if (volume.image !== undefined) {
        const mounted = await this.#mountImage(context, volume.name, volume.image.reference ?? "");
        if (mounted !== undefined) prepared.set(volume.name, mounted);
        continue;
      }
      const claimed = await claimedVolume(context, volume);
      try {
        prepared.set(
          volume.name,
          await (claimed === undefined
            ? this.#prepareOne(context, volume)
            : this.#preparePersistent(context, volume.name, claimed)),
        );
      } catch (error) {
        throw setUpError(claimed?.volume.metadata.name ?? volume.name, error);
      }
    }
    return prepared;
  }

  /** Mounts an image that is on this node; it is pulled before its first container starts. */
  async #mountImage(
    { node, pod }: SourceContext,
    name: string,
    reference: string,
  ): Promise<PreparedVolume | undefined> {
    const { images } = node.runtime;
    const { uid = "" } = pod.metadata;
    try {
      if (images.layers === undefined) throw new Error("this node's container runtime does not mount images");
      const layers = await images.layers(reference, `volume/${uid}/${name}`);
      if (layers === undefined) return undefined;
      this.#holders.set(uid, (this.#holders.get(uid) ?? new Set()).add(layers.holder));
      return { path: await mountImage(await this.#directory(pod, "image", name), layers), readOnly: true };
    } catch (error) {
      throw setUpError(name, error);
    }
  }

  async #preparePersistent(
    context: SourceContext,
    name: string,
    claimed: ClaimedVolume,
  ): Promise<PreparedVolume> {
    const { pod } = context;
    const isAlone = this.#uses.add(claimed.volume, pod.metadata.uid ?? "");
    const volume = csiVolumeOf(claimed.volume, claimed.readOnly);
    if (volume !== undefined) {
      if (claimed.mode === "Block") throw new Error("CSI volumes with volumeMode Block are not supported");
      const prepared = await this.#mountCsi(context, name, volume);
      await this.#expand(context, name, claimed);
      return prepared;
    }
    const directory = await this.#directory(pod, "persistent", name);
    return preparePersistent({ ...claimed, context, directory, isAlone });
  }

  prepareSubPath(mount: SubPathMount): void {
    prepareSubPath(mount);
  }

  diskPlaces(pod: Pod): { emptyDirs: ReadonlyMap<string, string>; other: readonly string[] } {
    const directory = join(this.#root, pod.metadata.uid ?? "");
    const onDisk = (pod.spec.volumes ?? []).filter(
      ({ emptyDir }) => emptyDir !== undefined && emptyDir.medium !== "Memory",
    );
    return {
      emptyDirs: new Map(onDisk.map(({ name }) => [name, join(directory, "empty-dir", name)])),
      other: [join(directory, "files")],
    };
  }

  remove(node: NodeContext, uid: string): Promise<void> {
    return this.#inTurn(uid, () => {
      forgetTokens(node, uid);
      this.#uses.remove(uid);
      return this.#removeAll(node, uid);
    });
  }

  /** Unmounts the volumes of all Pods, before their directories are deleted with the cluster. */
  unmountAll(): Promise<void> {
    return unmountBelow(this.#root);
  }

  async #inTurn<T>(uid: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#latest.get(uid) ?? Promise.resolve()).then(work);
    const ended = turn.catch(() => {}); // The caller handles the error.
    this.#latest.set(uid, ended);
    try {
      return await turn;
    } finally {
      if (this.#latest.get(uid) === ended) this.#latest.delete(uid);
    }
  }

  #mountCsi(context: SourceContext, name: string, volume: CsiVolume): Promise<PreparedVolume> {
    if (this.#csi === undefined) throw new Error("this node has no CSI drivers");
    return this.#csi.mount(context, name, volume);
  }

  /** Grows a volume that is larger than its claim knows. A failure does not keep the Pod from its volume. */
  async #expand({ node, pod }: SourceContext, name: string, claimed: ClaimedVolume): Promise<void> {
    const bytes = missingGrowth(claimed);
    if (bytes === undefined || this.#csi === undefined) return;
    const volume = JSON.stringify(claimed.volume.metadata.name);
    try {
      if (!(await this.#csi.expand(node, pod.metadata.uid ?? "", name, bytes))) return;
      await reportGrowth(node, claimed);
      const message = `MountVolume.NodeExpandVolume succeeded for volume ${volume} ${node.name}`;
      node.events.event(pod, "Normal", "FileSystemResizeSuccessful", message);
    } catch (error) {
      const message = `NodeExpandVolume.NodeExpandVolume failed for volume ${volume} : ${errorText(error)}`;
      node.events.event(pod, "Warning", "VolumeResizeFailed", message);
    }
  }

  async #removeAll(node: NodeContext, uid: string): Promise<void> {
    const directory = join(this.#root, uid);
    if (!(await exists(directory))) return;
    await this.#csi?.unmountPod(node, uid);
    await unmountBelow(directory);
    for (const holder of this.#holders.get(uid) ?? []) await node.runtime.images.release?.(holder);
    this.#holders.delete(uid);
    const root = openTrusted(this.#root);
    try {
      await removeTree(root, uid);
    } finally {
      closeSync(root);
    }
  }

  async #prepareOne(context: SourceContext, volume: Volume): Promise<PreparedVolume> {
    const { pod } = context;
    const { hostPath, emptyDir, nfs, csi, name } = volume;
    if (csi !== undefined) return this.#mountCsi(context, name, inlineVolume(pod, name, csi));
    if (hostPath !== undefined)
      return { path: checkHostPath(hostPath.path, hostPath.type ?? ""), readOnly: false };
    if (emptyDir !== undefined) {
      const path = await this.#directory(pod, "empty-dir", name);
      await makeEmptyDir(pod, path, emptyDir);
      return { path, readOnly: false };
    }
    if (nfs !== undefined) {
      const path = await this.#directory(pod, "nfs", name);
      const readOnly = nfs.readOnly ?? false;
      await mountNfs(path, { source: nfs, readOnly, options: [] }, context.signal);
      return { path, readOnly };
    }
    const files = await filesOf(context, volume);
    if (files !== undefined) return { path: await this.#write(pod, name, files), readOnly: true };
    throw new Error(`volume ${JSON.stringify(name)} is of a kind that this node does not support`);
  }

  async #write(pod: Pod, name: string, files: readonly VolumeFile[]): Promise<string> {
    const directory = await this.#directory(pod, "files", name);
    await mkdir(directory, { recursive: true, mode: 0o755 });
    const group = pod.spec.securityContext?.fsGroup;
    // Read-only volumes are readable by owner and group (upstream `volume/volume_linux.go`).
    const readable =
      group === undefined ? files : files.map((file) => ({ ...file, mode: file.mode | 0o440 }));
    await writeAtomically(directory, readable, group);
    return directory;
  }

  async #directory(pod: Pod, kind: string, name: string): Promise<string> {
    const base = join(this.#root, pod.metadata.uid ?? "");
    await mkdir(base, { recursive: true, mode: 0o755 });
    return join(base, kind, name);
  }
}

/** Returns the files of a volume made from API objects; undefined for another kind of volume. */
async function filesOf(
  context: SourceContext,
  { configMap, secret, downwardAPI, projected }: Volume,
): Promise<readonly VolumeFile[] | undefined> {
  if (configMap !== undefined) return configMapFiles(context, configMap, configMap.defaultMode);
  if (secret !== undefined) return secretFiles(context, secret, secret.defaultMode);
  if (downwardAPI !== undefined) return downwardFiles(context, downwardAPI, downwardAPI.defaultMode);
  if (projected !== undefined) return projectedFiles(context, projected);
  return undefined;
}

/** Adds the volume in upstream's words. */
function setUpError(name: string, error: unknown): RuntimeError {
  const message = `MountVolume.SetUp failed for volume ${JSON.stringify(name)} : ${errorText(error)}`;
  return new RuntimeError("CreateContainerConfigError", message, error);
}
