import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { PodCondition } from "../../api/core/pod/status.ts";
import { evictions } from "../../api/policy/eviction/schema.ts";
import {
  type PodDisruptionBudget,
  podDisruptionBudgets,
} from "../../api/policy/pod-disruption-budget/schema.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import { invalid, root } from "../../meta/field-error.ts";
import { selectorOf } from "../../meta/labels.ts";
import { errors, failure, hasReason } from "../../meta/status.ts";
import { type Backoff, backoffMs } from "../../util/backoff.ts";
import { formatTime, sleep } from "../../util/clock.ts";
import { mutate, validate } from "../admission/plugin.ts";
import type { Context } from "../context.ts";
import { decodeBody, type RawBody, readBody } from "../rest/body.ts";
import { grantEviction, sparesUnready, stillProcessed } from "./disruption-budget.ts";
import { type DraftObject, draftOfObject } from "../resources/draft.ts";
import { settleNamespace } from "../registry/metadata.ts";
import type { DeleteOptions } from "../registry/remove.ts";
import { dryRun, completeDeleteOptions } from "../rest/options.ts";
import { getPlain } from "../registry/read.ts";
import { checkPreconditions, remove } from "../registry/remove.ts";
import { respondStatus } from "../rest/respond.ts";
import type { Scope } from "../registry/scope.ts";
import type { Target } from "../resources/target.ts";
import { attributesOf, updateOf } from "../registry/write.ts";
import { findCondition, isConditionTrue } from "../../meta/conditions.ts";
import { fieldsOf } from "../../util/is-object.ts";

/** Upstream's `EvictionsRetry`. */
const conflictBackoff: Backoff = { initialMs: 500, factor: 1, maxMs: 500, jitter: 0.1 };
const conflictTries = 20;

/**
 * `pods/eviction`: deletes a Pod if its disruption budget allows (registry `core/pod/storage/eviction.go`).
 */
export async function evict(context: Context, target: Target): Promise<ApiResponse> {
  const options = await readEviction(context, target);
  // Admission has checked the eviction; the resulting writes are the server's own.
  const server: Scope = { ...context, admission: [] };
  const guarded = await evictUnguarded(server, target, options);
  if (guarded !== undefined) await evictGuarded(server, target, guarded, options);
  return respondStatus({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 });
}

/** Reads the options of the Pod's deletion. */
async function readEviction(context: Context, target: Target): Promise<DeleteOptions> {
  const draft = decodeBody(evictions, inPresentVersion(await readBody(context, evictions)), context);
  settleNamespace(draft.metadata, target.resource, target.namespace);
  const isDryRun = dryRun(context);
  const attributes = attributesOf(context, "CREATE", target, draft, undefined, { dryRun: isDryRun });
  await mutate(context, attributes);
  const { metadata, deleteOptions = {} } = draft;
  if (metadata.name !== target.name)
    throw errors.badRequest("name in URL does not match name in Eviction object");
  if (deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    const path = root.child("deleteOptions", "ignoreStoreReadErrorWithClusterBreakingPotential");
    const why = "can not be set for pod eviction, try after removing the option";
    throw errors.invalid(evictions, target.name, [invalid(path, true, why)]);
  }
  await validate(context, attributes);
  return {
    ...completeDeleteOptions(deleteOptions),
    dryRun: isDryRun || (deleteOptions.dryRun ?? []).length > 0,
  };
}

/** Accepts evictions of the previous version, which has the same fields. */
function inPresentVersion(body: RawBody): RawBody {
  const fields = fieldsOf(body.value);
  if (fields["apiVersion"] !== "policy/v1beta1") return body;
  return { ...body, value: { ...fields, apiVersion: evictions.apiVersion } };
}

/**
 * Evicts a Pod without a budget's grant when it is terminated, terminating or pending. Returns any other Pod.
 */
async function evictUnguarded(
  scope: Scope,
  target: Target,
  options: DeleteOptions,
): Promise<Pod | undefined> {
  const { clock, random } = scope.services.env;
  for (let tries = 1; ; tries++) {
    const pod = getPlain(scope, pods, target.namespace, target.name);
    const { phase = "" } = pod.status;
    const isOver = ["Succeeded", "Failed"].includes(phase) || pod.metadata.deletionTimestamp !== undefined;
    if (!isOver && phase !== "Pending") return pod;
    try {
      // A pending Pod may start meanwhile, and then needs a grant.
      await markAndRemove(scope, target, isOver ? options : atRevision(options, pod));
      return undefined;
    } catch (error) {
      const isLast = tries === conflictTries || options.preconditions.resourceVersion !== undefined;
      if (isLast || !hasReason(error, "Conflict")) throw error;
      await sleep(clock, backoffMs(conflictBackoff, tries, random), scope.signal);
    }
  }
}

async function evictGuarded(scope: Scope, target: Target, pod: Pod, options: DeleteOptions): Promise<void> {
  const [budget, ...others] = budgetsFor(pod, scope);
  if (others.length > 0) {
    const why =
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw failure(500, "", why);
  }
  if (budget === undefined) return markAndRemove(scope, target, options);
  if (!isConditionTrue(pod.status.conditions, "Ready") && sparesUnready(budget))
    return evictUnready(scope, target, pod, budget, options);
  await takeGrant(scope, budget, pod, options);
  await markAndRemove(scope, target, options);
}

/** Evicts an unready Pod, with a precondition on its revision: a Pod that has become ready needs a grant. */
async function evictUnready(
  scope: Scope,
  target: Target,
  pod: Pod,
  budget: PodDisruptionBudget,
  options: DeleteOptions,
): Promise<void> {
  try {
    await markAndRemove(scope, target, atRevision(options, pod));
  } catch (error) {
    if (options.preconditions.resourceVersion !== undefined || !hasReason(error, "Conflict")) throw error;
    throw stillProcessed(budget.metadata.name ?? "");
  }
}

function budgetsFor({ metadata }: Pod, { services }: Scope): readonly PodDisruptionBudget[] {
  return services.reader
    .list(podDisruptionBudgets, metadata.namespace ?? "")
    .filter(({ spec }) => selectorOf(spec.selector).matches(metadata.labels));
}

/** Takes one eviction from the budget's status, so that no other request gets the same one. */
async function takeGrant(
  scope: Scope,
  budget: PodDisruptionBudget,
  { metadata }: Pod,
  options: DeleteOptions,
): Promise<void> {
  const { namespace = "", name = "" } = budget.metadata;
  const take = (old: PodDisruptionBudget) => {
    const now = scope.services.env.clock.now();
    return { ...draftOfObject(old), status: grantEviction(old, metadata.name ?? "", now) };
  };
  await updateOf(scope, podDisruptionBudgets, { namespace, name, subresource: "status" }, take, {
    dryRun: options.dryRun,
    fieldManager: "kube-apiserver",
  });
}

function atRevision(options: DeleteOptions, { metadata: { resourceVersion = "" } }: Pod): DeleteOptions {
  return { ...options, preconditions: { resourceVersion, ...options.preconditions } };
}

/** Sets the DisruptionTarget condition, then deletes the Pod. */
async function markAndRemove(scope: Scope, target: Target, options: DeleteOptions): Promise<void> {
  if (options.dryRun) return void (await remove(scope, target, options));
  const marked = await updateOf(
    scope,
    pods,
    target,
    (old) => {
      checkPreconditions(options, old, target);
      return asTarget(old, scope.services.env.clock.now());
    },
    // As upstream: the condition has no owner.
    { dryRun: false, fieldManager: "", ownsFields: true },
  );
  const { resourceVersion = "" } = marked.object.metadata;
  const { preconditions } = options;
  const next = preconditions.resourceVersion === undefined ? {} : { resourceVersion };
  await remove(scope, target, { ...options, preconditions: { ...preconditions, ...next } });
}

function asTarget(pod: Pod, now: number): DraftObject {
  const draft = draftOfObject(pod);
  const { conditions = [] } = draft.status;
  const old = findCondition(conditions, "DisruptionTarget");
  const next: PodCondition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastTransitionTime: old?.status === "True" ? (old.lastTransitionTime ?? "") : formatTime(now),
  };
  draft.status.conditions = [...conditions.filter((one) => one !== old), next];
  return draft;
}
