import type { Namespace } from "../api/core/namespace/schema.ts";
import type { Node } from "../api/core/node/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import type { Delta } from "../client/informer.ts";
import type { Kind, KubeObject } from "../meta/kind.ts";
import { deepEqual } from "../util/deep-equal.ts";
import type { ClusterEvent } from "./cluster-event.ts";
import { extenderName } from "./extenders/decide.ts";
import { Gates } from "./gates.ts";
import type { PendingPods } from "./metrics.ts";
import type { Profiles } from "./profiles.ts";
import type { SchedulingQueue } from "./queue.ts";
import { isInShard, type Shard } from "./shard.ts";
import type { Snapshot } from "./snapshot.ts";

export interface EventHandlersOptions {
  readonly profiles: Profiles;
  readonly snapshot: Snapshot;
  readonly queue: SchedulingQueue;
  readonly shard: Shard;
}

/** Carries what informers show into the snapshot and the queue (scheduler `eventhandlers.go`). */
export class EventHandlers {
  readonly #profiles: Profiles;
  readonly #snapshot: Snapshot;
  readonly #queue: SchedulingQueue;
  readonly #shard: Shard;
  readonly #gates: Gates;

  constructor({ profiles, snapshot, queue, shard }: EventHandlersOptions) {
    this.#profiles = profiles;
    this.#snapshot = snapshot;
    this.#queue = queue;
    this.#shard = shard;
    this.#gates = new Gates(profiles);
  }

  seeNode(delta: Delta<Node>): void {
    const { type, object: node } = delta;
    if (type === "deleted") {
      this.#snapshot.removeNode(node.metadata.name ?? "");
      this.move({ type: "nodeDeleted", node });
      return;
    }
    this.#snapshot.setNode(node);
    this.move(type === "added" ? { type: "nodeAdded", node } : { type: "nodeUpdated", old: delta.old, node });
  }

  seeNamespace({ type, object }: Delta<Namespace>): void {
    const { name = "" } = object.metadata;
    if (type === "deleted") this.#snapshot.removeNamespace(name);
    else this.#snapshot.setNamespace(object);
    this.move({ type: "namespaceChanged", name });
  }

  /** Takes a change of an object that plugins read. */
  seeObject(kind: Kind, delta: Delta<KubeObject>): void {
    const object = delta.type === "deleted" ? undefined : delta.object;
    const old = delta.type === "added" ? undefined : delta.type === "deleted" ? delta.object : delta.old;
    this.move({ type: "objectChanged", kind, old, object });
    void this.#gates.open((pod) => this.#admit(pod, false));
  }

  seePod(delta: Delta<Pod>): void {
    const { type, object: pod } = delta;
    const { uid = "", deletionTimestamp } = pod.metadata;
    const { nodeName } = pod.spec;
    const wasGated = this.#gates.forget(uid);
    if (type === "deleted") {
      const held = this.#queue.stateOf(uid).type === "assumed" || nodeName !== undefined;
      this.#queue.remove(uid);
      this.#snapshot.removePod(uid);
      this.#snapshot.withdrawNomination(uid);
      // The room that it held is free.
      if (held) this.move({ type: "podRemoved", pod });
    } else if (nodeName !== undefined) {
      this.#queue.remove(uid);
      this.#snapshot.withdrawNomination(uid);
      this.#snapshot.setPod(pod, nodeName);
      const isNew = type === "added" || delta.old.spec.nodeName === undefined;
      this.move(isNew ? { type: "podAssigned", pod } : { type: "assignedPodUpdated", old: delta.old, pod });
    } else if (deletionTimestamp !== undefined || !this.#profiles.includes(pod)) {
      this.#queue.withdraw(uid);
      this.#snapshot.withdrawNomination(uid);
    } else if (!isInShard(this.#shard, pod)) {
      this.#seeNomination(pod);
    } else if (wasGated || !isSettled(delta)) this.#admit(pod, type === "added");
  }

  /** Has the Pods tried again that a change of the cluster may help. */
  move(event: ClusterEvent): void {
    const helps = (pod: Pod, rejectedBy: ReadonlySet<string>) =>
      rejectedBy.has(extenderName) ||
      this.#profiles
        .of(pod)
        .plugins.some(
          ({ plugin }) =>
            (rejectedBy.size === 0 || rejectedBy.has(plugin.name)) && plugin.helps?.(pod, event) === true,
        );
    // Other objects, such as claims, may concern one Pod of many equal ones.
    this.#queue.moveAll(helps, event.type === "objectChanged" ? "each" : "group");
  }

  /** Counts the Pods that wait for this scheduler, among all Pods. */
  pending(pods: readonly Pod[]): PendingPods {
    const gated = pods
      .filter((pod) => pod.spec.nodeName === undefined && this.#profiles.includes(pod))
      .filter((pod) => isInShard(this.#shard, pod) && this.#gates.isGated(pod));
    return { ...this.#queue.counts(), gated: gated.length };
  }

  /** Adds the Pod to the queue, unless a PreEnqueue plugin keeps it out. */
  #admit(pod: Pod, isNew: boolean): void {
    if (!this.#gates.admits(pod)) return;
    this.#queue.add(pod);
    const { nominatedNodeName = "" } = pod.status;
    if (isNew && nominatedNodeName !== "") this.#snapshot.nominate(pod, nominatedNodeName);
  }

  /** Keeps the room free that another shard's preemption makes for its Pod. */
  #seeNomination(pod: Pod): void {
    const { nominatedNodeName = "" } = pod.status;
    if (nominatedNodeName === "") this.#snapshot.withdrawNomination(pod.metadata.uid ?? "");
    else this.#snapshot.nominate(pod, nominatedNodeName);
  }
}

/** True for a change that no decision depends on, such as the condition that a decision itself wrote. */
function isSettled(delta: Delta<Pod>): boolean {
  if (delta.type !== "updated" || delta.object === delta.old) return false;
  const { object, old } = delta;
  return (
    deepEqual(object.spec, old.spec) &&
    deepEqual(object.metadata.labels, old.metadata.labels) &&
    deepEqual(object.status.resourceClaimStatuses, old.status.resourceClaimStatuses)
  );
}
