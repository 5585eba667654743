import { type Pod, pods } from "../api/core/pod/schema.ts";
import type { Client } from "../client/client.ts";
import { findCondition } from "../meta/conditions.ts";
import { hasReason } from "../meta/status.ts";
import { formatTime } from "../util/clock.ts";
import type { Env } from "../util/env.ts";
import { errorText } from "../util/error-text.ts";
import { type AttemptResult, type PendingPods, SchedulerMetrics } from "./metrics.ts";
import type { Profiles } from "./profiles.ts";

export interface ReportsOptions {
  readonly env: Env;
  readonly client: Client;
  readonly profiles: Profiles;
  /** Counts the Pods that wait, for the metrics. */
  readonly pending: () => PendingPods;
}

/** Reports the outcomes of attempts: in metrics, in Events, in the status of Pods and in the log. */
export class Reports {
  readonly #env: Env;
  readonly #client: Client;
  readonly #profiles: Profiles;
  readonly #metrics: SchedulerMetrics | undefined;

  constructor({ env, client, profiles, pending }: ReportsOptions) {
    this.#env = env;
    this.#client = client;
    this.#profiles = profiles;
    this.#metrics = env.metrics && new SchedulerMetrics(env.metrics, pending);
  }

  /** Counts an attempt that began at this time, on the monotonic clock. */
  count({ spec }: Pod, result: AttemptResult, began: number): void {
    this.#metrics?.attempted(spec.schedulerName ?? "", result, this.#env.clock.monotonic() - began);
  }

  bound(pod: Pod, node: string, began: number): void {
    this.count(pod, "scheduled", began);
    const { name, namespace } = pod.metadata;
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    this.#profiles.of(pod).events.event(pod, "Normal", "Scheduled", message);
  }

  extenderFailed(pod: Pod, error: unknown, began: number): void {
    this.count(pod, "error", began);
    this.#env.log.warn("an extender failed", { pod: pod.metadata.name, error: String(error) });
    this.#profiles.of(pod).events.event(pod, "Warning", "FailedScheduling", errorText(error));
  }

  /** Logs a binding that will be tried again. */
  bindingFailed({ metadata }: Pod, node: string, error: unknown): void {
    const pod = `${metadata.namespace}/${metadata.name}`;
    this.#env.log.warn("a binding failed", { pod, node, error: String(error) });
  }

  /** Writes why no node is feasible, and the node where room is made; "" for none. */
  async unschedulable(pod: Pod, message: string, nominatedNodeName: string): Promise<void> {
    const { status } = pod;
    this.#profiles.of(pod).events.event(pod, "Warning", "FailedScheduling", message);
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
    await this.#patchStatus(pod, { status: { ...nomination, conditions: [condition] } });
  }

  /** Writes that no room is made for the Pod any more. */
  async nominationCleared(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    await this.#patchStatus(pod, { metadata: { uid }, status: { nominatedNodeName: "" } });
  }

  async #patchStatus({ metadata }: Pod, change: object): Promise<void> {
    const { name = "", namespace } = metadata;
    try {
      await this.#client
        .of(pods, namespace)
        .patch(name, change, { type: "strategic", subresource: "status" });
    } catch (error) {
      if (hasReason(error, "NotFound", "Conflict")) return;
      this.#env.log.warn("a Pod's status was not written", { pod: name, error: String(error) });
    }
  }
}
