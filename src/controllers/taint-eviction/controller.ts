import { type Node, nodes } from "../../api/core/node/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { keyOf } from "../../client/indexer.ts";
import type { Delta } from "../../client/informer.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { evict } from "../pods/evict.ts";
import { type Eviction, evictionCondition, executes, planEviction } from "./plan.ts";
import { podsOn } from "../pods/pods-on.ts";

const reason = "TaintManagerEviction";

/**
 * Evicts Pods that do not tolerate, or no longer tolerate, the NoExecute taints of their nodes (upstream
 * `tainteviction/taint_eviction.go`). Acts as the node controller, as upstream.
 */
export function taintEvictionController(): Controller {
  /** By the Pod's key. */
  const evictions = new Map<string, Eviction>();
  return controller({
    name: "node-controller",
    eventSource: "taint-eviction-controller",
    for: pods,
    watches: [
      {
        kind: nodes,
        map: ({ metadata: { name = "" } }, cache) => cache.list(pods, { index: podsOn(name) }).map(keyOf),
        filter: changesTaints,
      },
    ],
    workers: 8,
    async reconcile(request) {
      const { key, namespace, name, cache, client, env, events } = request;
      const pod = cache.get(pods, namespace, name);
      const planned = evictions.get(key);
      const cancelled = () =>
        events.event(podAt(request), "Normal", reason, `Cancelling deletion of Pod ${key}`);
      if (pod === undefined) {
        if (evictions.delete(key) && planned?.isDone === false) cancelled();
        return {};
      }
      const { nodeName } = pod.spec;
      const node = nodeName === undefined ? undefined : cache.get(nodes, undefined, nodeName);
      const taints = node === undefined ? undefined : (node.spec.taints ?? []);
      const now = env.clock.now();
      const plan = planEviction({ pod, taints, planned }, now);
      switch (plan.type) {
        case "nothing":
          return {};
        case "cancel":
          evictions.delete(key);
          cancelled();
          return {};
        case "wait":
          evictions.set(key, plan.eviction);
          return { requeueAfterMs: plan.eviction.at - now };
        case "evict":
          if (plan.isEarly) cancelled();
          evictions.delete(key);
          events.event(podAt(request), "Normal", reason, `Marking for deletion Pod ${key}`);
          await evict(client, pod, evictionCondition(now));
          evictions.set(key, { uid: pod.metadata.uid ?? "", at: now, isDone: true });
          return {};
      }
    },
  });
}

function changesTaints(delta: Delta<Node>): boolean {
  const taintsOf = ({ spec }: Node) => (spec.taints ?? []).filter(executes);
  return delta.type !== "updated" || !deepEqual(taintsOf(delta.old), taintsOf(delta.object));
}

function podAt({ namespace, name }: Reconcile) {
  return { apiVersion: "v1", kind: "Pod", metadata: { namespace, name } };
}
