import { controllerRevisions } from "../../api/apps/controller-revision/schema.ts";
import { type DaemonSet, daemonSets } from "../../api/apps/daemon-set/schema.ts";
import { type Node, nodes } from "../../api/core/node/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { PodTemplateSpec } from "../../api/core/pod/spec.ts";
import { Expectations } from "../../client/expectations.ts";
import { byOwner, keyOf } from "../../client/indexer.ts";
import type { Delta } from "../../client/informer.ts";
import { selectorOf } from "../../meta/labels.ts";
import { hasReason } from "../../meta/status.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import type { Clock } from "../../util/clock.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { claim, planClaims } from "../ownership/claim.ts";
import { controllerRefOf } from "../ownership/controller-ref.ts";
import { bySelector, candidates, dependents } from "../ownership/dependents.ts";
import { isNamespaceEnding, PodControl, podFromTemplate } from "../pods/pod-control.ts";
import { slowStart } from "../pods/slow-start.ts";
import { dropRevisions, keepRevision } from "../revisions/keep-revisions.ts";
import { FailedPods } from "./failed-pods.ts";
import { hashLabel, type Observed, type Plan, planDaemonSet, planStatus, untilNextMs } from "./plan.ts";
import { affinityFor, nodeOf, tolerationsOf } from "./placement.ts";

/** Runs one Pod on each matching node (upstream `daemon/daemon_controller.go`). */
export function daemonSetController(clock: Clock): Controller {
  /** By the DaemonSet's UID. */
  const expectations = new Expectations(clock);
  const failed = new FailedPods();
  return controller({
    name: "daemon-set-controller",
    eventSource: "daemonset-controller",
    for: daemonSets,
    owns: [controllerRevisions],
    watches: [
      dependents(pods, bySelector(daemonSets), (delta) => observePod(expectations, delta)),
      { kind: nodes, map: (_, cache) => cache.list(daemonSets, {}).map(keyOf), filter: concernsPlacement },
      {
        kind: daemonSets,
        map: () => [],
        observe: ({ type, object }) => {
          if (type === "deleted") expectations.forget(object.metadata.uid ?? "");
        },
      },
    ],
    workers: 2,
    async reconcile(request) {
      const { namespace, name, cache, client, events } = request;
      const set = cache.get(daemonSets, namespace, name);
      if (set === undefined) return {};
      if (selectorOf(set.spec.selector).empty) {
        const text = "This daemon set is selecting all pods. A non-empty selector is required.";
        events.event(set, "Warning", "SelectingAll", text);
        return {};
      }
      const history = cache.list(controllerRevisions, { index: byOwner(set.metadata.uid ?? "") });
      const { template } = set.spec;
      const { collisionCount } = set.status;
      const kept = await keepRevision(client, set, template, history, collisionCount, hashLabel);
      const hash = kept.revision.metadata.labels?.[hashLabel] ?? "";
      const observed = await observe(set, hash, kept.collisions, failed, request);
      const uid = set.metadata.uid ?? "";
      const plan = expectations.satisfied(uid) ? planDaemonSet(observed) : { create: [], remove: [] };
      for (const pod of plan.remove)
        if (pod.status.phase === "Failed") failed.deleted(set, nodeOf(pod) ?? "", observed.now);
      const failure = await carryOut(plan, observed, expectations, request);
      const status = planStatus({ ...observed, now: request.env.clock.now() });
      if (status !== undefined)
        await ignoreGone(client.of(daemonSets, namespace).updateStatus({ ...set, status }));
      const used = new Set(observed.pods.map(({ metadata }) => metadata.labels?.[hashLabel]));
      const isUsed = (revision: string) =>
        revision === kept.revision.metadata.name || [...used].some((one) => revision === `${name}-${one}`);
      await dropRevisions(client, history, isUsed, set.spec.revisionHistoryLimit ?? 10);
      if (failure !== undefined && !isNamespaceEnding(failure)) throw failure;
      return { requeueAfterMs: untilNextMs(observed) };
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

/** Reports whether a change of a node may change where daemon Pods run. */
function concernsPlacement(delta: Delta<Node>): boolean {
  if (delta.type !== "updated") return true;
  const { old, object } = delta;
  return (
    !deepEqual(old.metadata.labels, object.metadata.labels) || !deepEqual(old.spec.taints, object.spec.taints)
  );
}

async function observe(
  set: DaemonSet,
  hash: string,
  collisionCount: number | undefined,
  failed: FailedPods,
  { namespace, name, cache, client, env }: Reconcile,
): Promise<Observed> {
  const selector = selectorOf(set.spec.selector);
  const own = await claim(planClaims(set, selector, candidates(pods, set, selector, cache)), {
    owner: set,
    dependents: client.of(pods, namespace),
    refetch: () => client.of(daemonSets, namespace).get(name),
  });
  const now = env.clock.now();
  const backoffs = new Map<string, number>();
  for (const pod of own) {
    const node = nodeOf(pod) ?? "";
    const ms = pod.status.phase === "Failed" ? failed.untilDeletionMs(set, node, now) : 0;
    if (ms > 0) backoffs.set(node, ms);
  }
  return { set, nodes: cache.list(nodes, {}), pods: own, hash, collisionCount, backoffs, now };
}

/** Creates and deletes. Returns the first error. */
async function carryOut(
  { create, remove }: Plan,
  { set, hash }: Observed,
  expectations: Expectations,
  { client, events, signal }: Reconcile,
): Promise<unknown> {
  if (create.length + remove.length === 0) return undefined;
  const { uid = "" } = set.metadata;
  const control = new PodControl(client, events, set);
  expectations.expect(
    uid,
    create.length,
    remove.map(({ metadata }) => metadata.uid ?? ""),
  );
  const waiting = [...create];
  const created = await slowStart(
    create.length,
    () => control.create(daemonPod(set, hash, waiting.shift() ?? "")),
    () => signal.aborted,
  );
  for (let skipped = created.succeeded; skipped < create.length; skipped++)
    expectations.creationObserved(uid);
  const removed = await Promise.allSettled(
    remove.map(async (pod) => {
      noteEnded(set, pod, events);
      try {
        await control.delete(pod);
      } catch (error) {
        expectations.deletionObserved(uid, pod.metadata.uid ?? "");
        if (!hasReason(error, "NotFound")) throw error;
      }
    }),
  );
  return created.error ?? removed.find((one) => one.status === "rejected")?.reason;
}

function noteEnded(set: DaemonSet, { metadata, spec, status }: Pod, events: Reconcile["events"]): void {
  const place = `daemon pod ${metadata.namespace}/${metadata.name} on node ${spec.nodeName}`;
  if (status.phase === "Failed")
    events.event(set, "Warning", "FailedDaemonPod", `Found failed ${place}, will try to kill it`);
  else if (status.phase === "Succeeded")
    events.event(set, "Normal", "SucceededDaemonPod", `Found succeeded ${place}, will try to delete it`);
}

/** The Pod of one node (upstream `CreatePodTemplate`). */
function daemonPod(set: DaemonSet, hash: string, nodeName: string) {
  const { template } = set.spec;
  const generation = set.metadata.annotations?.["deprecated.daemonset.template.generation"];
  const labels = {
    ...template.metadata.labels,
    ...(generation === undefined ? {} : { "pod-template-generation": generation }),
    [hashLabel]: hash,
  };
  const placed: PodTemplateSpec = {
    metadata: { ...template.metadata, labels },
    spec: {
      ...template.spec,
      tolerations: tolerationsOf(template),
      affinity: affinityFor(template, nodeName),
    },
  };
  return podFromTemplate(set, placed);
}
