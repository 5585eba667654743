import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { PodCondition, PodStatus } from "../../api/core/pod/status.ts";
import { podDisruptionBudgets } from "../../api/policy/pod-disruption-budget/schema.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { formatTime } from "../../util/clock.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { isTerminal, podCondition } from "../pods/pod-state.ts";
import { budgetsOf, identity } from "./controller.ts";

/**
 * A Pod that is not deleted this long after becoming a DisruptionTarget is one no longer (upstream
 * `stalePodDisruptionTimeout`).
 */
export const staleTargetMs = 120_000;

/** Resets stale DisruptionTarget conditions, and records Events on Pods that several budgets select. */
export function disruptedPodController(): Controller {
  return controller({
    ...identity,
    for: pods,
    filter: ({ object }, cache) =>
      podCondition(object, "DisruptionTarget") !== undefined || budgetsOf(object, cache).length > 1,
    reads: [podDisruptionBudgets],
    async reconcile({ namespace, name, cache, client, env, events }) {
      const pod = cache.get(pods, namespace, name);
      if (pod === undefined) return {};
      const [first, ...others] = budgetsOf(pod, cache);
      if (first !== undefined && others.length > 0) {
        const text = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name}" arbitrarily.`;
        events.event(pod, "Warning", "MultiplePodDisruptionBudgets", text);
      }
      const staleInMs = untilStaleMs(pod, env.clock.now());
      if (staleInMs === undefined || staleInMs > 0) return { requeueAfterMs: staleInMs };
      const status = spared(pod, env.clock.now());
      await ignoreGone(client.of(pods).updateStatus({ ...pod, status }));
      return {};
    },
  });
}

/**
 * Milliseconds until a Pod's `DisruptionTarget` is stale; undefined when it never becomes stale. A condition
 * that a kubelet set never does, however long the Pod takes to terminate.
 */
export function untilStaleMs(pod: Pod, now: number): number | undefined {
  const target = podCondition(pod, "DisruptionTarget");
  if (target?.status !== "True" || target.reason === "TerminationByKubelet") return undefined;
  if (pod.metadata.deletionTimestamp !== undefined || isTerminal(pod)) return undefined;
  const since = Date.parse(target.lastTransitionTime ?? "") || 0;
  return Math.max(0, since + staleTargetMs - now);
}

/** Returns the status with `DisruptionTarget` False. */
export function spared({ metadata: { generation }, status }: Pod, now: number): PodStatus {
  const isNone: PodCondition = {
    type: "DisruptionTarget",
    status: "False",
    lastTransitionTime: formatTime(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const conditions = (status.conditions ?? []).map((one) => (one.type === isNone.type ? isNone : one));
  return { ...status, conditions };
}
