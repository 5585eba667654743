import type { Pod } from "../api/core/pod/schema.ts";
import type { Clock, Timer } from "../util/clock.ts";
import { Heap } from "../util/heap.ts";
import {
  absent,
  type Backoff,
  type Helps,
  type Plugins,
  type PodEvent,
  type PodState,
  type QueuedPod,
  stepPod,
} from "./queue-machine.ts";

/** The order of the plugin PrioritySort: the higher priority first, then the longer wait. */
function isBefore(a: QueuedPod, b: QueuedPod): boolean {
  const [one = 0, other = 0] = [a.pod.spec.priority, b.pod.spec.priority];
  return one === other ? a.order < b.order : one > other;
}

interface Entry {
  readonly state: PodState;
  /** The timer of the state, which is cancelled when the state changes. */
  readonly timer: Timer | undefined;
  /** The Pod's group in `#movable`; undefined for a Pod that no event concerns. */
  readonly group: string | undefined;
}

/** The Pods that want a node. `queue-machine.ts` decides; the queue keeps the states, the order and the timers. */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #backoff: Backoff | undefined;
  /** By UID, every Pod that is not absent. */
  readonly #entries = new Map<string, Entry>();
  /** The active Pods. An item that is not its Pod's present state is stale, and skipped when it comes up. */
  readonly #active = new Heap<QueuedPod>(isBefore);
  /**
   * The UIDs of the Pods that cluster events concern: those in flight, each in a group of its own, and unschedulable ones.
   * Most events help all Pods of a group or none: a thousand Pods of one template cost as much as one.
   */
  readonly #movable = new Map<string, Set<string>>();
  #wake: (() => void) | undefined;
  #order = 0;
  #closed = false;

  /** Default back-off: upstream's, from 1 s to 10 s. */
  constructor(clock: Clock, backoff?: Backoff) {
    this.#clock = clock;
    this.#backoff = backoff;
  }

  /** Adds a Pod that wants a node, or takes over its change. */
  add(pod: Pod): void {
    this.#step(pod.metadata.uid ?? "", { type: "observed", pod, order: this.#order++ });
  }

  /** Removes a Pod that was deleted, or has a node. */
  remove(uid: string): void {
    this.#step(uid, { type: "removed" });
  }

  /** Removes a Pod that no longer wants a node, unless its binding is under way. */
  withdraw(uid: string): void {
    this.#step(uid, { type: "withdrawn" });
  }

  /** The next Pod to try, once there is one; undefined once closed. */
  async next(): Promise<Pod | undefined> {
    while (!this.#closed) {
      const pod = this.pop();
      if (pod !== undefined) return pod;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return undefined;
  }

  /** The next Pod to try, if one is active. `assume`, `setUnschedulable`, `retry` or a removal ends its attempt. */
  pop(): Pod | undefined {
    for (let queued = this.#active.pop(); queued !== undefined; queued = this.#active.pop()) {
      const { uid = "" } = queued.pod.metadata;
      const state = this.stateOf(uid);
      if (state.type !== "active" || state.queued !== queued) continue;
      this.#step(uid, { type: "taken" });
      return queued.pod;
    }
    return undefined;
  }

  /** Ends an attempt that has found a node: the binding begins. */
  assume(uid: string): void {
    this.#step(uid, { type: "assumed" });
  }

  /**
   * Ends an attempt that has found no node: the Pod waits for a cluster event that helps. Default: a group of its own.
   */
  setUnschedulable(uid: string, rejectedBy: Plugins, group = uid): void {
    this.#step(uid, { type: "unschedulable", rejectedBy }, `${[...rejectedBy].join()}/${group}`);
  }

  /** Ends an attempt or a binding that has failed by an error: the Pod backs off. */
  retry(uid: string): void {
    this.#step(uid, { type: "failed" });
  }

  /** Ends a binding that was a conflict with another scheduler's: the Pod is tried again at once. */
  retryNow(uid: string): void {
    this.#step(uid, { type: "conflicted" });
  }

  /**
   * Moves the Pods that a change of the cluster may help: each is tried again after its back-off. `asks` is "group" for a
   * change that helps all Pods of a group or none.
   */
  moveAll(helps: Helps = () => true, asks: "each" | "group" = "each"): void {
    for (const group of this.#movable.values()) {
      const [first = ""] = group;
      const state = this.stateOf(first);
      const asksOnce = asks === "group" && state.type === "unschedulable";
      if (asksOnce && !helps(state.queued.pod, state.rejectedBy)) continue;
      const event = { type: "clusterEvent", helps: asksOnce ? () => true : helps } as const;
      for (const uid of group) this.#step(uid, event);
    }
  }

  /** The present state of a Pod, by its UID. */
  stateOf(uid: string): PodState {
    return this.#entries.get(uid)?.state ?? absent;
  }

  /** The number of Pods in each state of waiting. */
  counts(): { readonly active: number; readonly backoff: number; readonly unschedulable: number } {
    const counts = { active: 0, backoff: 0, unschedulable: 0 };
    for (const { state } of this.#entries.values()) {
      if (state.type === "active") counts.active += 1;
      else if (state.type === "backingOff") counts.backoff += 1;
      else if (state.type === "unschedulable") counts.unschedulable += 1;
    }
    return counts;
  }

  /** Wakes `next`, and cancels all timers. Later calls change nothing. */
  close(): void {
    this.#closed = true;
    for (const { timer } of this.#entries.values()) timer?.cancel();
    this.#wake?.();
  }

  /** `group` is that of a Pod that becomes unschedulable. */
  #step(uid: string, event: PodEvent, group = uid): void {
    if (this.#closed) return;
    const old = this.#entries.get(uid);
    const before = old?.state ?? absent;
    const { state, action } = stepPod(before, event, this.#clock.monotonic(), this.#backoff);
    if (state === before) return;
    old?.timer?.cancel();
    const timer =
      action?.type === "wait"
        ? this.#clock.after(action.ms, () => this.#step(uid, { type: "elapsed" }))
        : undefined;
    const isMovable = state.type === "inFlight" || state.type === "unschedulable";
    this.#regroup(uid, old?.group, isMovable ? group : undefined);
    if (state.type === "absent") this.#entries.delete(uid);
    else this.#entries.set(uid, { state, timer, group: isMovable ? group : undefined });
    if (action?.type !== "enqueue") return;
    this.#active.push(action.queued);
    this.#wake?.();
  }

  #regroup(uid: string, old: string | undefined, now: string | undefined): void {
    if (old === now) return;
    const left = old === undefined ? undefined : this.#movable.get(old);
    left?.delete(uid);
    if (old !== undefined && left?.size === 0) this.#movable.delete(old);
    if (now === undefined) return;
    const joined = this.#movable.get(now);
    if (joined === undefined) this.#movable.set(now, new Set([uid]));
    else joined.add(uid);
  }
}
