import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../api/core/persistent-volume-claim/schema.ts";
import { classOf } from "../../api/core/persistent-volume/class-of.ts";
import { useOf } from "../../api/core/persistent-volume/matching.ts";
import { type PersistentVolume, persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { Latest } from "../../client/latest.ts";
import { defineIndex } from "../../client/indexer.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { hasReason } from "../../meta/status.ts";
import {
  controller,
  type Controller,
  type Reconcile,
  type ReconcileResult,
} from "../../operator/controller.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { isTerminal } from "../pods/pod-state.ts";
import { podsOfClaim } from "../pods/pods-of-claim.ts";
import { type ClaimView, planClaim } from "./claim-plan.ts";
import type { Outcome } from "./outcome.ts";
import { planVolume, type VolumeView } from "./volume-plan.ts";

/** The interval at which claims that are not bound look for volumes again (upstream `--pvclaimbinder-sync-period`). */
const resyncMs = 15_000;

/** Volumes by `useOf`. */
const byUse = defineIndex<PersistentVolume>("use", (volume) => [useOf(volume)]);

/** The objects as last written, where the cache is behind. */
interface Written {
  readonly volumes: Latest<PersistentVolume>;
  readonly claims: Latest<PersistentVolumeClaim>;
}

/**
 * Binds volumes and claims to each other, hands claims to external provisioners, and releases volumes (upstream
 * `volume/persistentvolume`). Keys are names of volumes and `namespace/name` of claims. One worker, because two could bind
 * one volume to two claims.
 */
export function persistentVolumeBinder(): Controller {
  const written: Written = { volumes: new Latest(), claims: new Latest() };
  return controller({
    name: "persistent-volume-binder",
    eventSource: "persistentvolume-controller",
    for: persistentVolumes,
    watches: [
      {
        kind: persistentVolumes,
        map: ({ spec: { claimRef } }) =>
          claimRef === undefined ? [] : [`${claimRef.namespace}/${claimRef.name}`],
        observe: ({ type, object }) => {
          if (type === "deleted") written.volumes.forget(object);
        },
      },
      {
        kind: persistentVolumeClaims,
        map: ({ metadata, spec: { volumeName = "" } }) => [
          `${metadata.namespace}/${metadata.name}`,
          ...(volumeName === "" ? [] : [volumeName]),
        ],
        observe: ({ type, object }) => {
          if (type === "deleted") written.claims.forget(object);
        },
      },
    ],
    reads: [storageClasses, pods],
    reconcile: (request) =>
      request.namespace === "" ? syncVolume(request, written) : syncClaim(request, written),
  });
}

async function syncClaim(request: Reconcile, written: Written): Promise<ReconcileResult> {
  const { namespace, name, cache } = request;
  const cached = cache.get(persistentVolumeClaims, namespace, name);
  if (cached === undefined) return {};
  const claim = written.claims.of(cached);
  const view = claimView(claim, request, written);
  const outcome = planClaim(claim, view);
  const volume = outcome.volume === undefined ? undefined : findVolume(outcome.volume, request, written);
  await carryOut(outcome, { claim, volume }, request, written);
  if (outcome.failure !== undefined) throw new Error(outcome.failure);
  // The volume of a lost claim may come back.
  return outcome.claim?.status.phase === "Bound" ? {} : { requeueAfterMs: resyncMs };
}

function claimView(claim: PersistentVolumeClaim, request: Reconcile, written: Written): ClaimView {
  const { key, cache } = request;
  const used = (use: string) =>
    cache
      .list(persistentVolumes, { index: byUse(use) })
      .map((volume) => written.volumes.of(volume))
      .filter((volume) => useOf(volume) === use);
  const volume = cache.get(persistentVolumes, undefined, claim.spec.volumeName ?? "");
  return {
    volume: volume === undefined ? undefined : written.volumes.of(volume),
    reserved: () => used(`claim:${key}`),
    free: () => used(`class:${classOf(claim)}`),
    classes: () => cache.list(storageClasses),
    waitingPods: () =>
      cache
        .list(pods, { index: podsOfClaim(key) })
        .filter((pod) => !isTerminal(pod) && (pod.spec.nodeName ?? "") === "")
        .map((pod) => pod.metadata.name ?? ""),
  };
}

function findVolume(
  { metadata: { name = "" } }: PersistentVolume,
  { cache }: Reconcile,
  { volumes }: Written,
): PersistentVolume | undefined {
  const cached = cache.get(persistentVolumes, undefined, name);
  return cached === undefined ? undefined : volumes.of(cached);
}

async function syncVolume(request: Reconcile, written: Written): Promise<ReconcileResult> {
  const cached = request.cache.get(persistentVolumes, undefined, request.name);
  if (cached === undefined) return {};
  const volume = written.volumes.of(cached);
  const view = await volumeView(volume, request, written);
  await carryOut(planVolume(volume, view), { claim: view.claim, volume }, request, written);
  return {};
}

async function volumeView(
  volume: PersistentVolume,
  request: Reconcile,
  written: Written,
): Promise<VolumeView> {
  const { namespace = "", name = "", uid } = volume.spec.claimRef ?? {};
  const { cache } = request;
  const cached = name === "" ? undefined : cache.get(persistentVolumeClaims, namespace, name);
  const known = cached === undefined ? undefined : written.claims.of(cached);
  const users = () =>
    cache
      .list(pods, { index: podsOfClaim(`${namespace}/${name}`) })
      .filter((pod) => !isTerminal(pod))
      .map((pod) => `${pod.metadata.namespace}/${pod.metadata.name}`);
  const isKnown = (uid ?? "") === "" || known?.metadata.uid === uid;
  const claim = isKnown ? known : await liveClaim(volume, known, request);
  return { claim, isNameTaken: known !== undefined, users };
}

/**
 * Asks the server for the volume's claim, which the cache does not show: a volume must not be released because the cache is
 * behind.
 */
async function liveClaim(
  { spec: { claimRef }, status: { phase } }: PersistentVolume,
  known: PersistentVolumeClaim | undefined,
  { client }: Reconcile,
): Promise<PersistentVolumeClaim | undefined> {
  const isOver = phase === "Released" || phase === "Failed";
  if (known === undefined && isOver) return undefined;
  try {
    const live = await client.of(persistentVolumeClaims, claimRef?.namespace).get(claimRef?.name ?? "");
    return live.metadata.uid === claimRef?.uid ? live : undefined;
  } catch (error) {
    if (hasReason(error, "NotFound")) return undefined;
    throw error;
  }
}

interface Observed {
  readonly volume: PersistentVolume | undefined;
  readonly claim: PersistentVolumeClaim | undefined;
}

/** Writes what changes, the volume before the claim, then records the Events. */
async function carryOut(
  outcome: Outcome,
  { volume, claim }: Observed,
  { client, events }: Reconcile,
  written: Written,
): Promise<void> {
  if (outcome.volume !== undefined && volume !== undefined)
    await write(client.of(persistentVolumes), volume, outcome.volume, written.volumes);
  if (outcome.claim !== undefined && claim !== undefined) {
    const own = client.of(persistentVolumeClaims, claim.metadata.namespace);
    await write(own, claim, outcome.claim, written.claims);
  }
  for (const { about, type, reason, message } of outcome.events ?? []) {
    const object = about === "volume" ? volume : claim;
    if (object !== undefined) events.event(object, type, reason, message);
  }
}

interface Writer<O> {
  update(object: O): Promise<O>;
  updateStatus(object: O): Promise<O>;
}

/** Writes the spec, then the status. Each write is a conflict when the object has changed since it was observed. */
async function write<O extends KubeObject & { readonly status: object }>(
  resource: Writer<O>,
  observed: O,
  wanted: O,
  latest: Latest<O>,
): Promise<void> {
  if (wanted === observed) return;
  let current = observed;
  if (!deepEqual({ ...wanted, status: observed.status }, observed)) {
    current = await resource.update({ ...wanted, status: observed.status });
    latest.wrote(current);
  }
  if (deepEqual(wanted.status, current.status)) return;
  latest.wrote(await resource.updateStatus({ ...current, status: wanted.status }));
}
