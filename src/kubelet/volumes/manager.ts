import { execFile } from "node:child_process";
import { closeSync } from "node:fs";
import { access, chmod, chown, mkdir, readFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { Volume } from "../../api/core/volume/schema.ts";
import { parseQuantity, quantityValue } from "../../meta/quantity.ts";
import type { NodeContext, PreparedVolume, Volumes } from "../node-context.ts";
import { podResources } from "../pod/resources.ts";
import { openTrusted } from "../safe-path/descriptors.ts";
import { removeTree } from "../safe-path/remove-tree.ts";
import { RuntimeError } from "../runtime.ts";
import { type VolumeFile, writeAtomically } from "./atomic-writer.ts";
import { checkHostPath } from "./host-path.ts";
import {
  configMapFiles,
  downwardFiles,
  forgetTokens,
  projectedFiles,
  secretFiles,
  type SourceContext,
} from "./sources.ts";
import { prepareSubPath, type SubPathMount } from "../safe-path/sub-path.ts";

const run = promisify(execFile);

/**
 * Volumes below `<root>/<pod uid>/<kind>/<name>`. Volumes in memory are tmpfs mounts, which are unmounted
 * with the Pod.
 */
export class VolumeManager implements Volumes {
  readonly #root: string;
  /**
   * By Pod UID: settles with the latest work on its volumes. Concurrent writers of one volume would undo each
   * other's writes.
   */
  readonly #latest = new Map<string, Promise<unknown>>();

  constructor(root: string) {
    this.#root = root;
  }

  prepare(node: NodeContext, pod: Pod): Promise<ReadonlyMap<string, PreparedVolume>> {
    return this.#inTurn(pod.metadata.uid ?? "", () => this.#prepareAll({ node, pod }));
  }

  async #prepareAll(context: SourceContext): Promise<ReadonlyMap<string, PreparedVolume>> {
    const prepared = new Map<string, PreparedVolume>();
    for (const volume of context.pod.spec.volumes ?? []) {
      prepared.set(volume.name, {
        path: await this.#prepareOne(context, volume),
        readOnly: volume.hostPath === undefined && volume.emptyDir === undefined,
      });
    }
    return prepared;
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
      return this.#removeAll(uid);
    });
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

  async #removeAll(uid: string): Promise<void> {
    const directory = join(this.#root, uid);
    if (!(await exists(directory))) return;
    for (const mount of await mountsBelow(directory))
      await run("umount", ["--lazy", "--no-canonicalize", mount]);
    const root = openTrusted(this.#root);
    try {
      await removeTree(root, uid);
    } finally {
      closeSync(root);
    }
  }

  async #prepareOne(context: SourceContext, volume: Volume): Promise<string> {
    const { pod } = context;
    const { hostPath, emptyDir, configMap, secret, downwardAPI, projected, name } = volume;
    if (hostPath !== undefined) return checkHostPath(hostPath.path, hostPath.type ?? "");
    if (emptyDir !== undefined) return this.#emptyDir(pod, name, emptyDir);
    if (configMap !== undefined)
      return this.#write(pod, name, await configMapFiles(context, configMap, configMap.defaultMode));
    if (secret !== undefined)
      return this.#write(pod, name, await secretFiles(context, secret, secret.defaultMode));
    if (downwardAPI !== undefined)
      return this.#write(pod, name, downwardFiles(context, downwardAPI, downwardAPI.defaultMode));
    if (projected !== undefined) return this.#write(pod, name, await projectedFiles(context, projected));
    throw new RuntimeError(
      "CreateContainerConfigError",
      `volume ${JSON.stringify(name)} is of a kind that this node does not support`,
    );
  }

  async #emptyDir(
    pod: Pod,
    name: string,
    { medium = "", sizeLimit }: NonNullable<Volume["emptyDir"]>,
  ): Promise<string> {
    const directory = await this.#directory(pod, "empty-dir", name);
    if (await exists(directory)) return directory;
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o777);
    if (medium === "Memory") {
      const size = `size=${memorySize(pod, sizeLimit)}`;
      await run("mount", ["-t", "tmpfs", "-o", `mode=0777,${size}`, "tmpfs", directory]);
    }
    await own(directory, pod);
    return directory;
  }

  async #write(pod: Pod, name: string, files: readonly VolumeFile[]): Promise<string> {
    const directory = await this.#directory(pod, "files", name);
    await mkdir(directory, { recursive: true, mode: 0o755 });
    const group = pod.spec.securityContext?.fsGroup;
    // A group that reads the files needs the group bits.
    const readable =
      group === undefined ? files : files.map((file) => ({ ...file, mode: file.mode | 0o040 }));
    await writeAtomically(directory, readable, group);
    return directory;
  }

  async #directory(pod: Pod, kind: string, name: string): Promise<string> {
    const base = join(this.#root, pod.metadata.uid ?? "");
    await mkdir(base, { recursive: true, mode: 0o755 });
    return join(base, kind, name);
  }
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

async function own(directory: string, pod: Pod): Promise<void> {
  const group = pod.spec.securityContext?.fsGroup;
  if (group === undefined) return;
  await chown(directory, 0, group);
  await chmod(directory, 0o2777);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the mount points at or below a directory, innermost first. Their names are escaped:
 * proc_pid_mounts(5).
 */
async function mountsBelow(directory: string): Promise<string[]> {
  return (await readFile("/proc/self/mounts", "utf8"))
    .split("\n")
    .map((line) =>
      (line.split(" ")[1] ?? "").replace(/\\(\d{3})/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 8)),
      ),
    )
    .filter((mount) => mount === directory || mount.startsWith(`${directory}/`))
    .reverse();
}
