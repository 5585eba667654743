import { type Node, nodes } from "../api/core/node/schema.ts";
import { bindings } from "../api/core/binding/schema.ts";
import { type Pod, pods } from "../api/core/pod/schema.ts";
import { allSynced } from "../client/all-synced.ts";
import { Client } from "../client/client.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import { Informer } from "../client/informer.ts";
import type { Delta } from "../client/informer.ts";
import type { Transport } from "../client/transport.ts";
import { hasReason } from "../meta/status.ts";
import { formatTime } from "../util/clock.ts";
import { deepEqual } from "../util/deep-equal.ts";
import type { Env } from "../util/env.ts";
import { yieldToSockets } from "../util/yield.ts";
import { nodesToFind, scheduleOne } from "./cycle.ts";
import type { WeightedPlugin } from "./framework.ts";
import { defaultPlugins } from "./plugins.ts";
import { SchedulingQueue } from "./queue.ts";
import { Snapshot } from "./snapshot.ts";
import { findCondition } from "../meta/conditions.ts";

export interface SchedulerOptions {
  readonly env: Env;
  /** The connection to the API server, under the identity `system:kube-scheduler`. */
  readonly transport: Transport;
  /** The `schedulerName` of the Pods that it schedules. */
  readonly name?: string;
  readonly plugins?: readonly WeightedPlugin[];
}

/** The number of decisions that are made before sockets get a turn. */
const decisionsPerTurn = 64;

/**
 * Gives Pods a node. Decisions are made one after the other on a snapshot; bindings go out beside them, and a
 * Pod counts on its node from the decision on. The Pod of a failed binding returns to the queue.
 */
export class Scheduler {
  readonly #env: Env;
  readonly #name: string;
  readonly #plugins: readonly WeightedPlugin[];
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  readonly #snapshot = new Snapshot();
  readonly #queue: SchedulingQueue;
  #start = 0;

  constructor({ env, transport, name = "default-scheduler", plugins = defaultPlugins }: SchedulerOptions) {
    this.#env = env;
    this.#name = name;
    this.#plugins = plugins;
    this.#client = new Client(transport, { fieldManager: "kube-scheduler" });
    this.#events = new EventRecorder(this.#client, env, { component: name });
    this.#queue = new SchedulingQueue(env.clock);
    // A Pod that has ended takes no room.
    const fieldSelector = "status.phase!=Succeeded,status.phase!=Failed";
    this.#pods = new Informer(this.#client.of(pods), env, { name: "pods", fieldSelector });
    this.#nodes = new Informer(this.#client.of(nodes), env, { name: "nodes" });
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#nodes.addHandler((delta) => this.#seeNode(delta));
    this.#pods.addHandler((delta) => this.#seePod(delta));
    const informers = [this.#nodes.run(signal), this.#pods.run(signal), this.#events.run(signal)];
    signal.addEventListener("abort", () => this.#queue.close(), { once: true });
    if (signal.aborted) this.#queue.close();
    await allSynced(signal, this.#nodes, this.#pods);
    let decisions = 0;
    for (let pod = await this.#queue.next(); pod !== undefined; pod = await this.#queue.next()) {
      await this.#schedule(pod);
      decisions += 1;
      if (decisions % decisionsPerTurn === 0) await yieldToSockets();
    }
    await Promise.all(informers);
  }

  #seeNode({ type, object, ...rest }: Delta<Node>): void {
    if (type === "deleted") {
      this.#snapshot.removeNode(object.metadata.name ?? "");
      return;
    }
    this.#snapshot.setNode(object);
    const old = "old" in rest ? rest.old : undefined;
    this.#queue.moveAll((rejectedBy) =>
      this.#plugins.some(
        ({ plugin }) =>
          (rejectedBy.size === 0 || rejectedBy.has(plugin.name)) && plugin.helps?.(old, object) === true,
      ),
    );
  }

  #seePod(delta: Delta<Pod>): void {
    const { type, object } = delta;
    const { uid = "", deletionTimestamp } = object.metadata;
    const { nodeName, schedulerName } = object.spec;
    if (type === "deleted") {
      const held = this.#queue.stateOf(uid).type === "assumed" || nodeName !== undefined;
      this.#queue.remove(uid);
      this.#snapshot.removePod(uid);
      // The room that it held is free.
      if (held) this.#queue.moveAll();
    } else if (nodeName !== undefined) {
      this.#queue.remove(uid);
      this.#snapshot.setPod(object, nodeName);
    } else if (deletionTimestamp !== undefined || schedulerName !== this.#name) {
      this.#queue.withdraw(uid);
    } else if (!isSettled(delta) && this.#mayEnter(object)) {
      this.#queue.add(object);
    }
  }

  #mayEnter(pod: Pod): boolean {
    return this.#plugins.every(({ plugin }) => plugin.preEnqueue?.(pod) === undefined);
  }

  async #schedule(queued: Pod): Promise<void> {
    const { uid = "" } = queued.metadata;
    const pod = this.#stillWaiting(queued);
    if (pod === undefined) {
      this.#queue.withdraw(uid);
      return;
    }
    const all = this.#snapshot.nodes;
    const outcome = scheduleOne({
      pod,
      nodes: all,
      plugins: this.#plugins,
      random: this.#env.random,
      start: this.#start,
    });
    this.#start = all.length === 0 ? 0 : (this.#start + nodesToFind(all.length)) % all.length;
    if (outcome.type === "unschedulable") {
      this.#queue.setUnschedulable(uid, outcome.plugins);
      this.#events.event(pod, "Warning", "FailedScheduling", outcome.message);
      await this.#reportUnschedulable(pod, outcome.message);
      return;
    }
    this.#queue.assume(uid);
    this.#snapshot.setPod(pod, outcome.node);
    void this.#bind(pod, outcome.node);
  }

  /** The present state of a queued Pod, which may be stale; undefined once the Pod is deleted, terminating or bound. */
  #stillWaiting({ metadata, spec }: Pod): Pod | undefined {
    const now = this.#pods.cache.get(`${metadata.namespace}/${metadata.name}`);
    if (now?.metadata.uid !== metadata.uid || now?.metadata.deletionTimestamp !== undefined) return undefined;
    return now?.spec.nodeName === undefined && now?.spec.schedulerName === spec.schedulerName
      ? now
      : undefined;
  }

  async #bind(pod: Pod, nodeName: string): Promise<void> {
    const { name = "", namespace, uid = "" } = pod.metadata;
    const { apiVersion, kind } = bindings;
    try {
      await this.#client
        .of(pods, namespace)
        .subresource(name, "binding")
        .create({
          apiVersion,
          kind,
          metadata: { name, namespace, uid },
          target: { kind: "Node", name: nodeName },
        });
      this.#events.event(
        pod,
        "Normal",
        "Scheduled",
        `Successfully assigned ${namespace}/${name} to ${nodeName}`,
      );
    } catch (error) {
      this.#handleBindingError(pod, nodeName, error);
    }
  }

  /** Frees the room that the Pod held, and takes the Pod back into the queue if it still wants a node. */
  #handleBindingError(pod: Pod, node: string, error: unknown): void {
    const { name, namespace, uid = "" } = pod.metadata;
    // Only the response was lost: the informer has shown the binding, and the Pod counts on its node.
    if (this.#queue.stateOf(uid).type !== "assumed") return;
    this.#snapshot.removePod(uid);
    this.#queue.moveAll();
    // The Pod was deleted, or another scheduler has bound it: the informer will show it.
    const isDecided = hasReason(error, "NotFound", "Conflict");
    if (!isDecided)
      this.#env.log.warn("a binding failed", { pod: `${namespace}/${name}`, node, error: String(error) });
    if (isDecided || this.#stillWaiting(pod) === undefined) this.#queue.remove(uid);
    else this.#queue.retry(uid);
  }

  async #reportUnschedulable({ metadata, status }: Pod, message: string): Promise<void> {
    const old = findCondition(status.conditions, "PodScheduled");
    if (old?.status === "False" && old.message === message) return;
    const lastTransitionTime =
      old?.status === "False" ? old.lastTransitionTime : formatTime(this.#env.clock.now());
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastTransitionTime,
    };
    try {
      await this.#client
        .of(pods, metadata.namespace)
        .patch(
          metadata.name ?? "",
          { status: { conditions: [condition] } },
          { type: "strategic", subresource: "status" },
        );
    } catch (error) {
      if (!hasReason(error, "NotFound", "Conflict")) {
        this.#env.log.warn("a Pod's condition was not written", { pod: metadata.name, error: String(error) });
      }
    }
  }
}

/** True for a change that no decision depends on, such as the condition that a decision itself wrote. */
function isSettled(delta: Delta<Pod>): boolean {
  if (delta.type !== "updated" || delta.object === delta.old) return false;
  const { object, old } = delta;
  return deepEqual(object.spec, old.spec) && deepEqual(object.metadata.labels, old.metadata.labels);
}
