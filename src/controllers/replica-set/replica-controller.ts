import type { ReplicaSet, ReplicaSetStatus } from "../../api/apps/replica-set/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { Client } from "../../client/client.ts";
import { Expectations } from "../../client/expectations.ts";
import { byOwner } from "../../client/indexer.ts";
import type { Delta } from "../../client/informer.ts";
import { selectorOf } from "../../meta/labels.ts";
import type { Kind, KubeObject, ObjectOf } from "../../meta/kind.ts";
import { hasReason } from "../../meta/status.ts";
import type { Cache } from "../../operator/cache.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import type { Clock } from "../../util/clock.ts";
import { candidates, dependents } from "../ownership/dependents.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { claim, planClaims } from "../ownership/claim.ts";
import { controllerRefOf } from "../ownership/controller-ref.ts";
import { isNamespaceEnding, PodControl, podFromTemplate } from "../pods/pod-control.ts";
import { isActive, isTerminating } from "../pods/pod-state.ts";
import { slowStart } from "../pods/slow-start.ts";
import { type Observed, planScaling, planStatus, type Scaling, untilNextAvailableMs } from "./plan.ts";

/** A kind whose objects keep a number of Pods, as ReplicaSets do. */
export interface ReplicaKind<K extends Kind> {
  /** The controller's name. */
  readonly name: string;
  readonly kind: K;
  /** The object as the plan reads it. */
  readonly asReplicaSet: (object: ObjectOf<K>) => ReplicaSet;
  readonly writeStatus: (client: Client, object: ObjectOf<K>, status: ReplicaSetStatus) => Promise<unknown>;
}

/** Keeps the desired number of Pods for each object of a kind (upstream `replicaset/replica_set.go`). */
export function replicaController<K extends Kind>(replicas: ReplicaKind<K>, clock: Clock): Controller {
  const { name: controllerName, kind, asReplicaSet, writeStatus } = replicas;
  /** By the owner's UID, so that a successor of the same name has none. */
  const expectations = new Expectations(clock);
  const owners = { kind, selector: (owner: ObjectOf<K>) => selectorOf(asReplicaSet(owner).spec.selector) };
  return controller({
    name: controllerName,
    for: kind,
    watches: [
      dependents(pods, owners, (delta) => observePod(expectations, delta)),
      {
        kind,
        map: () => [],
        observe: ({ type, object }) => {
          if (type === "deleted") expectations.forget(object.metadata.uid ?? "");
        },
      },
    ],
    workers: 5,
    async reconcile(request) {
      const { namespace, name, cache, client, env } = request;
      const object = cache.get(kind, namespace, name);
      if (object === undefined) return;
      const replicaSet = asReplicaSet(object);
      const settled = expectations.satisfied(replicaSet.metadata.uid ?? "");
      const own = client.of(kind, namespace);
      const observed = await observe(replicaSet, () => own.get(name), request);
      const related = () => relatedPods(replicaSet, siblingsOf(replicas, replicaSet, cache), cache);
      const scaling: Scaling = settled ? planScaling(observed, related) : { type: "none" };
      const isGone = () => {
        const now = cache.get(kind, namespace, name)?.metadata;
        return now?.uid !== replicaSet.metadata.uid || now?.deletionTimestamp !== undefined;
      };
      const failure = await scale(scaling, replicaSet, expectations, isGone, request);
      const status = planStatus(
        { ...observed, now: env.clock.now() },
        failure instanceof Error ? failure.message : undefined,
      );
      if (status !== undefined) await ignoreGone(writeStatus(client, object, status));
      if (failure !== undefined) throw failure;
      return { requeueAfterMs: untilNextAvailableMs(observed) };
    },
  });
}

function observePod(expectations: Expectations, { type, object }: Delta<Pod>): void {
  const owner = controllerRefOf(object)?.uid;
  if (owner === undefined) return;
  const { uid = "", deletionTimestamp } = object.metadata;
  if (type === "deleted" || deletionTimestamp !== undefined) expectations.deletionObserved(owner, uid);
  else if (type === "added") expectations.creationObserved(owner);
}

/** Returns the ReplicaSet's Pods after adoption and release. */
async function observe(
  replicaSet: ReplicaSet,
  refetch: () => Promise<KubeObject>,
  { namespace, cache, client, env }: Reconcile,
): Promise<Observed> {
  const selector = selectorOf(replicaSet.spec.selector);
  const all = candidates(pods, replicaSet, selector, cache);
  const active = await claim(planClaims(replicaSet, selector, all.filter(isActive)), {
    owner: replicaSet,
    dependents: client.of(pods, namespace),
    refetch,
  });
  const ending = planClaims(replicaSet, selector, all.filter(isTerminating)).owned;
  return { replicaSet, pods: active, terminating: ending.length, now: env.clock.now() };
}

/** Returns the objects with the same owner, the object itself included. */
function siblingsOf<K extends Kind>(
  { kind, asReplicaSet }: ReplicaKind<K>,
  replicaSet: ReplicaSet,
  cache: Cache,
): readonly ReplicaSet[] {
  const owner = controllerRefOf(replicaSet);
  const { namespace } = replicaSet.metadata;
  if (owner === undefined) return [replicaSet];
  return cache.list(kind, { index: byOwner(owner.uid), namespace }).map(asReplicaSet);
}

/** Returns the Pods that any of the siblings selects. */
function relatedPods(
  { metadata: { namespace } }: ReplicaSet,
  siblings: readonly ReplicaSet[],
  cache: Cache,
): readonly Pod[] {
  const found = siblings.flatMap(({ spec }) =>
    cache.list(pods, { namespace, selector: selectorOf(spec.selector) }),
  );
  return [...new Set(found)];
}

/** Carries the scaling out. Returns the first error. */
async function scale(
  scaling: Scaling,
  replicaSet: ReplicaSet,
  expectations: Expectations,
  isGone: () => boolean,
  request: Reconcile,
): Promise<unknown> {
  switch (scaling.type) {
    case "create":
      return create(scaling.count, replicaSet, expectations, isGone, request);
    case "delete":
      return remove(scaling.pods, replicaSet, expectations, request);
    case "none":
      return undefined;
  }
}

async function create(
  count: number,
  replicaSet: ReplicaSet,
  expectations: Expectations,
  isGone: () => boolean,
  { client, events, signal }: Reconcile,
): Promise<unknown> {
  const { uid = "" } = replicaSet.metadata;
  const control = new PodControl(client, events, replicaSet);
  const pod = podFromTemplate(replicaSet, replicaSet.spec.template);
  expectations.expectCreations(uid, count);
  const { succeeded, error } = await slowStart(
    count,
    () => control.create(pod),
    () => signal.aborted || isGone(),
  );
  for (let skipped = succeeded; skipped < count; skipped++) expectations.creationObserved(uid);
  return isNamespaceEnding(error) ? undefined : error;
}

async function remove(
  chosen: readonly Pod[],
  replicaSet: ReplicaSet,
  expectations: Expectations,
  { client, events }: Reconcile,
): Promise<unknown> {
  const { uid = "" } = replicaSet.metadata;
  const control = new PodControl(client, events, replicaSet);
  expectations.expectDeletions(
    uid,
    chosen.map(({ metadata }) => metadata.uid ?? ""),
  );
  const results = await Promise.allSettled(
    chosen.map(async (pod) => {
      try {
        await control.delete(pod);
      } catch (error) {
        expectations.deletionObserved(uid, pod.metadata.uid ?? "");
        if (!hasReason(error, "NotFound")) throw error;
      }
    }),
  );
  return results.find((one) => one.status === "rejected")?.reason;
}
