import { type ReplicaSet, replicaSets } from "../../api/apps/replica-set/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { Expectations } from "../../client/expectations.ts";
import { byOwner } from "../../client/indexer.ts";
import type { Delta } from "../../client/informer.ts";
import { selectorOf } from "../../meta/labels.ts";
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

/** Keeps the desired number of Pods for each ReplicaSet (upstream `replicaset/replica_set.go`). */
export function replicaSetController(clock: Clock): Controller {
  /** By the ReplicaSet's UID, so that a successor of the same name has none. */
  const expectations = new Expectations(clock);
  return controller({
    name: "replicaset-controller",
    for: replicaSets,
    watches: [
      dependents(pods, replicaSets, (delta) => observePod(expectations, delta)),
      {
        kind: replicaSets,
        map: () => [],
        observe: ({ type, object }) => {
          if (type === "deleted") expectations.forget(object.metadata.uid ?? "");
        },
      },
    ],
    workers: 5,
    async reconcile(request) {
      const { namespace, name, cache, env } = request;
      const replicaSet = cache.get(replicaSets, namespace, name);
      if (replicaSet === undefined) return;
      const settled = expectations.satisfied(replicaSet.metadata.uid ?? "");
      const observed = await observe(replicaSet, request);
      const related = () => relatedPods(replicaSet, cache);
      const scaling: Scaling = settled ? planScaling(observed, related) : { type: "none" };
      const failure = await scale(scaling, replicaSet, expectations, request);
      const status = planStatus(
        { ...observed, now: env.clock.now() },
        failure instanceof Error ? failure.message : undefined,
      );
      if (status !== undefined) {
        await ignoreGone(request.client.of(replicaSets, namespace).updateStatus({ ...replicaSet, status }));
      }
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
  { namespace, cache, client, env }: Reconcile,
): Promise<Observed> {
  const { name = "" } = replicaSet.metadata;
  const selector = selectorOf(replicaSet.spec.selector);
  const all = candidates(pods, replicaSet, selector, cache);
  const active = await claim(planClaims(replicaSet, selector, all.filter(isActive)), {
    owner: replicaSet,
    dependents: client.of(pods, namespace),
    refetch: () => client.of(replicaSets, namespace).get(name),
  });
  const ending = planClaims(replicaSet, selector, all.filter(isTerminating)).owned;
  return { replicaSet, pods: active, terminating: ending.length, now: env.clock.now() };
}

/** Returns the Pods of all ReplicaSets with the same owner. */
function relatedPods(replicaSet: ReplicaSet, cache: Cache): readonly Pod[] {
  const owner = controllerRefOf(replicaSet);
  const { namespace } = replicaSet.metadata;
  const siblings =
    owner === undefined ? [replicaSet] : cache.list(replicaSets, { index: byOwner(owner.uid), namespace });
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
  request: Reconcile,
): Promise<unknown> {
  switch (scaling.type) {
    case "create":
      return create(scaling.count, replicaSet, expectations, request);
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
  { client, events, cache, namespace, name, signal }: Reconcile,
): Promise<unknown> {
  const { uid = "" } = replicaSet.metadata;
  const control = new PodControl(client, events, replicaSet);
  const pod = podFromTemplate(replicaSet, replicaSet.spec.template);
  const ownerIsGoing = () => {
    const now = cache.get(replicaSets, namespace, name)?.metadata;
    return signal.aborted || now?.uid !== uid || now.deletionTimestamp !== undefined;
  };
  expectations.expectCreations(uid, count);
  const { succeeded, error } = await slowStart(count, () => control.create(pod), ownerIsGoing);
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
