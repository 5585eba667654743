import type { Job } from "../../api/batch/job/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { hasReason } from "../../meta/status.ts";
import type { Cache } from "../../operator/cache.ts";
import type { Reconcile } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { isNamespaceEnding, PodControl } from "../pods/pod-control.ts";
import { slowStart } from "../pods/slow-start.ts";
import type { PodAction } from "./plan.ts";
import type { PodExpectations } from "./pod-expectations.ts";
import { jobPod, type NewPod } from "./pod-template.ts";
import { isTracked, trackingFinalizer } from "./pods.ts";

/** The result of an action on Pods. */
export interface PodResult {
  readonly created: number;
  readonly deleted: readonly Pod[];
  /** The first error. */
  readonly error: unknown;
}

export async function actOnPods(
  action: PodAction,
  job: Job,
  expectations: PodExpectations,
  isGone: () => boolean,
  request: Reconcile,
): Promise<PodResult> {
  switch (action.type) {
    case "create":
      return create(action.pods, job, expectations, isGone, request);
    case "delete":
    case "end":
      return remove(action, job, expectations, request);
    case "none":
    case "wait":
      return { created: 0, deleted: [], error: undefined };
  }
}

async function create(
  planned: readonly NewPod[],
  job: Job,
  expectations: PodExpectations,
  isGone: () => boolean,
  { client, events, signal }: Reconcile,
): Promise<PodResult> {
  const { uid = "" } = job.metadata;
  const control = new PodControl(client, events, job);
  const next = planned.values();
  expectations.expectCreations(uid, planned.length);
  const { succeeded, error } = await slowStart(
    planned.length,
    () => control.create(jobPod(job, next.next().value ?? {})),
    () => signal.aborted || isGone(),
  );
  expectations.creationsFailed(uid, planned.length - succeeded);
  return { created: succeeded, deleted: [], error: isNamespaceEnding(error) ? undefined : error };
}

async function remove(
  { type, pods: chosen }: Extract<PodAction, { type: "delete" | "end" }>,
  job: Job,
  expectations: PodExpectations,
  { cache, client, events }: Reconcile,
): Promise<PodResult> {
  const { uid = "" } = job.metadata;
  const control = new PodControl(client, events, job);
  const deleted: Pod[] = [];
  expectations.expectDeletions(uid, chosen);
  const results = await Promise.allSettled(
    chosen.map(async (pod) => {
      try {
        if (type === "delete") await release(pod, client);
        await control.delete(pod);
      } catch (error) {
        expectations.deletionFailed(uid, pod);
        if (!hasReason(error, "NotFound")) throw error;
      }
      deleted.push(pod);
      expectations.observeCurrent(uid, pod, currentOf(pod, cache));
    }),
  );
  return { created: 0, deleted, error: firstError(results) };
}

/** Removes the tracking finalizer. */
export async function release(pod: Pod, client: Reconcile["client"]): Promise<void> {
  if (!isTracked(pod)) return;
  const { name = "", namespace } = pod.metadata;
  const metadata = { "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] };
  await ignoreGone(client.of(pods, namespace).patch(name, { metadata }, { type: "strategic" }));
}

/** The Pods that were released, and the first error. */
export interface Released {
  readonly released: readonly Pod[];
  readonly error: unknown;
}

/** Removes the tracking finalizer of counted Pods. */
export async function releaseCounted(
  counted: readonly Pod[],
  job: Job,
  expectations: PodExpectations,
  { cache, client }: Reconcile,
): Promise<Released> {
  const { uid = "" } = job.metadata;
  const released: Pod[] = [];
  expectations.expectReleases(uid, counted);
  const results = await Promise.allSettled(
    counted.map(async (pod) => {
      try {
        await release(pod, client);
        released.push(pod);
        expectations.observeCurrent(uid, pod, currentOf(pod, cache));
      } catch (error) {
        expectations.releaseFailed(uid, pod);
        throw error;
      }
    }),
  );
  return { released, error: firstError(results) };
}

const currentOf = ({ metadata: { namespace, name = "" } }: Pod, cache: Cache) =>
  cache.get(pods, namespace, name);

function firstError(results: readonly PromiseSettledResult<unknown>[]): unknown {
  return results.find((one) => one.status === "rejected")?.reason;
}
