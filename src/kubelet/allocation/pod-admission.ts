import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { hasReason } from "../../meta/status.ts";
import { every, formatTime } from "../../util/clock.ts";
import type { NodeContext } from "../node-context.ts";
import type { Allocations, Verdict } from "./allocations.ts";
import type { Refusal } from "./filter.ts";

/** Milliseconds between two decisions about resizes that wait (upstream `retryDelay`). */
const retryMs = 180_000;
/** Milliseconds after which a Pod is looked at again while the node is not registered. */
const unregisteredMs = 200;

export interface PodAdmissionOptions {
  readonly node: NodeContext;
  readonly allocations: Allocations;
  /** Reads the Node again. */
  readonly readNode: () => Promise<void>;
  /** Returns the reason for which no Pod like this one is accepted now. */
  readonly refuse: (pod: Pod) => Refusal | undefined;
  /** Requests a sync of a Pod whose sizes have changed. */
  readonly again: (uid: string) => void;
}

/** Decides which Pods run on this node, and reports those that do not. */
export class PodAdmission {
  readonly #options: PodAdmissionOptions;
  readonly #refused = new Map<string, Refusal>();

  constructor(options: PodAdmissionOptions) {
    this.#options = options;
  }

  /**
   * Returns the Pod with the sizes that it has on this node; the milliseconds until the next try; or undefined for a refused
   * Pod. `isPresent` says that the runtime has something of the Pod.
   */
  async admit(pod: Pod, isPresent: boolean): Promise<Pod | number | undefined> {
    const { uid = "", deletionTimestamp } = pod.metadata;
    const { phase, startTime } = pod.status;
    const known = this.#refused.get(uid);
    if (known !== undefined && phase !== "Failed") {
      await this.#report(pod, known);
      return undefined;
    }
    const { allocations, readNode, refuse, node } = this.#options;
    const isOver = deletionTimestamp !== undefined || phase === "Succeeded" || phase === "Failed";
    if (isOver) return allocations.acceptedOf(pod);
    const isRunning = isPresent || startTime !== undefined;
    // Not by the status, which others may write: a Pod with nothing on the node has not been accepted for sure.
    const refused = isPresent || allocations.has(uid) ? undefined : refuse(pod);
    let verdict: Verdict = refused === undefined ? allocations.decide(pod, isRunning) : { refused };
    if (verdict !== undefined && "refused" in verdict && verdict.refused.reason === "NodeAffinity") {
      // The labels may have changed since the last report.
      await readNode();
      verdict = allocations.decide(pod, isRunning);
    }
    if (verdict === undefined) return unregisteredMs;
    if ("admitted" in verdict) return verdict.admitted;
    const { reason, message } = verdict.refused;
    this.#refused.set(uid, verdict.refused);
    node.events.event(pod, "Warning", reason, message);
    await this.#report(pod, verdict.refused);
    return undefined;
  }

  /** Frees the sizes of a Pod, and accepts the resizes that waited for them. */
  release(uid: string): void {
    this.#refused.delete(uid);
    this.#options.allocations.release(uid);
    this.retry();
  }

  /** Decides again about the resizes that wait. */
  retry(): void {
    if (!this.#options.allocations.hasPending()) return;
    for (const uid of this.#options.allocations.retry()) this.#options.again(uid);
  }

  async run(signal: AbortSignal): Promise<void> {
    await every(this.#options.node.env.clock, retryMs, signal, () => this.retry());
  }

  /** Writes the status of a refused Pod (kubelet `rejectPod`). */
  async #report(pod: Pod, { reason, message }: Refusal): Promise<void> {
    const { client, env } = this.#options.node;
    const { generation, namespace } = pod.metadata;
    const status: Pod["status"] = {
      ...pod.status,
      ...(generation !== undefined && { observedGeneration: generation }),
      phase: "Failed",
      reason,
      message: `Pod was rejected: ${message}`,
      startTime: pod.status.startTime ?? formatTime(env.clock.now()),
    };
    try {
      await client.of(pods, namespace).updateStatus({ ...pod, status });
    } catch (error) {
      // A conflict: the newer Pod causes another sync.
      if (!hasReason(error, "Conflict", "NotFound")) throw error;
    }
  }
}
