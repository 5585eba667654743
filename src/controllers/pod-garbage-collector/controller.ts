import { nodes } from "../../api/core/node/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { defineIndex } from "../../client/indexer.ts";
import type { Delta } from "../../client/informer.ts";
import type { Cache } from "../../operator/cache.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { isTerminal } from "../pods/pod-state.ts";
import { beyondThreshold, failedStatus, podsToCollect, quarantineMs } from "./plan.ts";

/** The key of the Pods without a node, and of terminated Pods. */
const nowhere = "";
const byNode = defineIndex<Pod>("node", ({ spec }) => [spec.nodeName ?? nowhere]);
const byEnd = defineIndex<Pod>("ended", (pod) => (isTerminal(pod) ? ["yes"] : []));

/** Deletes Pods that no kubelet will delete (upstream `podgc/gc_controller.go`), node by node. */
export function podGarbageCollector(): Controller {
  /** The time at which a node with Pods was first found missing. */
  const missingSince = new Map<string, number>();
  return controller({
    name: "pod-garbage-collector",
    for: nodes,
    watches: [
      {
        kind: pods,
        map: nodesOf,
        filter: (delta, cache) => hasChanged(delta) && mayBeCollected(delta.object, cache),
      },
    ],
    async reconcile(request) {
      const { name, cache, client, env } = request;
      if (name === nowhere) return collectNowhere(request);
      const node = cache.get(nodes, undefined, name);
      const present = cache.list(pods, { index: byNode(name) });
      if (node !== undefined || present.length === 0) missingSince.delete(name);
      else {
        const since = missingSince.get(name) ?? env.clock.now();
        missingSince.set(name, since);
        const left = since + quarantineMs - env.clock.now();
        if (left > 0) return { requeueAfterMs: left };
        // The cache may be stale: a node that exists must not lose its Pods.
        if (!(await ignoreGone(client.of(nodes).get(name)))) return { requeueAfterMs: quarantineMs };
      }
      for (const pod of podsToCollect(node, present)) await collect(pod, node === undefined, request);
      return {};
    },
  });
}

function nodesOf(pod: Pod): readonly string[] {
  const node = pod.spec.nodeName ?? nowhere;
  return isTerminal(pod) ? [node, nowhere] : [node];
}

/** A running Pod is collected only when its node is missing. */
function mayBeCollected(pod: Pod, cache: Cache): boolean {
  const { nodeName } = pod.spec;
  if (isTerminal(pod) || pod.metadata.deletionTimestamp !== undefined) return true;
  return nodeName !== undefined && cache.get(nodes, undefined, nodeName) === undefined;
}

function hasChanged(delta: Delta<Pod>): boolean {
  if (delta.type !== "updated") return delta.type === "added";
  const { old, object } = delta;
  return (
    old === object ||
    old.spec.nodeName !== object.spec.nodeName ||
    old.metadata.deletionTimestamp !== object.metadata.deletionTimestamp ||
    isTerminal(old) !== isTerminal(object)
  );
}

async function collectNowhere(request: Reconcile): Promise<void> {
  const unscheduled = request.cache
    .list(pods, { index: byNode(nowhere) })
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const ended = request.cache.list(pods, { index: byEnd("yes") });
  for (const pod of [...unscheduled, ...beyondThreshold(ended)]) await collect(pod, false, request);
}

/** Deletes without a grace period, because no kubelet can stop the Pod gracefully. */
async function collect(pod: Pod, nodeIsGone: boolean, { client, env }: Reconcile): Promise<void> {
  const { name = "", namespace, uid } = pod.metadata;
  const resource = client.of(pods, namespace);
  const status = failedStatus(pod, nodeIsGone, env.clock.now());
  if (status !== undefined) {
    const patch = { metadata: { uid }, status };
    await ignoreGone(resource.patch(name, patch, { type: "strategic", subresource: "status" }));
  }
  await ignoreGone(resource.delete(name, { gracePeriodSeconds: 0, preconditions: { uid: uid ?? "" } }));
}
