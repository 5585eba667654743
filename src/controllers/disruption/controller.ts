import { type Pod, pods } from "../../api/core/pod/schema.ts";
import {
  type PodDisruptionBudget,
  podDisruptionBudgets,
  type PodDisruptionBudgetStatus,
} from "../../api/policy/pod-disruption-budget/schema.ts";
import { keyOf } from "../../client/indexer.ts";
import { selectorOf } from "../../meta/labels.ts";
import { hasReason } from "../../meta/status.ts";
import type { Cache } from "../../operator/cache.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { ExpectedPodsReader, scaledKinds } from "./expected-pods.ts";
import { countsByScale, failedStatus, planBudget } from "./plan.ts";
import { errorText } from "../../util/error-text.ts";

export const identity = { name: "disruption-controller", eventSource: "controllermanager" } as const;

/**
 * Computes the number of disruptions that each PodDisruptionBudget allows (upstream
 * `disruption/disruption.go`).
 */
export function disruptionController(): Controller {
  const reader = new ExpectedPodsReader();
  return controller({
    ...identity,
    for: podDisruptionBudgets,
    watches: [{ kind: pods, map: (pod, cache) => budgetsOf(pod, cache).map(keyOf) }],
    reads: scaledKinds,
    async reconcile(request) {
      const { namespace, name, cache, env } = request;
      const budget = cache.get(podDisruptionBudgets, namespace, name);
      if (budget === undefined) return {};
      try {
        return { requeueAfterMs: await sync(budget, reader, request) };
      } catch (error) {
        if (hasReason(error, "Conflict")) throw error;
        env.log.warn("Cannot compute a PodDisruptionBudget: it allows no disruption", { error });
        await write(budget, failedStatus(budget, errorText(error), env.clock.now()), request);
        return {};
      }
    },
  });
}

export function budgetsOf(
  { metadata: { namespace, labels } }: Pod,
  cache: Cache,
): readonly PodDisruptionBudget[] {
  return cache
    .list(podDisruptionBudgets, { namespace })
    .filter(({ spec }) => selectorOf(spec.selector).matches(labels));
}

/** Returns the milliseconds until the next reconciliation. */
async function sync(
  budget: PodDisruptionBudget,
  reader: ExpectedPodsReader,
  request: Reconcile,
): Promise<number | undefined> {
  const { events, env } = request;
  const { namespace, name } = budget.metadata;
  const selected = request.cache.list(pods, { namespace, selector: selectorOf(budget.spec.selector) });
  if (selected.length === 0) events.event(budget, "Normal", "NoPods", "No matching pods found");
  const expected = countsByScale(budget)
    ? await expectedPods(budget, selected, reader, request)
    : selected.length;
  const plan = planBudget({ budget, pods: selected, expected, now: env.clock.now() });
  for (const pod of plan.notDeleted) {
    const text = `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`;
    events.event(pod, "Warning", "NotDeleted", text);
  }
  await write(budget, plan.status, request);
  return plan.checkAfterMs;
}

async function expectedPods(
  budget: PodDisruptionBudget,
  selected: readonly Pod[],
  reader: ExpectedPodsReader,
  request: Reconcile,
): Promise<number> {
  const tell = (reason: string, text: string) => request.events.event(budget, "Warning", reason, text);
  try {
    const { expected, someUnmanaged } = await reader.read(selected, request);
    if (someUnmanaged) {
      const selector = selectorOf(budget.spec.selector).toString();
      const what = `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged.`;
      const effect =
        "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior.";
      const remedy =
        'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';
      tell("UnmanagedPods", `${what} ${effect} ${remedy}`);
    }
    return expected;
  } catch (error) {
    const text = `Failed to calculate the number of expected pods: ${errorText(error)}`;
    tell("CalculateExpectedPodCountFailed", text);
    throw error;
  }
}

async function write(
  budget: PodDisruptionBudget,
  status: PodDisruptionBudgetStatus | undefined,
  { client }: Reconcile,
): Promise<void> {
  if (status === undefined) return;
  await ignoreGone(client.of(podDisruptionBudgets).updateStatus({ ...budget, status }));
}
