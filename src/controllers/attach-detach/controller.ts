import { nodes } from "../../api/core/node/schema.ts";
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { claimNameOf, notMadeFor } from "../../api/core/pod/claims.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { csiDrivers } from "../../api/storage/csi-driver/schema.ts";
import { type VolumeAttachment, volumeAttachments } from "../../api/storage/volume-attachment/schema.ts";
import { defineIndex } from "../../client/indexer.ts";
import type { Cache } from "../../operator/cache.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { claimKeys, podsOfClaim } from "../pods/pods-of-claim.ts";
import { type Attachment, type OtherUse, type Plan, planNode, type WantedVolume } from "./plan.ts";
import { attachmentName, uniqueName } from "../../api/core/persistent-volume/csi-names.ts";
import { type CsiVolume, csiVolumeOf, needsVolumes } from "./volumes.ts";
import { podsOn } from "../pods/pods-on.ts";

const attachmentsOn = defineIndex<VolumeAttachment>("node", ({ spec }) => [spec.nodeName]);
const attachmentsOf = defineIndex<VolumeAttachment>("volume", ({ spec }) => [
  spec.source.persistentVolumeName ?? "",
]);

/** The facts that the controller keeps between two reconciliations. */
interface Memory {
  /** The time since which no Pod needs an attachment, by its UID. */
  readonly unneeded: Map<string, number>;
  /** The node of each attachment, by its name, that was created and that the cache does not show yet. */
  readonly created: Map<string, { readonly volume: string; readonly node: string }>;
  /** The texts of the Events about each Pod, by its UID: each is told once. */
  readonly told: Map<string, Set<string>>;
}

/**
 * Attaches the volumes of CSI drivers to the nodes of their Pods, by VolumeAttachments that the drivers' attachers carry out
 * (upstream `volume/attachdetach`). Keys are nodes. One worker, because two could attach one volume to two nodes.
 */
export function attachDetachController(): Controller {
  const memory: Memory = { unneeded: new Map(), created: new Map(), told: new Map() };
  return controller({
    name: "attachdetach-controller",
    for: nodes,
    watches: [
      {
        kind: pods,
        map: (pod) => (claimKeys(pod).length === 0 ? [] : nodeOf(pod)),
        observe: ({ type, object }) => {
          if (type === "deleted") memory.told.delete(object.metadata.uid ?? "");
        },
      },
      {
        kind: volumeAttachments,
        map: ({ spec }, cache) => [spec.nodeName, ...usersOf(spec.source.persistentVolumeName ?? "", cache)],
        observe: ({ type, object: { metadata } }) => {
          memory.created.delete(metadata.name ?? "");
          if (type === "deleted") memory.unneeded.delete(metadata.uid ?? "");
        },
      },
      {
        kind: persistentVolumeClaims,
        map: ({ metadata }, cache) => nodesOfClaim(`${metadata.namespace}/${metadata.name}`, cache),
      },
    ],
    reads: [persistentVolumes, csiDrivers],
    async reconcile(request) {
      const { name, cache, env } = request;
      const plan = planNode({
        node: cache.get(nodes, undefined, name),
        wanted: wantedOn(name, cache),
        attachments: attachmentsTo(name, cache),
        elsewhere: (volume) => otherUse(volume, name, cache, memory),
        unneededSince: (uid) => memory.unneeded.get(uid),
        now: env.clock.now(),
      });
      await carryOut(plan, request, memory);
      return { requeueAfterMs: plan.wakeMs };
    },
  });
}

function nodeOf({ spec: { nodeName = "" } }: Pod): readonly string[] {
  return nodeName === "" ? [] : [nodeName];
}

function nodesOfClaim(key: string, cache: Cache): readonly string[] {
  return cache.list(pods, { index: podsOfClaim(key) }).flatMap(nodeOf);
}

/** The nodes of the Pods that use a volume. */
function usersOf(volume: string, cache: Cache): readonly string[] {
  const { claimRef } = cache.get(persistentVolumes, undefined, volume)?.spec ?? {};
  return claimRef === undefined ? [] : nodesOfClaim(`${claimRef.namespace}/${claimRef.name}`, cache);
}

function wantedOn(node: string, cache: Cache): readonly WantedVolume[] {
  const found = new Map<string, { readonly volume: CsiVolume; readonly pods: Pod[] }>();
  for (const pod of cache.list(pods, { index: podsOn(node) })) {
    if (!needsVolumes(pod)) continue;
    for (const volume of volumesOf(pod, cache)) {
      const known = found.get(uniqueName(volume));
      if (known === undefined) found.set(uniqueName(volume), { volume, pods: [pod] });
      else known.pods.push(pod);
    }
  }
  return [...found.values()];
}

/** The volumes of a Pod's bound claims that must be attached. */
function volumesOf(pod: Pod, cache: Cache): readonly CsiVolume[] {
  return (pod.spec.volumes ?? []).flatMap((one) => {
    const name = claimNameOf(pod, one);
    const claim =
      name === undefined ? undefined : cache.get(persistentVolumeClaims, pod.metadata.namespace, name);
    if (claim === undefined || (one.ephemeral !== undefined && notMadeFor(pod, claim) !== undefined))
      return [];
    const volume = volumeOf(claim, cache);
    return volume === undefined || !mustAttach(volume, cache) ? [] : [volume];
  });
}

function volumeOf({ metadata, spec, status }: PersistentVolumeClaim, cache: Cache): CsiVolume | undefined {
  if (status.phase !== "Bound") return undefined;
  const volume = cache.get(persistentVolumes, undefined, spec.volumeName ?? "");
  return volume?.spec.claimRef?.uid === metadata.uid && volume !== undefined
    ? csiVolumeOf(volume)
    : undefined;
}

/** A driver without a CSIDriver is taken to need attaching. */
function mustAttach({ driver }: CsiVolume, cache: Cache): boolean {
  return cache.get(csiDrivers, undefined, driver)?.spec.attachRequired !== false;
}

function attachmentsTo(node: string, cache: Cache): readonly Attachment[] {
  return cache.list(volumeAttachments, { index: attachmentsOn(node) }).flatMap((attachment) => {
    const name = attachment.spec.source.persistentVolumeName;
    const found = name === undefined ? undefined : cache.get(persistentVolumes, undefined, name);
    const volume = found === undefined ? undefined : csiVolumeOf(found);
    return volume === undefined ? [] : [{ volume, attachment }];
  });
}

function otherUse({ volume }: CsiVolume, node: string, cache: Cache, { created }: Memory): OtherUse {
  const attached = cache
    .list(volumeAttachments, { index: attachmentsOf(volume) })
    .map(({ spec }) => spec.nodeName);
  const expected = [...created.values()].filter((one) => one.volume === volume).map((one) => one.node);
  const others = new Set([...attached, ...expected].filter((one) => one !== node));
  const { claimRef } = cache.get(persistentVolumes, undefined, volume)?.spec ?? {};
  const users = cache
    .list(pods, { index: podsOfClaim(`${claimRef?.namespace}/${claimRef?.name}`) })
    .filter((pod) => others.has(pod.spec.nodeName ?? "") && needsVolumes(pod));
  return { isAttached: others.size > 0, pods: users.map(({ metadata }) => metadata.name ?? "") };
}

async function carryOut(plan: Plan, request: Reconcile, memory: Memory): Promise<void> {
  const { name, client, env } = request;
  const waiting = new Set(plan.waiting.map(({ metadata }) => metadata.uid ?? ""));
  for (const uid of waiting) if (!memory.unneeded.has(uid)) memory.unneeded.set(uid, env.clock.now());
  for (const { attachment } of attachmentsTo(name, request.cache)) {
    const { uid = "" } = attachment.metadata;
    if (!waiting.has(uid)) memory.unneeded.delete(uid);
  }
  tell(plan, request, memory);
  // The node must not mount a volume that is about to be detached.
  if (plan.volumesAttached !== undefined) {
    const patch = { status: { volumesAttached: plan.volumesAttached } };
    await ignoreGone(client.of(nodes).patch(name, patch, { type: "merge", subresource: "status" }));
  }
  const own = client.of(volumeAttachments);
  for (const { metadata } of plan.detach)
    await ignoreGone(
      own.delete(metadata.name ?? "", { preconditions: { uid: metadata.uid ?? "" } }),
      "Conflict",
    );
  for (const volume of plan.attach) {
    const attachment = attachmentName(volume, name);
    if (memory.created.has(attachment)) continue;
    memory.created.set(attachment, { volume: volume.volume, node: name });
    const spec = { attacher: volume.driver, nodeName: name, source: { persistentVolumeName: volume.volume } };
    try {
      await ignoreGone(own.create({ metadata: { name: attachment }, spec }), "AlreadyExists");
    } catch (error) {
      memory.created.delete(attachment);
      throw error;
    }
  }
}

function tell({ events: all }: Plan, { events }: Reconcile, { told }: Memory): void {
  for (const { pod, type, reason, message } of all) {
    const { uid = "" } = pod.metadata;
    const texts = told.get(uid) ?? new Set<string>();
    told.set(uid, texts);
    if (texts.has(message)) continue;
    texts.add(message);
    events.event(pod, type, reason, message);
  }
}
