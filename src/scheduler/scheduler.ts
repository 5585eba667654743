import type { Pod } from "../api/core/pod/schema.ts";
import type { SelectorCompiler } from "../api/resource/selectors.ts";
import { Client } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import { hasReason } from "../meta/status.ts";
import type { Env } from "../util/env.ts";
import { yieldToSockets } from "../util/yield.ts";
import { reserve, runBindingCycle } from "./binding-cycle.ts";
import type { Outcome } from "./decide/decider.ts";
import { bind, isConflictOnNode, type Placement } from "./default-binder.ts";
import { EventHandlers } from "./event-handlers.ts";
import { decideWithExtenders } from "./extenders/decide.ts";
import type { Extender } from "./extenders/extender.ts";
import { withExtenders } from "./extenders/preempt.ts";
import type { PostFilterContext, Profile } from "./framework.ts";
import { Informers } from "./informers.ts";
import { defaultProfile } from "./plugins.ts";
import { runPostFilter } from "./post-filter.ts";
import { prepareCandidate } from "./preemption/prepare-candidate.ts";
import { Profiles } from "./profiles.ts";
import type { Backoff } from "./queue-machine.ts";
import { SchedulingQueue } from "./queue.ts";
import { Reports } from "./reports.ts";
import { onlyShard, type Shard } from "./shard.ts";
import { Snapshot } from "./snapshot.ts";

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

/** The decisions, and the milliseconds, after which sockets get a turn. */
const turn = { decisions: 64, ms: 10 } as const;

/**
 * Gives Pods a node. Decisions are made one after the other on a snapshot; bindings go out beside them, and a
 * Pod counts on its node from the decision on. The Pod of a failed binding returns to the queue.
 */
export class Scheduler {
  readonly #env: Env;
  readonly #client: Client;
  readonly #extenders: readonly Extender[];
  readonly #informers: Informers;
  readonly #profiles: Profiles;
  readonly #snapshot = new Snapshot();
  readonly #queue: SchedulingQueue;
  readonly #handlers: EventHandlers;
  readonly #reports: Reports;
  readonly #isShared: boolean;
  #conflicts = 0;
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
    this.#isShared = shard.total > 1;
    // The API server tells the bindings of shards apart by the field manager.
    const fieldManager = this.#isShared ? `kube-scheduler-${shard.index}` : "kube-scheduler";
    const client = new Client(transport, { fieldManager });
    const snapshot = this.#snapshot;
    this.#client = client;
    this.#informers = new Informers(client, env, snapshot.owners);
    const { pods, cache, observe } = this.#informers;
    const { clock, random } = env;
    const touch = (node: string) => snapshot.touch(node);
    const handle = { client, cache, clock, random, compileSelector, observe, touch };
    this.#profiles = new Profiles(profiles, { env, snapshot, handle });
    this.#queue = new SchedulingQueue(clock, backoff);
    const shared = { profiles: this.#profiles, snapshot, queue: this.#queue, shard };
    this.#handlers = new EventHandlers(shared);
    const pending = () => this.#handlers.pending(pods.cache.list());
    this.#reports = new Reports({ env, client, profiles: this.#profiles, pending });
  }

  /** The number of bindings that another shard's binding made a conflict. */
  get conflicts(): number {
    return this.#conflicts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const end = () => {
      this.#queue.close();
      this.#stop.abort();
    };
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    const profiles = this.#profiles.all();
    const recorders = profiles.map(({ events }) => events.run(signal));
    const reads = profiles.flatMap(({ plugins }) => plugins.flatMap(({ plugin }) => plugin.reads ?? []));
    await this.#informers.start(this.#handlers, reads, signal);
    const { clock } = this.#env;
    let [decisions, began] = [0, clock.monotonic()];
    for (let pod = await this.#queue.next(); pod !== undefined; pod = await this.#queue.next()) {
      await this.#scheduleOne(pod);
      decisions += 1;
      if (decisions < turn.decisions && clock.monotonic() - began < turn.ms) continue;
      await yieldToSockets();
      [decisions, began] = [0, clock.monotonic()];
    }
    await Promise.all([...recorders, this.#informers.ended()]);
  }

  /** One attempt: a decision, and what follows from it. */
  async #scheduleOne(queued: Pod): Promise<void> {
    const { uid = "" } = queued.metadata;
    const began = this.#env.clock.monotonic();
    const pod = this.#stillWaiting(queued);
    if (pod === undefined) {
      this.#queue.withdraw(uid);
      return;
    }
    const seen = this.#informers.pods.lastSyncResourceVersion;
    const outcome = await this.#decide(pod, began);
    if (outcome === undefined) this.#queue.retry(uid);
    else if (outcome.type === "node") this.#assume(pod, { node: outcome.node.name, seen, began });
    else await this.#giveUp(pod, outcome, began);
  }

  /** The present state of a queued Pod, which may be stale; undefined once the Pod is deleted, terminating or bound. */
  #stillWaiting({ metadata, spec }: Pod): Pod | undefined {
    const now = this.#informers.pods.cache.get(`${metadata.namespace}/${metadata.name}`);
    if (now?.metadata.uid !== metadata.uid || now?.metadata.deletionTimestamp !== undefined) return undefined;
    return now?.spec.nodeName === undefined && now?.spec.schedulerName === spec.schedulerName
      ? now
      : undefined;
  }

  /** Undefined when an extender has failed, or the Pod went while extenders took their time. */
  async #decide(pod: Pod, began: number): Promise<Outcome | undefined> {
    const { plugins, decider } = this.#profiles.of(pod);
    const extenders = this.#extenders.filter((one) => one.isInterested(pod));
    if (extenders.length === 0) return decider.decide(pod);
    const { random, log } = this.#env;
    try {
      const options = { plugins, snapshot: this.#snapshot, random, log, extenders };
      const outcome = await decideWithExtenders(pod, options);
      return this.#stillWaiting(pod) === undefined ? undefined : outcome;
    } catch (error) {
      this.#reports.extenderFailed(pod, error, began);
      return undefined;
    }
  }

  /** Makes room for a Pod that no node is feasible for, where that is possible, and reports the failure. */
  async #giveUp(pod: Pod, { error, group }: Unschedulable, began: number): Promise<void> {
    const { uid = "" } = pod.metadata;
    this.#queue.setUnschedulable(uid, error.plugins, group);
    this.#reports.count(pod, "unschedulable", began);
    const preemption = await runPostFilter(pod, this.#postFilterContext(pod, error.resolvable));
    // The Pod may have gone while extenders took their time.
    if (this.#stillWaiting(pod) === undefined) return;
    if (preemption.type === "preempt") {
      prepareCandidate(pod, preemption.candidate, {
        client: this.#client,
        env: this.#env,
        snapshot: this.#snapshot,
        events: this.#profiles.of(pod).events,
        clearNomination: (one) => void this.#reports.nominationCleared(one),
        scheduler: pod.spec.schedulerName ?? "",
      });
      return this.#reports.unschedulable(pod, error.message, preemption.candidate.node);
    }
    const { why, isUnderWay } = preemption;
    if (!isUnderWay) this.#snapshot.withdrawNomination(uid);
    const message = why === "" ? error.message : `${error.message} ${why}`;
    const { nominatedNodeName = "" } = pod.status;
    return this.#reports.unschedulable(pod, message, isUnderWay ? nominatedNodeName : "");
  }

  #postFilterContext(pod: Pod, resolvable: readonly string[]): PostFilterContext {
    const { random, log } = this.#env;
    const snapshot = this.#snapshot;
    const extenders = this.#extenders.filter((one) => one.isPreempting && one.isInterested(pod));
    return {
      snapshot,
      plugins: this.#profiles.of(pod).plugins,
      budgets: this.#informers.budgets.cache.list(),
      resolvable,
      random,
      extend:
        extenders.length === 0
          ? undefined
          : (candidates) => withExtenders(pod, candidates, { extenders, snapshot, log }),
    };
  }

  /** Counts the Pod on its node, and begins the binding beside the next decisions. */
  #assume(pod: Pod, placement: Placement): void {
    const { node, began } = placement;
    const { uid = "" } = pod.metadata;
    const plugins = this.#profiles.of(pod).plugins.map(({ plugin }) => plugin);
    const cycle = { pod, node, plugins, signal: this.#stop.signal };
    try {
      reserve(cycle);
    } catch (error) {
      this.#reports.bindingFailed(pod, node, error);
      this.#reports.count(pod, "error", began);
      this.#queue.retry(uid);
      return;
    }
    this.#queue.assume(uid);
    this.#snapshot.withdrawNomination(uid);
    this.#snapshot.setPod(pod, node);
    const options = { client: this.#client, extenders: this.#extenders, isShared: this.#isShared };
    runBindingCycle(cycle, () => bind(pod, placement, options)).then(
      () => this.#reports.bound(pod, node, began),
      (error: unknown) => this.#handleBindingError(pod, placement, error),
    );
  }

  /** Frees the room that the Pod held, and takes the Pod back into the queue if it still wants a node. */
  #handleBindingError(pod: Pod, { node, seen, began }: Placement, error: unknown): void {
    this.#reports.count(pod, "error", began);
    const { uid = "" } = pod.metadata;
    // Only the response was lost: the informer has shown the binding, and the Pod counts on its node.
    if (this.#queue.stateOf(uid).type !== "assumed") return;
    this.#snapshot.removePod(uid);
    this.#handlers.move({ type: "podRemoved", pod });
    if (isConflictOnNode(error)) {
      this.#conflicts += 1;
      // With nothing new seen, the next attempt would be the same.
      if (this.#informers.pods.lastSyncResourceVersion === seen) this.#queue.retry(uid);
      else this.#queue.retryNow(uid);
      return;
    }
    // The Pod was deleted, or another scheduler has bound it: the informer will show it.
    const isDecided = hasReason(error, "NotFound", "Conflict");
    if (!isDecided) this.#reports.bindingFailed(pod, node, error);
    if (isDecided || this.#stillWaiting(pod) === undefined) this.#queue.remove(uid);
    else this.#queue.retry(uid);
  }
}

type Unschedulable = Extract<Outcome, { type: "unschedulable" }>;
