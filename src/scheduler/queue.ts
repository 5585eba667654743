import type { Pod } from "../api/core/pod/schema.ts";
import type { Clock, Timer } from "../util/clock.ts";
import { Heap } from "../util/heap.ts";

/** A Pod that wants a node. */
export interface QueuedPod {
  readonly pod: Pod;
  /** How often it was tried in vain. */
  readonly attempts: number;
  /** When it first entered, on the monotonic clock. */
  readonly since: number;
  /** Its place among those that entered at the same moment. */
  readonly order: number;
  /** When it was last tried. */
  readonly triedAt: number;
  /** Which plugins turned it away the last time. */
  readonly rejectedBy: ReadonlySet<string>;
}

/** Upstream's defaults: 1 s after the first failure, doubled up to 10 s; and nobody waits for ever for a hint. */
const firstBackoffMs = 1000;
const maxBackoffMs = 10_000;
const maxUnschedulableMs = 300_000;

/** The higher priority first, then the longer wait (plugin `queuesort`). */
function goesBefore(a: QueuedPod, b: QueuedPod): boolean {
  const [one = 0, other = 0] = [a.pod.spec.priority, b.pod.spec.priority];
  if (one !== other) return one > other;
  return a.since === b.since ? a.order < b.order : a.since < b.since;
}

/**
 * Pods in three places, each in exactly one: ready to be tried, by priority and age; waiting for their back-off;
 * unschedulable until something changes (scheduler `backend/queue`). A Pod that is being tried is in none.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #ready = new Heap<QueuedPod>(goesBefore);
  /** What is in the heap and still wanted: a Pod that went meanwhile is skipped when it comes up. */
  readonly #readyUids = new Map<string, QueuedPod>();
  readonly #backingOff = new Map<string, { readonly queued: QueuedPod; readonly timer: Timer }>();
  readonly #unschedulable = new Map<string, { readonly queued: QueuedPod; readonly timer: Timer }>();
  #wake: (() => void) | undefined;
  #order = 0;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A Pod that is new, or has changed: it is tried as soon as its turn comes. */
  add(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    const known = this.#take(uid);
    this.#makeReady({
      pod,
      attempts: known?.attempts ?? 0,
      since: known?.since ?? this.#clock.monotonic(),
      order: known?.order ?? this.#order++,
      triedAt: known?.triedAt ?? 0,
      rejectedBy: new Set(),
    });
  }

  remove(uid: string): void {
    this.#take(uid);
  }

  /** The next Pod to try, once there is one; undefined once closed. */
  async next(): Promise<QueuedPod | undefined> {
    while (!this.#closed) {
      const queued = this.pop();
      if (queued !== undefined) return queued;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return undefined;
  }

  /** The next Pod to try, if one is ready. */
  pop(): QueuedPod | undefined {
    for (let queued = this.#ready.pop(); queued !== undefined; queued = this.#ready.pop()) {
      const { uid = "" } = queued.pod.metadata;
      if (this.#readyUids.get(uid) !== queued) continue;
      this.#readyUids.delete(uid);
      return queued;
    }
    return undefined;
  }

  /** Where a Pod waits; undefined for one that is being tried, or not known. */
  placeOf(uid: string): "ready" | "backing off" | "unschedulable" | undefined {
    if (this.#readyUids.has(uid)) return "ready";
    if (this.#backingOff.has(uid)) return "backing off";
    return this.#unschedulable.has(uid) ? "unschedulable" : undefined;
  }

  /**
   * No node fits: the Pod waits until `moveAll` finds that something has changed. A Pod that came back while it
   * was tried, because it had changed, stays where it is.
   */
  setUnschedulable(queued: QueuedPod, rejectedBy: ReadonlySet<string>): void {
    const { uid = "" } = queued.pod.metadata;
    if (this.placeOf(uid) !== undefined) return;
    const waiting = {
      ...queued,
      attempts: queued.attempts + 1,
      triedAt: this.#clock.monotonic(),
      rejectedBy,
    };
    const timer = this.#clock.after(maxUnschedulableMs, () => this.#leaveUnschedulable(uid));
    this.#unschedulable.set(uid, { queued: waiting, timer });
  }

  /** Something failed that may go better the next time. A Pod that came back meanwhile stays where it is. */
  retry(queued: QueuedPod): void {
    if (this.placeOf(queued.pod.metadata.uid ?? "") !== undefined) return;
    this.#backOff({ ...queued, attempts: queued.attempts + 1, triedAt: this.#clock.monotonic() });
  }

  /** Something has changed: Pods that it may help are tried again, each after its back-off. */
  moveAll(helps: (queued: QueuedPod) => boolean = () => true): void {
    for (const [uid, { queued }] of this.#unschedulable) if (helps(queued)) this.#leaveUnschedulable(uid);
  }

  close(): void {
    this.#closed = true;
    for (const { timer } of [...this.#backingOff.values(), ...this.#unschedulable.values()]) timer.cancel();
    this.#wake?.();
  }

  #leaveUnschedulable(uid: string): void {
    const waiting = this.#unschedulable.get(uid);
    if (waiting === undefined) return;
    waiting.timer.cancel();
    this.#unschedulable.delete(uid);
    this.#backOff(waiting.queued);
  }

  #backOff(queued: QueuedPod): void {
    const { uid = "" } = queued.pod.metadata;
    const delay = Math.min(firstBackoffMs * 2 ** Math.max(0, queued.attempts - 1), maxBackoffMs);
    // The back-off runs from the last try: who has waited longer than that is tried at once.
    const ms = Math.max(0, queued.triedAt + delay - this.#clock.monotonic());
    const timer = this.#clock.after(ms, () => {
      this.#backingOff.delete(uid);
      this.#makeReady(queued);
    });
    this.#backingOff.set(uid, { queued, timer });
  }

  #makeReady(queued: QueuedPod): void {
    this.#readyUids.set(queued.pod.metadata.uid ?? "", queued);
    this.#ready.push(queued);
    this.#wake?.();
  }

  /** Takes a Pod out of wherever it is. */
  #take(uid: string): QueuedPod | undefined {
    const ready = this.#readyUids.get(uid);
    this.#readyUids.delete(uid);
    const waiting = this.#backingOff.get(uid) ?? this.#unschedulable.get(uid);
    waiting?.timer.cancel();
    this.#backingOff.delete(uid);
    this.#unschedulable.delete(uid);
    return ready ?? waiting?.queued;
  }
}
