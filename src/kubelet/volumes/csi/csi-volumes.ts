import { createHash } from "node:crypto";
import { mkdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { uniqueName } from "../../../api/core/persistent-volume/csi-names.ts";
import { secrets } from "../../../api/core/secret/schema.ts";
import { type CSIDriverSpec, csiDrivers } from "../../../api/storage/csi-driver/schema.ts";
import { hasReason } from "../../../meta/status.ts";
import { errorCode } from "../../../util/error-code.ts";
import { errorText } from "../../../util/error-text.ts";
import type { NodeContext, PreparedVolume } from "../../node-context.ts";
import { PluginWatcher } from "../../plugins/plugin-watcher.ts";
import { applyFsGroupAt } from "../owners.ts";
import { requestToken, type SourceContext } from "../sources.ts";
import { untilAttached, VolumesInUse } from "./attachments.ts";
import {
  changesGroup,
  checkLifecycle,
  type CsiVolume,
  type SecretPlace,
  tokensKey,
  volumeContext,
} from "./csi-volume.ts";
import type { CsiDriver, MountRequest } from "./driver.ts";
import { CsiDrivers } from "./drivers.ts";
import { allRecords, type FoundRecord, mountPoint, recordsOf, writeRecord } from "./records.ts";

export interface CsiDirectories {
  /** The directory of the Pods' volumes. */
  readonly pods: string;
  /** The directory of staged volumes. */
  readonly plugins: string;
  /** The directory of the plugins' registration sockets. */
  readonly registry: string;
}

/**
 * Mounts volumes of CSI drivers (upstream `volume/csi`). A record on disk is written before the first call for a volume
 * and removed after the last, so that a restarted node agent unmounts what an earlier one mounted.
 */
export class CsiVolumes {
  readonly #directories: CsiDirectories;
  #drivers: CsiDrivers | undefined;
  readonly #inUse = new VolumesInUse();
  /** The directories of the volumes that this process has published. */
  readonly #published = new Map<string, MountRequest>();
  /** By volume: settles with the latest work on it, because two Pods share its staging. */
  readonly #latest = new Map<string, Promise<unknown>>();

  constructor(directories: CsiDirectories) {
    this.#directories = directories;
  }

  /** Registers drivers until the signal fires. */
  async run(node: NodeContext, signal: AbortSignal): Promise<void> {
    const drivers = this.#driversOf(node);
    const records = await allRecords(this.#directories.pods);
    await this.#inUse.restore(
      node,
      records.filter(({ isAttached }) => isAttached),
    );
    const handlers = new Map([["CSIPlugin", drivers]]);
    const { env } = node;
    await new PluginWatcher({ env, directory: this.#directories.registry, handlers }).run(signal);
    drivers.close();
  }

  /** Mounts a volume for a Pod. `name` is the volume's in the Pod's spec. */
  async mount(context: SourceContext, name: string, volume: CsiVolume): Promise<PreparedVolume> {
    const { node, pod, signal } = context;
    const directory = join(this.#directories.pods, pod.metadata.uid ?? "", "csi", name);
    const prepared = { path: mountPoint(directory), readOnly: volume.readOnly };
    const driver = this.#driversOf(node).get(volume.driver);
    const spec = await driverSpec(node, volume.driver);
    if (this.#published.has(directory) && spec?.requiresRepublish !== true) return prepared;
    checkLifecycle(volume, spec);
    const isAttached = !volume.isEphemeral && spec?.attachRequired !== false;
    if (isAttached) await this.#inUse.add(node, volume);
    const publishContext = isAttached ? await untilAttached(context, volume) : {};
    signal?.throwIfAborted();
    await this.#inTurn(uniqueName(volume), async () => {
      const { stages, mountsWithGroup } = await driver.abilities();
      const stagingPath = stages && !volume.isEphemeral ? this.#stagingPath(volume) : "";
      const { handle } = volume;
      await writeRecord(directory, { driver: volume.driver, handle, stagingPath, isAttached });
      const { fsGroup } = pod.spec.securityContext ?? {};
      const group = mountsWithGroup ? fsGroup : undefined;
      const request = { volume, publishContext, stagingPath, group };
      const isFirst = !this.#published.has(directory);
      await this.#publish(context, driver, { request, directory, spec });
      if (
        isFirst &&
        !mountsWithGroup &&
        changesGroup(volume, spec?.fsGroupPolicy ?? "ReadWriteOnceWithFSType")
      )
        await applyFsGroupAt(pod, prepared.path, signal);
    });
    return prepared;
  }

  async #publish(
    context: SourceContext,
    driver: CsiDriver,
    {
      request,
      directory,
      spec,
    }: {
      readonly request: Omit<MountRequest, "context" | "secrets">;
      readonly directory: string;
      readonly spec: CSIDriverSpec | undefined;
    },
  ): Promise<void> {
    const { volume, stagingPath } = request;
    const { node, pod } = context;
    const tokens = await tokensFor(context, spec);
    const inSecrets = spec?.serviceAccountTokenInSecrets === true;
    const facts = { ...volumeContext(volume, pod, spec ?? {}), ...(inSecrets ? {} : tokens) };
    if (stagingPath !== "") {
      await mkdir(stagingPath, { recursive: true, mode: 0o750 });
      const own = await readSecret(node, "NodeStageSecretRef", volume.stageSecret);
      await driver.stage({ ...request, context: facts, secrets: own });
    }
    const own = await readSecret(node, "NodePublishSecretRef", volume.publishSecret);
    const complete = { ...request, context: facts, secrets: inSecrets ? { ...own, ...tokens } : own };
    await driver.publish(complete, mountPoint(directory));
    this.#published.set(directory, complete);
  }

  /** Grows the file system of a mounted volume. Resolves to false when its driver cannot. */
  async expand(node: NodeContext, uid: string, name: string, bytes: bigint): Promise<boolean> {
    const directory = join(this.#directories.pods, uid, "csi", name);
    const request = this.#published.get(directory);
    if (request === undefined) return false;
    const driver = this.#driversOf(node).get(request.volume.driver);
    if (!(await driver.abilities()).expands) return false;
    await this.#inTurn(uniqueName(request.volume), () =>
      driver.expand(request, mountPoint(directory), bytes),
    );
    return true;
  }

  /** Unmounts all volumes of a Pod. @throws Error when a driver fails or is not registered; then it is tried again */
  async unmountPod(node: NodeContext, uid: string): Promise<void> {
    const records = await recordsOf(this.#directories.pods, uid);
    const results = await Promise.allSettled(
      records.map((record) => this.#inTurn(uniqueName(record), () => this.#unmount(node, record))),
    );
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  async #unmount(node: NodeContext, record: FoundRecord): Promise<void> {
    const { driver: name, handle, stagingPath, directory, isAttached } = record;
    const driver = this.#driversOf(node).get(name);
    this.#published.delete(directory);
    await driver.unpublish(handle, mountPoint(directory));
    const others = (await allRecords(this.#directories.pods)).filter(
      (other) => other.directory !== directory && uniqueName(other) === uniqueName(record),
    );
    if (others.length === 0) {
      if (stagingPath !== "") {
        await driver.unstage(handle, stagingPath);
        await removeEmpty(stagingPath);
        await removeEmpty(dirname(stagingPath));
      }
      if (isAttached) await this.#inUse.remove(node, record);
    }
    await removeEmpty(mountPoint(directory));
    await rm(join(directory, "vol_data.json"), { force: true });
  }

  #stagingPath({ driver, handle }: CsiVolume): string {
    const hash = createHash("sha256").update(handle).digest("hex");
    return join(this.#directories.plugins, "kubernetes.io", "csi", driver, hash, "globalmount");
  }

  #driversOf(node: NodeContext): CsiDrivers {
    return (this.#drivers ??= new CsiDrivers(node));
  }

  async #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#latest.get(key) ?? Promise.resolve()).then(work);
    const ended = turn.catch(() => {}); // The caller handles the error.
    this.#latest.set(key, ended);
    try {
      return await turn;
    } finally {
      if (this.#latest.get(key) === ended) this.#latest.delete(key);
    }
  }
}

/** Removes a directory that its driver has unmounted. One with content stays, because it may be the volume. */
async function removeEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** A driver without a CSIDriver has the default properties. */
async function driverSpec(node: NodeContext, name: string): Promise<CSIDriverSpec | undefined> {
  try {
    return (await node.client.of(csiDrivers).get(name)).spec;
  } catch (error) {
    if (hasReason(error, "NotFound")) return undefined;
    throw error;
  }
}

async function readSecret(
  node: NodeContext,
  what: string,
  place: SecretPlace | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (place === undefined) return {};
  const { namespace, name } = place;
  try {
    const { data = {} } = await node.client.of(secrets, namespace).get(name);
    const texts = Object.entries(data).map(([key, base64]) => [
      key,
      Buffer.from(base64, "base64").toString(),
    ]);
    return Object.fromEntries(texts);
  } catch (error) {
    throw new Error(`fetching ${what} ${namespace}/${name} failed: ${errorText(error)}`, { cause: error });
  }
}

/** Returns the tokens that the CSIDriver requests, by audience, as one JSON text; empty without any. */
async function tokensFor(
  context: SourceContext,
  spec: CSIDriverSpec | undefined,
): Promise<Readonly<Record<string, string>>> {
  const { tokenRequests = [] } = spec ?? {};
  if (tokenRequests.length === 0) return {};
  const tokens = new Map<string, object>();
  for (const { audience, expirationSeconds = 3600 } of tokenRequests) {
    const { token, expirationTimestamp } = await requestToken(
      context,
      audience || undefined,
      expirationSeconds,
    );
    tokens.set(audience, { token, expirationTimestamp });
  }
  return { [tokensKey]: JSON.stringify(Object.fromEntries(tokens)) };
}
