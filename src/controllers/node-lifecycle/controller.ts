import { leases } from "../../api/coordination/lease/schema.ts";
import { type Node, nodes } from "../../api/core/node/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { defineIndex } from "../../client/indexer.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { patchCondition } from "../pods/patch-condition.ts";
import { Heartbeats } from "./heartbeats.ts";
import { isReady, labelsFor, lostCondition, patienceMs, silentConditions, taintsFor } from "./plan.ts";
import { findCondition } from "../../meta/conditions.ts";
import { podsOn } from "../pods/pods-on.ts";

const leaseNamespace = "kube-node-lease";
const byReady = defineIndex<Node>("ready", (node) => [String(isReady(node))]);

/**
 * Monitors node heartbeats, and taints nodes by their conditions (upstream `nodelifecycle`).
 */
export function nodeLifecycleController(): Controller {
  const heartbeats = new Heartbeats();
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
      {
        // Pods of an unready node are evicted only while another node is ready.
        kind: nodes,
        map: (_, cache) =>
          cache.list(nodes, { index: byReady("false") }).map(({ metadata }) => metadata.name ?? ""),
        filter: (delta) => delta.type !== "updated" || isReady(delta.old) !== isReady(delta.object),
      },
    ],
    workers: 8,
    async reconcile(request) {
      const { name, cache, client, env, events } = request;
      const now = env.clock.now();
      const node = cache.get(nodes, undefined, name);
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
      const someReady = isReady(node) || cache.list(nodes, { index: byReady("true") }).length > 0;
      const taints = taintsFor(node, now, someReady);
      const labels = labelsFor(node);
      if (!deepEqual(taints, node.spec.taints ?? []) || !deepEqual(labels, node.metadata.labels ?? {})) {
        const metadata = { ...node.metadata, labels };
        await client.of(nodes).update({ ...node, metadata, spec: { ...node.spec, taints } });
        return {};
      }
      if (isLost(node)) await markPodsNotReady(request, now);
      if (isLost(node)) return {};
      return { requeueAfterMs: Math.max(0, heardAt + patienceMs(node) - now) + 1 };
    },
  });
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
