import type { Pod } from "../../api/core/pod/schema.ts";
import { qosClass } from "../../api/core/pod/qos.ts";
import type { EventSink } from "../../client/event-recorder.ts";
import type { Env } from "../../util/env.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { Checkpoint, type SavedAllocation } from "./checkpoint.ts";
import { misfits, neverFits, type NodeFacts, refusalOf, type Refusal, requestOf } from "./filter.ts";
import { podsToPreempt } from "./preemption.ts";
import { isCritical } from "./critical.ts";
import { resizeText } from "./resize-events.ts";
import { haveSameSizes, type Requirements, sizeOf, sizesOf, wholePod, withSizes } from "./sizes.ts";

export interface AllocationsOptions {
  readonly env: Pick<Env, "clock" | "log">;
  readonly events: EventSink;
  /** The file that allocations are kept in; undefined: they last as long as this process. */
  readonly file?: string | undefined;
  readonly facts: () => NodeFacts | undefined;
  /** Ends a Pod, so that a critical one has room. */
  readonly preempt: (pod: Pod) => void;
}

/** A condition of a resize. Times are in milliseconds since the epoch. */
export interface ResizeCondition {
  readonly reason: string;
  readonly message: string;
  /** The Pod's generation with the sizes. */
  readonly generation: number;
  readonly since: number;
}

/** The state of a Pod's resize, as plain values. */
export interface ResizeState {
  /** The node has not accepted the sizes. */
  readonly pending?: ResizeCondition | undefined;
  /** The node has accepted the sizes, and not applied them yet. */
  readonly inProgress?: ResizeCondition | undefined;
  /** The sizes in use, by container, where they differ from the accepted ones. */
  readonly actuated: ReadonlyMap<string, Requirements>;
}

interface Allocation {
  /** The last Pod that was seen. */
  pod: Pod;
  /** The Pod with the accepted sizes: the same object when they are the Pod's. */
  accepted: Pod;
  resize: ResizeState;
}

/** The verdict on a Pod: the Pod with the sizes that it has on this node, or the reason why it may not run here. */
export type Verdict =
  | { readonly admitted: Pod; readonly resize: ResizeState }
  | { readonly refused: Refusal }
  /** The node is not registered yet. */
  | undefined;

const noResize: ResizeState = { actuated: new Map() };

/**
 * Accepts Pods and their resizes on this node (kubelet `allocation`, `lifecycle`, `preemption`). Decisions are made one after
 * the other, against the sizes that were accepted before.
 */
export class Allocations {
  readonly #options: AllocationsOptions;
  readonly #checkpoint: Checkpoint | undefined;
  readonly #allocations = new Map<string, Allocation>();
  /** The allocations of an earlier process, by UID, until their Pods are seen. */
  readonly #saved: Map<string, SavedAllocation>;

  constructor(options: AllocationsOptions) {
    this.#options = options;
    this.#checkpoint = options.file === undefined ? undefined : new Checkpoint(options.file);
    this.#saved = new Map(this.#checkpoint?.load());
  }

  /**
   * Decides about a Pod. `isRunning` says that it was admitted before, by an earlier process: it is not refused, whatever has
   * changed since.
   */
  decide(pod: Pod, isRunning: boolean): Verdict {
    const { uid = "" } = pod.metadata;
    const known = this.#allocations.get(uid) ?? this.#restore(pod, isRunning);
    if (known === undefined) return this.#admit(pod);
    const before = known.pod;
    known.pod = pod;
    if (haveSameSizes(pod.spec, known.accepted.spec)) {
      known.accepted = pod;
      if (known.resize.pending !== undefined) known.resize = { ...known.resize, pending: undefined };
    } else if (pod !== before) {
      const isNew = !haveSameSizes(pod.spec, before.spec) || known.resize.pending === undefined;
      if (!isNew || !this.#resize(known)) this.#follow(known);
    }
    return { admitted: known.accepted, resize: known.resize };
  }

  /** Decides again about all resizes that wait. Returns the UIDs of the Pods whose state has changed. */
  retry(): readonly string[] {
    const waiting = [...this.#allocations.values()].filter(({ resize }) => resize.pending !== undefined);
    return waiting
      .sort(inOrder)
      .filter((one) => {
        const before = one.resize.pending;
        return this.#resize(one) || one.resize.pending !== before;
      })
      .map(({ pod }) => pod.metadata.uid ?? "");
  }

  hasPending(): boolean {
    return this.#allocations.values().some(({ resize }) => resize.pending !== undefined);
  }

  /** Reports whether the Pod was admitted. */
  has(uid: string): boolean {
    return this.#allocations.has(uid);
  }

  /** Returns the Pod with its accepted sizes, without a decision about others: the same object for the same Pod. */
  acceptedOf(pod: Pod): Pod {
    const known = this.#allocations.get(pod.metadata.uid ?? "");
    if (known === undefined) return pod;
    if (known.pod !== pod) {
      known.pod = pod;
      this.#follow(known);
    }
    return known.accepted;
  }

  /** Returns the Pod as its worker sees it; undefined when the last decision was about an older object. */
  decidedOf(pod: Pod): Pod | undefined {
    const known = this.#allocations.get(pod.metadata.uid ?? "");
    if (known === undefined) return pod;
    return known.pod === pod ? known.accepted : undefined;
  }

  /** Returns the state of a Pod's resize. */
  resizeOf(uid: string): ResizeState {
    return this.#allocations.get(uid)?.resize ?? noResize;
  }

  /** Notes the sizes that a container has, or the whole Pod: since its start, or after a change in place. */
  async actuate(uid: string, name: string, size: Requirements | undefined): Promise<void> {
    const known = this.#allocations.get(uid);
    if (known === undefined) return;
    const isAccepted = deepEqual(size, sizeOf(known.accepted.spec, name));
    const present = known.resize.actuated.get(name);
    if (isAccepted ? present === undefined : deepEqual(present, size)) return;
    const actuated = new Map(known.resize.actuated);
    if (isAccepted || size === undefined) actuated.delete(name);
    else actuated.set(name, size);
    known.resize = { ...known.resize, actuated };
    await this.#save();
  }

  /** Notes that the sizes of the named running containers and of the Pod are applied, or are not. */
  settle(uid: string, running: ReadonlySet<string>): ResizeState {
    const known = this.#allocations.get(uid);
    if (known === undefined) return noResize;
    const { inProgress, actuated } = known.resize;
    const isApplied = actuated.keys().every((name) => name !== wholePod && !running.has(name));
    if (inProgress !== undefined && isApplied) {
      known.resize = { ...known.resize, inProgress: undefined };
      const text = resizeText("Pod resize completed", known.accepted, inProgress.generation);
      this.#options.events.event(known.pod, "Normal", "ResizeCompleted", text);
    } else if (inProgress === undefined && !isApplied) {
      const { generation = 0 } = known.pod.metadata;
      known.resize = { ...known.resize, inProgress: this.#condition("", "", generation) };
    }
    return known.resize;
  }

  /** Notes that the accepted sizes could not be applied. */
  failed(uid: string, message: string): void {
    const known = this.#allocations.get(uid);
    const inProgress = known?.resize.inProgress;
    if (known === undefined || inProgress === undefined) return;
    if (inProgress.reason === "Error" && inProgress.message === message) return;
    known.resize = { ...known.resize, inProgress: { ...inProgress, reason: "Error", message } };
    const text = resizeText("Pod resize error", known.accepted, inProgress.generation, message);
    this.#options.events.event(known.pod, "Warning", "ResizeError", text);
  }

  /** Forgets a Pod that holds nothing on the node any more. */
  release(uid: string): void {
    this.#saved.delete(uid);
    if (this.#allocations.delete(uid)) void this.#save().catch(() => {}); // The next save repeats it.
  }

  /** Resolves when the accepted sizes are on disk, so that what is applied survives a restart. */
  async saved(): Promise<void> {
    await this.#save();
  }

  #restore(pod: Pod, isRunning: boolean): Allocation | undefined {
    const { uid = "" } = pod.metadata;
    const saved = this.#saved.get(uid);
    if (saved === undefined && !isRunning) return undefined;
    this.#saved.delete(uid);
    const resize: ResizeState = { ...conditionsOf(pod), actuated: saved?.actuated ?? new Map() };
    const accepted = saved === undefined ? pod : { ...pod, spec: withSizes(pod.spec, saved.allocated) };
    const restored = { pod, accepted, resize };
    this.#allocations.set(uid, restored);
    if (!haveSameSizes(pod.spec, accepted.spec)) this.#resize(restored);
    return restored;
  }

  #admit(pod: Pod): Verdict {
    const facts = this.#options.facts();
    if (facts === undefined) return undefined;
    const refused = this.#refusal(pod, facts);
    if (refused !== undefined) return { refused };
    this.#allocations.set(pod.metadata.uid ?? "", { pod, accepted: pod, resize: noResize });
    void this.#save().catch((error: unknown) =>
      this.#options.env.log.warn("Cannot save the allocations", { error: String(error) }),
    );
    return { admitted: pod, resize: noResize };
  }

  #refusal(pod: Pod, facts: NodeFacts): Refusal | undefined {
    const never = neverFits(pod, facts);
    if (never !== undefined) return never;
    const others = this.#others(pod);
    const found = misfits(pod, others, facts);
    const [first] = found;
    if (first === undefined || !isCritical(pod)) return first && refusalOf(first);
    const rule = found.find(({ type }) => type === "rule");
    if (rule !== undefined) return refusalOf(rule);
    const needs = new Map(
      found.flatMap((one) =>
        one.type === "resource" ? [[one.name, one.requested - (one.capacity - one.used)] as const] : [],
      ),
    );
    const victims = podsToPreempt(pod, others, needs);
    if (victims === undefined) {
      const missing = [...needs].map(([name, amount]) => `(res: ${name}, q: ${amount}), `).join("");
      const why = `preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [${missing}]`;
      return {
        reason: "UnexpectedAdmissionError",
        message: `Unexpected error while attempting to recover from admission failure: ${why}`,
      };
    }
    for (const victim of victims) this.#options.preempt(victim);
    return undefined;
  }

  /** Accepts new sizes if they fit. Returns true if they were accepted. */
  #resize(known: Allocation): boolean {
    const { pod, accepted } = known;
    const facts = this.#options.facts();
    if (facts === undefined) return false;
    const { generation = 0 } = pod.metadata;
    const [misfit] = misfits(pod, this.#others(pod), facts);
    if (misfit !== undefined) {
      this.#defer(known, refusalOf(misfit).message, generation);
      return false;
    }
    const actuated = new Map(known.resize.actuated);
    for (const [name, size] of [
      [wholePod, accepted.spec.resources] as const,
      ...sizesOf(accepted.spec).containers,
    ]) {
      const wanted = sizeOf(pod.spec, name);
      const present = actuated.get(name) ?? size ?? {};
      if (deepEqual(present, wanted ?? {})) actuated.delete(name);
      else actuated.set(name, present);
    }
    known.accepted = pod;
    known.resize = { actuated, inProgress: this.#condition("", "", generation) };
    const text = resizeText("Pod resize started", pod, generation);
    this.#options.events.event(pod, "Normal", "ResizeStarted", text);
    return true;
  }

  #defer(known: Allocation, message: string, generation: number): void {
    const { pending } = known.resize;
    const isNew = pending?.reason !== "Deferred" || pending.generation !== generation;
    if (!isNew && pending.message === message) return;
    const since = pending?.since ?? this.#options.env.clock.now();
    known.resize = { ...known.resize, pending: { reason: "Deferred", message, generation, since } };
    if (!isNew) return;
    const text = resizeText("Pod resize Deferred", known.pod, generation, message);
    this.#options.events.event(known.pod, "Warning", "ResizeDeferred", text);
  }

  /** Gives the changed Pod the sizes that were accepted before. */
  #follow(known: Allocation): void {
    const { spec } = known.accepted;
    if (haveSameSizes(known.pod.spec, spec)) {
      known.accepted = known.pod;
      return;
    }
    const sizes = sizesOf(spec);
    known.accepted = { ...known.pod, spec: withSizes(known.pod.spec, sizes) };
  }

  #condition(reason: string, message: string, generation: number): ResizeCondition {
    return { reason, message, generation, since: this.#options.env.clock.now() };
  }

  /** The Pods that hold resources, with the sizes that they have. */
  #others(pod: Pod): readonly Pod[] {
    const others: Pod[] = [];
    for (const [uid, { accepted }] of this.#allocations) {
      const { phase } = accepted.status;
      if (uid !== pod.metadata.uid && phase !== "Succeeded" && phase !== "Failed") others.push(accepted);
    }
    return others;
  }

  async #save(): Promise<void> {
    await this.#checkpoint?.save(() => {
      const all = new Map(this.#saved);
      for (const [uid, { accepted, resize }] of this.#allocations)
        all.set(uid, { allocated: sizesOf(accepted.spec), actuated: resize.actuated });
      return all;
    });
  }
}

/** Upstream's order: Pods that shrink, then by priority, Guaranteed first, then by the time since which they wait. */
function inOrder(a: Allocation, b: Allocation): number {
  return (
    Number(grows(a)) - Number(grows(b)) ||
    (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0) ||
    Number(qosClass(b.pod.spec) === "Guaranteed") - Number(qosClass(a.pod.spec) === "Guaranteed") ||
    (a.resize.pending?.since ?? 0) - (b.resize.pending?.since ?? 0)
  );
}

function grows({ pod, accepted }: Allocation): boolean {
  const [wanted, present] = [requestOf(pod), requestOf(accepted)];
  return ["cpu", "memory"].some((name) => (wanted.get(name) ?? 0) > (present.get(name) ?? 0));
}

/** Reads the conditions that an earlier process has reported. */
function conditionsOf({ status }: Pod): Omit<ResizeState, "actuated"> {
  const read = (type: string): ResizeCondition | undefined => {
    const found = status.conditions?.find((one) => one.type === type);
    if (found === undefined) return undefined;
    const { reason = "", message = "", observedGeneration = 0, lastTransitionTime = "" } = found;
    return { reason, message, generation: observedGeneration, since: Date.parse(lastTransitionTime) || 0 };
  };
  return { pending: read("PodResizePending"), inProgress: read("PodResizeInProgress") };
}
