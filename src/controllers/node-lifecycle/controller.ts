import { leases } from "../../api/coordination/lease/schema.ts";
import { type Node, nodes } from "../../api/core/node/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { defineIndex } from "../../client/indexer.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { patchCondition } from "../pods/patch-condition.ts";
import { Heartbeats } from "./heartbeats.ts";
import {
  type Eviction,
  isEvicted,
  isReady,
  labelsFor,
  lostCondition,
  patienceMs,
  silentConditions,
  taintsFor,
} from "./plan.ts";
import { counts, EvictionPace, evictionIntervalMs, noticeMs, zoneOf } from "./zones.ts";
import { present } from "../../util/present.ts";
import { findCondition } from "../../meta/conditions.ts";
import { podsOn } from "../pods/pods-on.ts";

const leaseNamespace = "kube-node-lease";
/** The nodes that count for the state of the cluster, and for that of their zones. */
const byHealth = defineIndex<Node>("health", (node) =>
  counts(node) ? [String(isReady(node)), `${isReady(node)} ${zoneOf(node)}`] : [],
);

/**
 * Monitors node heartbeats, and taints nodes by their conditions (upstream `nodelifecycle`).
 */
export function nodeLifecycleController(): Controller {
  const heartbeats = new Heartbeats();
  const pace = new EvictionPace();
  return controller({
    name: "node-controller",
    for: nodes,
    watches: [
      {
        kind: leases,
        map: ({ metadata }) => (metadata.namespace === leaseNamespace ? [metadata.name ?? ""] : []),
      },
      {
        // Pods that were bound to a node that was already lost.
        kind: pods,
        map: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]),
        filter: ({ object: { spec } }, cache) => {
          const node = spec.nodeName === undefined ? undefined : cache.get(nodes, undefined, spec.nodeName);
          return node !== undefined && isLost(node);
        },
      },
    ],
    workers: 8,
    async reconcile(request) {
      const { name, cache, client, env, events } = request;
      const now = env.clock.now();
      const node = cache.get(nodes, undefined, name);
      if (node === undefined || isReady(node)) pace.forget(name);
      if (node === undefined) {
        const last = heartbeats.forget(name);
        if (last !== undefined)
          events.event(last, "Normal", "RemovingNode", `Removing Node ${name} from Controller`);
        return {};
      }
      if (heartbeats.isNew(node))
        events.event(node, "Normal", "RegisteredNode", `Registered Node ${name} in Controller`);
      const heardAt = heartbeats.heardAt(node, cache.get(leases, leaseNamespace, name), now);
      const conditions = silentConditions(node, heardAt, now);
      if (conditions !== undefined) {
        await client.of(nodes).updateStatus({ ...node, status: { ...node.status, conditions } });
        if (isReady(node))
          events.event(node, "Normal", "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
        return {};
      }
      const { eviction, waitMs } = evictionOf(node, request, pace);
      const taints = taintsFor(node, now, eviction);
      const labels = labelsFor(node);
      if (!deepEqual(taints, node.spec.taints ?? []) || !deepEqual(labels, node.metadata.labels ?? {})) {
        const metadata = { ...node.metadata, labels };
        await client.of(nodes).update({ ...node, metadata, spec: { ...node.spec, taints } });
        return {};
      }
      if (isLost(node)) await markPodsNotReady(request, now);
      const checkMs = isLost(node) ? undefined : Math.max(0, heardAt + patienceMs(node) - now) + 1;
      return present({ requeueAfterMs: earliest(waitMs, checkMs) });
    },
  });
}

/** Decides when the Pods of a node are evicted, and again after `waitMs`, because that depends on the other nodes. */
function evictionOf(
  node: Node,
  { name, cache, env }: Reconcile,
  pace: EvictionPace,
): { readonly eviction: Eviction; readonly waitMs?: number } {
  if (isReady(node)) return { eviction: "now" };
  const waitMs = noticeMs;
  const count = (value: string) => cache.list(nodes, { index: byHealth(value) }).length;
  // If no node is ready, the nodes have more likely lost the API server than failed, and no node could take the Pods.
  if (count("true") === 0) return { eviction: "never", waitMs };
  if (isEvicted(node)) return { eviction: "later", waitMs };
  const zone = zoneOf(node);
  const interval = evictionIntervalMs({ ready: count(`true ${zone}`), unready: count(`false ${zone}`) });
  if (interval === undefined) return { eviction: "later", waitMs };
  const paceMs = pace.take(name, zone, interval, env.clock.now());
  return paceMs === 0 ? { eviction: "now", waitMs } : { eviction: "later", waitMs: Math.min(paceMs, waitMs) };
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function isLost({ status }: Node): boolean {
  return findCondition(status.conditions, "Ready")?.status === "Unknown";
}

/** Marks the Pods of an unreachable node as not ready, so that Services do not route to them. */
async function markPodsNotReady({ cache, client, events, name }: Reconcile, now: number): Promise<void> {
  for (const pod of cache.list(pods, { index: podsOn(name) })) {
    const condition = lostCondition(pod, now);
    if (condition === undefined) continue;
    await patchCondition(client, pod, condition);
    events.event(pod, "Warning", "NodeNotReady", "Node is not ready");
  }
}
