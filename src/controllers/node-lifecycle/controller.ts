import { leases } from "../../api/coordination/v1.ts";
import { type Node, nodes } from "../../api/core/v1/node.ts";
import { type Pod, pods } from "../../api/core/v1/pod.ts";
import { defineIndex } from "../../client/indexer.ts";
import { hasReason } from "../../meta/status.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { formatTime } from "../../util/clock.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { evictionTime, graceMs, lastHeard, silentConditions, taintsFor } from "./plan.ts";

const byNode = defineIndex<Pod>("node", ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]));

/** Watches over nodes: notices silence, taints by state, and takes Pods off nodes they do not tolerate (upstream `nodelifecycle`, `tainteviction`). */
export function nodeLifecycleController(): Controller {
  /** When a node was first seen, for one that has never reported. */
  const firstSeen = new Map<string, number>();
  return controller({
    name: "node-controller",
    for: nodes,
    watches: [
      {
        kind: leases,
        map: ({ metadata }) => (metadata.namespace === "kube-node-lease" ? [metadata.name ?? ""] : []),
      },
      { kind: pods, map: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]) },
    ],
    async reconcile(request) {
      const { name, cache, env } = request;
      const node = cache.get(nodes, undefined, name);
      if (node === undefined) {
        firstSeen.delete(name);
        return undefined;
      }
      const now = env.clock.now();
      if (!firstSeen.has(name)) firstSeen.set(name, now);
      const lease = cache.get(leases, "kube-node-lease", name);
      const conditions = silentConditions(node, lease, firstSeen.get(name) ?? now, now);
      if (conditions !== undefined) {
        request.events.event(node, "Normal", "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
        await request.client.of(nodes).updateStatus({ ...node, status: { ...node.status, conditions } });
        return undefined;
      }
      const taints = taintsFor(node, now);
      if (!deepEqual(taints, node.spec.taints ?? [])) {
        await request.client.of(nodes).update({ ...node, spec: { ...node.spec, taints } });
        return undefined;
      }
      const evictInMs = await evict(request, node, now);
      const silentInMs = Math.max(0, (lastHeard(node, lease) || now) + graceMs - now) + 1000;
      return { requeueAfterMs: Math.min(silentInMs, evictInMs) };
    },
  });
}

/** Answers after how many milliseconds the next Pod has to go. */
async function evict(
  { cache, client, events, name }: Reconcile,
  { spec, status }: Node,
  now: number,
): Promise<number> {
  let next = Number.POSITIVE_INFINITY;
  const ready = status.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  for (const pod of cache.list(pods, { index: byNode(name) })) {
    const { namespace, name: podName = "", deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) continue;
    if (!ready) await markNotReady(client, pod, now);
    const time = evictionTime(pod, spec.taints ?? [], now);
    if (time === undefined) continue;
    if (time > now) {
      next = Math.min(next, time - now);
      continue;
    }
    events.event(pod, "Normal", "TaintManagerEviction", `Marking for deletion Pod ${namespace}/${podName}`);
    await ignoreGone(client.of(pods, namespace).delete(podName));
  }
  return next;
}

/** Nobody knows how a lost node's Pods fare: Services must not count on them. */
async function markNotReady(
  client: Reconcile["client"],
  { metadata, status }: Pod,
  now: number,
): Promise<void> {
  const old = status.conditions?.find(({ type }) => type === "Ready");
  if (old?.status !== "True") return;
  const condition = {
    ...old,
    status: "False",
    reason: "NodeNotReady",
    message: "Node is not ready",
    lastTransitionTime: formatTime(now),
  };
  const patch = { status: { conditions: [condition] } };
  await ignoreGone(
    client
      .of(pods, metadata.namespace)
      .patch(metadata.name ?? "", patch, { type: "strategic", subresource: "status" }),
  );
}

async function ignoreGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!hasReason(error, "NotFound")) throw error;
  }
}
