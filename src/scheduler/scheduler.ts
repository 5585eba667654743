import { type Namespace, namespaces } from "../api/core/namespace/schema.ts";
import { type Node, nodes } from "../api/core/node/schema.ts";
import { bindings } from "../api/core/binding/schema.ts";
import { type Pod, pods } from "../api/core/pod/schema.ts";
import {
  type PodDisruptionBudget,
  podDisruptionBudgets,
} from "../api/policy/pod-disruption-budget/schema.ts";
import type { SelectorCompiler } from "../api/resource/selectors.ts";
import { allSynced } from "../client/all-synced.ts";
import { Client } from "../client/client.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import { Informer } from "../client/informer.ts";
import type { Delta } from "../client/informer.ts";
import type { Kind, ObjectOf } from "../meta/kind.ts";
import type { Transport } from "../client/transport.ts";
import { hasReason } from "../meta/status.ts";
import { cacheOf, SharedInformers } from "../operator/cache.ts";
import { UndeclaredKindError } from "../operator/errors.ts";
import { formatTime } from "../util/clock.ts";
import { deepEqual } from "../util/deep-equal.ts";
import type { Env } from "../util/env.ts";
import { errorText } from "../util/error-text.ts";
import { yieldToSockets } from "../util/yield.ts";
import { reserve, runBindingCycle } from "./binding-cycle.ts";
import type { ClusterEvent } from "./cluster-event.ts";
import { Decider, type Outcome } from "./decide/decider.ts";
import { decideWithExtenders, extenderName } from "./extenders/decide.ts";
import type { Extender } from "./extenders/extender.ts";
import { withExtenders } from "./extenders/preempt.ts";
import type { Candidate, Plugin, PostFilterContext, Profile, WeightedPlugin } from "./framework.ts";
import { type AttemptResult, type PendingPods, SchedulerMetrics } from "./metrics.ts";
import { evictVictims } from "./preemption/evict-victims.ts";
import { priorityOf } from "./preemption/importance.ts";
import { ownerSources } from "./owner-sources.ts";
import { defaultProfile } from "./plugins.ts";
import type { Backoff } from "./queue-machine.ts";
import { SchedulingQueue } from "./queue.ts";
import { isInShard, onlyShard, type Shard } from "./shard.ts";
import { Snapshot } from "./snapshot.ts";
import { findCondition } from "../meta/conditions.ts";

export interface SchedulerOptions {
  readonly env: Env;
  /** The connection to the API server, under the identity `system:kube-scheduler`. */
  readonly transport: Transport;
  /** Each profile by the `schedulerName` of its Pods. Default: `default-scheduler`, with the default profile. */
  readonly profiles?: ReadonlyMap<string, Profile>;
  /** Servers that are asked about Pods, too. Default: none. */
  readonly extenders?: readonly Extender[];
  /** The CEL engine for the selectors of devices. Default: claims with selectors are not allocated, which is reported. */
  readonly compileSelector?: SelectorCompiler;
  /** The delay before the second attempt at a Pod, and the longest one. Defaults: 1 s and 10 s. */
  readonly backoff?: Backoff;
  /** The part of the Pods that is scheduled here. Default: all. */
  readonly shard?: Shard;
}

/** Fails each evaluation, in place of a CEL engine. */
const noSelectors: SelectorCompiler = () => () => ({
  outcome: { error: "Cannot evaluate the selector: the scheduler has no CEL engine" },
  cost: 1,
});

const defaultProfiles: ReadonlyMap<string, Profile> = new Map([["default-scheduler", defaultProfile]]);

/** The parts of one profile of a running scheduler. */
interface RunningProfile {
  readonly plugins: readonly WeightedPlugin[];
  readonly decider: Decider;
  readonly events: EventRecorder;
}

/** The number of decisions that are made before sockets get a turn. */
const decisionsPerTurn = 64;

/**
 * Gives Pods a node. Decisions are made one after the other on a snapshot; bindings go out beside them, and a
 * Pod counts on its node from the decision on. The Pod of a failed binding returns to the queue.
 */
export class Scheduler {
  readonly #env: Env;
  readonly #client: Client;
  readonly #extenders: readonly Extender[];
  /** By `schedulerName`. */
  readonly #profiles: ReadonlyMap<string, RunningProfile>;
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  readonly #namespaces: Informer<Namespace>;
  readonly #budgets: Informer<PodDisruptionBudget>;
  /** The kinds that plugins read. */
  readonly #others: SharedInformers;
  readonly #snapshot = new Snapshot();
  readonly #queue: SchedulingQueue;
  readonly #shard: Shard;
  #conflicts = 0;
  readonly #metrics: SchedulerMetrics | undefined;
  /**
   * The Pods, by UID, that a PreEnqueue plugin keeps out because of objects that it reads. PreEnqueue is asked again when
   * such objects change.
   */
  readonly #gated = new Map<string, Pod>();
  #willOpenGates = false;
  /** Ends the bindings under way. */
  readonly #stop = new AbortController();

  constructor(options: SchedulerOptions) {
    const {
      env,
      transport,
      profiles = defaultProfiles,
      extenders = [],
      compileSelector = noSelectors,
      backoff,
      shard = onlyShard,
    } = options;
    this.#env = env;
    this.#extenders = extenders;
    this.#shard = shard;
    // The API server tells the bindings of shards apart by the field manager.
    const fieldManager = shard.total === 1 ? "kube-scheduler" : `kube-scheduler-${shard.index}`;
    this.#client = new Client(transport, { fieldManager });
    this.#others = new SharedInformers(this.#client, env, undefined);
    const cache = cacheOf((kind) => this.#others.find({ kind }) ?? undeclared(kind));
    const handle = {
      client: this.#client,
      cache,
      clock: env.clock,
      random: env.random,
      events: (pod: Pod) => this.#profileOf(pod).events,
      compileSelector,
    };
    this.#profiles = new Map(
      [...profiles].map(([name, profile]) => {
        const plugins = profile(handle);
        const decider = new Decider({ plugins, snapshot: this.#snapshot, random: env.random });
        return [
          name,
          { plugins, decider, events: new EventRecorder(this.#client, env, { component: name }) },
        ];
      }),
    );
    this.#queue = new SchedulingQueue(env.clock, backoff);
    this.#metrics = env.metrics && new SchedulerMetrics(env.metrics, () => this.#pending());
    // A Pod that has ended takes no room.
    const fieldSelector = "status.phase!=Succeeded,status.phase!=Failed";
    this.#pods = new Informer(this.#client.of(pods), env, { name: "pods", fieldSelector });
    this.#nodes = new Informer(this.#client.of(nodes), env, { name: "nodes" });
    this.#budgets = new Informer(this.#client.of(podDisruptionBudgets), env, {
      name: "poddisruptionbudgets",
    });
    this.#namespaces = new Informer(this.#client.of(namespaces), env, { name: "namespaces" });
  }

  /** The number of bindings that another shard's binding made a conflict. */
  get conflicts(): number {
    return this.#conflicts;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#nodes.addHandler((delta) => this.#seeNode(delta));
    this.#pods.addHandler((delta) => this.#seePod(delta));
    this.#namespaces.addHandler((delta) => this.#seeNamespace(delta));
    const sources = [
      this.#nodes,
      this.#pods,
      this.#namespaces,
      this.#budgets,
      ...ownerSources(this.#client, this.#env, this.#snapshot.owners),
    ];
    const profiles = [...this.#profiles.values()];
    const informers = [...sources, ...profiles.map(({ events }) => events)].map((one) => one.run(signal));
    const end = () => {
      this.#queue.close();
      this.#stop.abort();
    };
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    const others = profiles.flatMap(({ plugins }) => plugins.flatMap(({ plugin }) => plugin.reads ?? []));
    await allSynced(signal, ...sources, ...others.map((kind) => this.#follow(kind, signal)));
    let decisions = 0;
    for (let pod = await this.#queue.next(); pod !== undefined; pod = await this.#queue.next()) {
      await this.#schedule(pod);
      decisions += 1;
      if (decisions % decisionsPerTurn === 0) await yieldToSockets();
    }
    await Promise.all([...informers, this.#others.ended()]);
  }

  /** Starts the informer of a kind that a plugin reads; once for each kind. */
  #follow<K extends Kind>(kind: K, signal: AbortSignal): Informer<ObjectOf<K>> {
    const known = this.#others.find({ kind });
    if (known !== undefined) return known;
    const informer = this.#others.start({ kind }, signal);
    informer.addHandler((delta) => {
      const object = delta.type === "deleted" ? undefined : delta.object;
      const old = delta.type === "added" ? undefined : delta.type === "deleted" ? delta.object : delta.old;
      this.#move({ type: "objectChanged", kind, old, object });
      void this.#openGates();
    });
    return informer;
  }

  #seeNode(delta: Delta<Node>): void {
    const { type, object: node } = delta;
    if (type === "deleted") {
      this.#snapshot.removeNode(node.metadata.name ?? "");
      this.#move({ type: "nodeDeleted", node });
      return;
    }
    this.#snapshot.setNode(node);
    this.#move(
      type === "added" ? { type: "nodeAdded", node } : { type: "nodeUpdated", old: delta.old, node },
    );
  }

  #seeNamespace({ type, object }: Delta<Namespace>): void {
    const { name = "" } = object.metadata;
    if (type === "deleted") this.#snapshot.removeNamespace(name);
    else this.#snapshot.setNamespace(object);
    this.#move({ type: "namespaceChanged", name });
  }

  #seePod(delta: Delta<Pod>): void {
    const { type, object: pod } = delta;
    const { uid = "", deletionTimestamp } = pod.metadata;
    const { nodeName, schedulerName } = pod.spec;
    const isGated = this.#gated.delete(uid);
    if (type === "deleted") {
      const held = this.#queue.stateOf(uid).type === "assumed" || nodeName !== undefined;
      this.#queue.remove(uid);
      this.#snapshot.removePod(uid);
      this.#snapshot.withdrawNomination(uid);
      // The room that it held is free.
      if (held) this.#move({ type: "podRemoved", pod });
    } else if (nodeName !== undefined) {
      this.#queue.remove(uid);
      this.#snapshot.withdrawNomination(uid);
      this.#snapshot.setPod(pod, nodeName);
      const isNew = type === "added" || delta.old.spec.nodeName === undefined;
      this.#move(isNew ? { type: "podAssigned", pod } : { type: "assignedPodUpdated", old: delta.old, pod });
    } else if (deletionTimestamp !== undefined || !this.#profiles.has(schedulerName ?? "")) {
      this.#queue.withdraw(uid);
      this.#snapshot.withdrawNomination(uid);
    } else if (!isInShard(this.#shard, pod)) {
      this.#seeNomination(pod);
    } else if (isGated || !isSettled(delta)) this.#admit(pod, type === "added");
  }

  /** Adds the Pod to the queue, unless a PreEnqueue plugin keeps it out. */
  #admit(pod: Pod, isNew: boolean): void {
    const { uid = "" } = pod.metadata;
    const gate = this.#gateOf(pod);
    if (gate !== undefined) {
      if (gate.reads !== undefined) this.#gated.set(uid, pod);
      return;
    }
    this.#gated.delete(uid);
    this.#queue.add(pod);
    const { nominatedNodeName = "" } = pod.status;
    if (isNew && nominatedNodeName !== "") this.#snapshot.nominate(pod, nominatedNodeName);
  }

  /** The plugin whose PreEnqueue keeps a Pod out of the queue, if there is one. */
  #gateOf(pod: Pod): Plugin | undefined {
    return this.#profileOf(pod).plugins.find(({ plugin }) => plugin.preEnqueue?.(pod) !== undefined)?.plugin;
  }

  /** Asks PreEnqueue again about gated Pods: once for all changes that arrive together. */
  async #openGates(): Promise<void> {
    if (this.#willOpenGates || this.#gated.size === 0) return;
    this.#willOpenGates = true;
    await yieldToSockets();
    this.#willOpenGates = false;
    for (const pod of this.#gated.values()) this.#admit(pod, false);
  }

  /** Keeps the room free that another shard's preemption makes for its Pod. */
  #seeNomination(pod: Pod): void {
    const { nominatedNodeName = "" } = pod.status;
    if (nominatedNodeName === "") this.#snapshot.withdrawNomination(pod.metadata.uid ?? "");
    else this.#snapshot.nominate(pod, nominatedNodeName);
  }

  /** Has the Pods tried again that a change of the cluster may help. */
  #move(event: ClusterEvent): void {
    const helps = (pod: Pod, rejectedBy: ReadonlySet<string>) =>
      rejectedBy.has(extenderName) ||
      this.#profileOf(pod).plugins.some(
        ({ plugin }) =>
          (rejectedBy.size === 0 || rejectedBy.has(plugin.name)) && plugin.helps?.(pod, event) === true,
      );
    // Other objects, such as claims, may concern one Pod of many equal ones.
    this.#queue.moveAll(helps, event.type === "objectChanged" ? "each" : "group");
  }

  /** The profile of a Pod that this scheduler schedules. */
  #profileOf({ spec }: Pod): RunningProfile {
    const profile = this.#profiles.get(spec.schedulerName ?? "");
    if (profile === undefined) throw new TypeError(`there is no profile ${spec.schedulerName}`);
    return profile;
  }

  #pending(): PendingPods {
    const gated = this.#pods.cache
      .list()
      .filter(({ spec }) => spec.nodeName === undefined && this.#profiles.has(spec.schedulerName ?? ""))
      .filter((pod) => isInShard(this.#shard, pod) && this.#gateOf(pod) !== undefined);
    return { ...this.#queue.counts(), gated: gated.length };
  }

  /** Counts an attempt that began at this time, on the monotonic clock. */
  #count({ spec }: Pod, result: AttemptResult, began: number): void {
    this.#metrics?.attempted(spec.schedulerName ?? "", result, this.#env.clock.monotonic() - began);
  }

  async #schedule(queued: Pod): Promise<void> {
    const { uid = "" } = queued.metadata;
    const began = this.#env.clock.monotonic();
    const pod = this.#stillWaiting(queued);
    if (pod === undefined) {
      this.#queue.withdraw(uid);
      return;
    }
    const seen = this.#pods.lastSyncResourceVersion;
    const outcome = await this.#decide(pod, began);
    if (outcome === undefined) {
      this.#queue.retry(uid);
      return;
    }
    if (outcome.type === "unschedulable") {
      const { message, plugins, resolvable } = outcome.error;
      this.#queue.setUnschedulable(uid, plugins, outcome.group);
      this.#count(pod, "unschedulable", began);
      await this.#giveUp(pod, message, resolvable);
      return;
    }
    this.#assume(pod, { node: outcome.node.name, seen, began });
  }

  /** Undefined when an extender has failed, or the Pod went while extenders took their time. */
  async #decide(pod: Pod, began: number): Promise<Outcome | undefined> {
    const { plugins, decider, events } = this.#profileOf(pod);
    const extenders = this.#extenders.filter((one) => one.isInterested(pod));
    if (extenders.length === 0) return decider.decide(pod);
    const { random, log } = this.#env;
    try {
      const options = { plugins, snapshot: this.#snapshot, random, log, extenders };
      const outcome = await decideWithExtenders(pod, options);
      return this.#stillWaiting(pod) === undefined ? undefined : outcome;
    } catch (error) {
      this.#count(pod, "error", began);
      log.warn("an extender failed", { pod: pod.metadata.name, error: String(error) });
      events.event(pod, "Warning", "FailedScheduling", errorText(error));
      return undefined;
    }
  }

  /** Counts the Pod on its node, and begins the binding beside the next decisions. */
  #assume(pod: Pod, placement: Placement): void {
    const { node, began } = placement;
    const { uid = "" } = pod.metadata;
    const cycle = {
      pod,
      node,
      plugins: this.#profileOf(pod).plugins.map(({ plugin }) => plugin),
      signal: this.#stop.signal,
    };
    try {
      reserve(cycle);
    } catch (error) {
      this.#logFailedBinding(pod, node, error);
      this.#count(pod, "error", began);
      this.#queue.retry(uid);
      return;
    }
    this.#queue.assume(uid);
    this.#snapshot.withdrawNomination(uid);
    this.#snapshot.setPod(pod, node);
    const bound = runBindingCycle(cycle, () => this.#bind(pod, placement));
    bound.then(
      () => this.#noteBound(pod, node, began),
      (error: unknown) => this.#handleBindingError(pod, placement, error),
    );
  }

  #logFailedBinding({ metadata }: Pod, node: string, error: unknown): void {
    const pod = `${metadata.namespace}/${metadata.name}`;
    this.#env.log.warn("a binding failed", { pod, node, error: String(error) });
  }

  /** Reports that no node is feasible, and makes room for the Pod where it may. */
  async #giveUp(pod: Pod, message: string, resolvable: readonly string[]): Promise<void> {
    const { plugins } = this.#profileOf(pod);
    const context = {
      snapshot: this.#snapshot,
      plugins,
      budgets: this.#budgets.cache.list(),
      resolvable,
      random: this.#env.random,
      extend: this.#extensionOf(pod),
    };
    const reasons: string[] = [];
    let keepsNomination = false;
    for (const { plugin } of plugins) {
      const asked = plugin.postFilter?.(pod, context);
      const preemption = asked instanceof Promise ? await asked : asked;
      if (preemption === undefined) continue;
      // The Pod went while extenders took their time.
      if (asked instanceof Promise && this.#stillWaiting(pod) === undefined) return;
      if (preemption.type === "preempt") {
        this.#preempt(pod, preemption.candidate);
        return this.#reportUnschedulable(pod, message, preemption.candidate.node);
      }
      reasons.push(preemption.why);
      keepsNomination ||= preemption.isUnderWay;
    }
    if (!keepsNomination) this.#snapshot.withdrawNomination(pod.metadata.uid ?? "");
    const { nominatedNodeName = "" } = pod.status;
    const text = reasons.length === 0 ? message : `${message} ${reasons.join(", ")}`;
    return this.#reportUnschedulable(pod, text, keepsNomination ? nominatedNodeName : "");
  }

  /** The part of extenders in the preemption for a Pod; undefined when none takes part. */
  #extensionOf(pod: Pod): PostFilterContext["extend"] {
    const extenders = this.#extenders.filter((one) => one.isPreempting && one.isInterested(pod));
    if (extenders.length === 0) return undefined;
    const options = { extenders, snapshot: this.#snapshot, log: this.#env.log };
    return (candidates) => withExtenders(pod, candidates, options);
  }

  /** Reserves the room of the victims for the Pod, and deletes the victims beside the next decisions. */
  #preempt(pod: Pod, { node, victims }: Candidate): void {
    for (const one of this.#snapshot.nominatedOn(node))
      if (priorityOf(one) < priorityOf(pod)) this.#displace(one);
    this.#snapshot.nominate(pod, node);
    const { events } = this.#profileOf(pod);
    const { schedulerName: scheduler = "" } = pod.spec;
    const options = { client: this.#client, events, env: this.#env, scheduler };
    evictVictims(pod, node, victims, options).catch((error: unknown) => {
      this.#snapshot.withdrawNomination(pod.metadata.uid ?? "");
      this.#env.log.warn("a preemption failed", { pod: pod.metadata.name, node, error: String(error) });
    });
  }

  /** Withdraws the nomination of a Pod that may not fit any more beside a more important one. */
  #displace({ metadata }: Pod): void {
    const { uid = "", name = "", namespace } = metadata;
    this.#snapshot.withdrawNomination(uid);
    const change = { metadata: { uid }, status: { nominatedNodeName: "" } };
    this.#client
      .of(pods, namespace)
      .patch(name, change, { type: "strategic", subresource: "status" })
      .catch((error: unknown) => this.#logUnlessGone(metadata, error));
  }

  #logUnlessGone({ name }: Pod["metadata"], error: unknown): void {
    if (hasReason(error, "NotFound", "Conflict")) return;
    this.#env.log.warn("a Pod's status was not written", { pod: name, error: String(error) });
  }

  /** The present state of a queued Pod, which may be stale; undefined once the Pod is deleted, terminating or bound. */
  #stillWaiting({ metadata, spec }: Pod): Pod | undefined {
    const now = this.#pods.cache.get(`${metadata.namespace}/${metadata.name}`);
    if (now?.metadata.uid !== metadata.uid || now?.metadata.deletionTimestamp !== undefined) return undefined;
    return now?.spec.nodeName === undefined && now?.spec.schedulerName === spec.schedulerName
      ? now
      : undefined;
  }

  async #bind(pod: Pod, { node, seen }: Placement): Promise<void> {
    const { name = "", namespace, uid } = pod.metadata;
    const { apiVersion, kind } = bindings;
    const binder = this.#extenders.find((one) => one.isBinder && one.isInterested(pod));
    if (binder !== undefined) return binder.bind(pod, node);
    const own = this.#client.of(pods, namespace).subresource(name, "binding");
    const metadata = { name, namespace, uid };
    const target = { kind: "Node", name: node, ...(this.#shard.total > 1 ? { resourceVersion: seen } : {}) };
    await own.create({ apiVersion, kind, metadata, target });
  }

  #noteBound(pod: Pod, nodeName: string, began: number): void {
    this.#count(pod, "scheduled", began);
    const { name, namespace } = pod.metadata;
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
    this.#profileOf(pod).events.event(pod, "Normal", "Scheduled", message);
  }

  /** Frees the room that the Pod held, and takes the Pod back into the queue if it still wants a node. */
  #handleBindingError(pod: Pod, { node, seen, began }: Placement, error: unknown): void {
    this.#count(pod, "error", began);
    const { uid = "" } = pod.metadata;
    // Only the response was lost: the informer has shown the binding, and the Pod counts on its node.
    if (this.#queue.stateOf(uid).type !== "assumed") return;
    this.#snapshot.removePod(uid);
    this.#move({ type: "podRemoved", pod });
    if (isConflictOnNode(error)) {
      this.#conflicts += 1;
      // With nothing new seen, the next attempt would be the same.
      if (this.#pods.lastSyncResourceVersion === seen) this.#queue.retry(uid);
      else this.#queue.retryNow(uid);
      return;
    }
    // The Pod was deleted, or another scheduler has bound it: the informer will show it.
    const isDecided = hasReason(error, "NotFound", "Conflict");
    if (!isDecided) this.#logFailedBinding(pod, node, error);
    if (isDecided || this.#stillWaiting(pod) === undefined) this.#queue.remove(uid);
    else this.#queue.retry(uid);
  }

  async #reportUnschedulable(pod: Pod, message: string, nominatedNodeName: string): Promise<void> {
    const { metadata, status } = pod;
    this.#profileOf(pod).events.event(pod, "Warning", "FailedScheduling", message);
    const old = findCondition(status.conditions, "PodScheduled");
    const isKnown = old?.status === "False" && old.message === message;
    const isNominated = nominatedNodeName === (status.nominatedNodeName ?? "");
    if (isKnown && isNominated) return;
    const lastTransitionTime =
      old?.status === "False" ? old.lastTransitionTime : formatTime(this.#env.clock.now());
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastTransitionTime,
    };
    const nomination = isNominated ? {} : { nominatedNodeName };
    try {
      await this.#client
        .of(pods, metadata.namespace)
        .patch(
          metadata.name ?? "",
          { status: { ...nomination, conditions: [condition] } },
          { type: "strategic", subresource: "status" },
        );
    } catch (error) {
      this.#logUnlessGone(metadata, error);
    }
  }
}

/** A chosen node, and the attempt that chose it. */
interface Placement {
  readonly node: string;
  /** The last revision of Pods that the decision has seen. */
  readonly seen: string;
  /** The start of the attempt, on the monotonic clock. */
  readonly began: number;
}

/** True when another shard has bound a Pod that the decision had not seen (`apiserver/subresources/placements.ts`). */
function isConflictOnNode(error: unknown): boolean {
  return hasReason(error, "Conflict") && error.status.details?.kind === "nodes";
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

function undeclared({ plural }: Kind): never {
  throw new UndeclaredKindError(`Cannot read ${plural} from the cache: the plugin must declare it in reads`);
}
