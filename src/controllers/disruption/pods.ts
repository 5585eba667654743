import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { PodCondition, PodStatus } from "../../api/core/pod/status.ts";
import { podDisruptionBudgets } from "../../api/policy/pod-disruption-budget/schema.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { formatTime } from "../../util/clock.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { isTerminal, podCondition } from "../pods/pod-state.ts";
import { budgetsOf, identity } from "./controller.ts";

/** A Pod that was to be disrupted and is not deleted after so long is left alone (upstream `stalePodDisruptionTimeout`). */
export const staleTargetMs = 120_000;

/** Takes back what was said of Pods that were to be disrupted, and tells of Pods with too many budgets. */
export function disruptedPodController(): Controller {
  return controller({
    ...identity,
    for: pods,
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
 * In how many ms a Pod's `DisruptionTarget` is stale; undefined when it never is. What a kubelet said holds however
 * long the Pod takes to end.
 */
export function untilStaleMs(pod: Pod, now: number): number | undefined {
  const target = podCondition(pod, "DisruptionTarget");
  if (target?.status !== "True" || target.reason === "TerminationByKubelet") return undefined;
  if (pod.metadata.deletionTimestamp !== undefined || isTerminal(pod)) return undefined;
  const since = Date.parse(target.lastTransitionTime ?? "") || 0;
  return Math.max(0, since + staleTargetMs - now);
}

/** The status without the Pod being a target. */
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
