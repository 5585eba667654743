import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { selectedNode } from "../../api/core/persistent-volume/binding.ts";
import { classOf } from "../../api/core/persistent-volume/class-of.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { hasReason } from "../../meta/status.ts";
import {
  controller,
  type Controller,
  type Reconcile,
  type ReconcileResult,
} from "../../operator/controller.ts";
import { errorText } from "../../util/error-text.ts";
import { ignoreGone } from "../ignore-gone.ts";
import type { LocalDirectories } from "./directories.ts";
import { localPathProvisioner, planClaim, planVolume, volumeName, type VolumePlan } from "./plan.ts";

/** The interval at which the controller looks again while the nodes are not known. */
const unreadyMs = 1000;
/** The interval at which a volume is tried again whose node has no directories here. */
const refusedMs = 60_000;

/** The ServiceAccount of the provisioner, and its name in `--controllers`. */
export const localPathName = "local-path-provisioner";

/**
 * Gives claims a directory of their Pod's node, and removes the directory with the volume. An external provisioner like
 * those of CSI drivers, except that it runs in this process. Keys are names of volumes and `namespace/name` of claims.
 */
export function localPathController(directories: LocalDirectories): Controller {
  return controller({
    name: localPathName,
    eventSource: localPathProvisioner,
    for: persistentVolumes,
    watches: [
      {
        kind: persistentVolumeClaims,
        map: ({ metadata }) => [`${metadata.namespace}/${metadata.name}`],
      },
    ],
    reads: [storageClasses],
    async reconcile(request) {
      if (!directories.isReady()) return { requeueAfterMs: unreadyMs };
      if (request.namespace === "") return syncVolume(request, directories);
      await syncClaim(request, directories);
      return {};
    },
  });
}

async function syncClaim(request: Reconcile, directories: LocalDirectories): Promise<void> {
  const { namespace, name, cache, client, events } = request;
  const claim = cache.get(persistentVolumeClaims, namespace, name);
  if (claim === undefined) return;
  const className = classOf(claim);
  const storageClass = cache.get(storageClasses, undefined, className);
  const plan = planClaim(claim, storageClass, (node) => directories.rootOf(node));
  const failed = (why: string) =>
    events.event(
      claim,
      "Warning",
      "ProvisioningFailed",
      `failed to provision volume with StorageClass ${JSON.stringify(className)}: ${why}`,
    );
  if (plan.type === "none" || cache.get(persistentVolumes, undefined, volumeName(claim)) !== undefined)
    return;
  if (plan.type === "refuse") {
    failed(plan.why);
    if (!plan.isNodes) return;
    const { resourceVersion } = claim.metadata;
    const patch = { metadata: { resourceVersion, annotations: { [selectedNode]: null } } };
    await ignoreGone(
      client.of(persistentVolumeClaims, namespace).patch(name, patch, { type: "merge" }),
      "Conflict",
    );
    return;
  }
  const message = `External provisioner is provisioning volume for claim ${JSON.stringify(`${namespace}/${name}`)}`;
  events.event(claim, "Normal", "Provisioning", message);
  try {
    await directories.make(plan.node, volumeName(claim));
    await ignoreGone(client.of(persistentVolumes).create(plan.volume), "AlreadyExists");
  } catch (error) {
    failed(errorText(error));
    throw error;
  }
  events.event(
    claim,
    "Normal",
    "ProvisioningSucceeded",
    `Successfully provisioned volume ${volumeName(claim)}`,
  );
}

async function syncVolume(request: Reconcile, directories: LocalDirectories): Promise<ReconcileResult> {
  const { name, cache, client, events } = request;
  const volume = cache.get(persistentVolumes, undefined, name);
  if (volume === undefined) return {};
  const plan = planVolume(volume, (node) => directories.rootOf(node));
  const own = client.of(persistentVolumes);
  switch (plan.type) {
    case "none":
      return {};
    case "refuse":
      events.event(volume, "Warning", "VolumeFailedDelete", plan.why);
      return { requeueAfterMs: refusedMs };
    case "keep":
      await ignoreGone(own.update(plan.volume));
      return {};
    case "reclaim":
      await reclaim(plan, request, directories);
      return {};
  }
}

async function reclaim(
  { node, volume }: Extract<VolumePlan, { type: "reclaim" }>,
  { name, client, events }: Reconcile,
  directories: LocalDirectories,
): Promise<void> {
  const own = client.of(persistentVolumes);
  // The cache may be behind: a volume that has changed since is not removed.
  const live = await own.get(name).catch(absent);
  if (live === undefined) return;
  if (live.metadata.resourceVersion !== volume.metadata.resourceVersion)
    throw new Error(`volume ${name} has changed`);
  try {
    await directories.remove(node, name);
  } catch (error) {
    events.event(live, "Warning", "VolumeFailedDelete", errorText(error));
    throw error;
  }
  const { uid = "" } = live.metadata;
  if (await ignoreGone(own.update(volume))) return;
  await ignoreGone(own.delete(name, { preconditions: { uid } }), "Conflict");
}

function absent(error: unknown): undefined {
  if (!hasReason(error, "NotFound")) throw error;
}
