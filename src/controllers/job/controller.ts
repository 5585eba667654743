import { isFinished } from "../../api/batch/job/conditions.ts";
import { type Job, jobs, type JobStatus } from "../../api/batch/job/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { selectorOf } from "../../meta/labels.ts";
import {
  controller,
  type Controller,
  type Reconcile,
  type ReconcileResult,
} from "../../operator/controller.ts";
import type { Clock } from "../../util/clock.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { claim, planClaims } from "../ownership/claim.ts";
import { isControlledBy } from "../ownership/controller-ref.ts";
import { bySelector, candidates, dependents } from "../ownership/dependents.ts";
import { type Assessment, assess, untilDeadlineMs } from "./assessment.ts";
import { JobRecords } from "./job-records.ts";
import { countAfter, type PodAction, planPods } from "./plan.ts";
import { actOnPods, releaseCounted } from "./pod-actions.ts";
import { externalManager, isTracked, trackingFinalizer } from "./pods.ts";
import { type JobEvent, planEnd, planTracking } from "./tracking.ts";

/** The time after which a Job is reconciled again although the cache does not show expected changes. */
const recheckMs = 5 * 60_000;

export const identity = { name: "job-controller" } as const;

/** Runs the Pods of each Job to completion (upstream `job/job_controller.go`). */
export function jobController(clock: Clock): Controller {
  const records = new JobRecords(clock);
  return controller({
    ...identity,
    for: jobs,
    watches: [
      dependents(pods, bySelector(jobs), (delta) => records.pods.observe(delta)),
      {
        kind: jobs,
        map: () => [],
        observe: ({ type, object }) => {
          if (type === "deleted") records.forget(object);
        },
      },
    ],
    workers: 5,
    async reconcile(request) {
      const job = request.cache.get(jobs, request.namespace, request.name);
      if (job === undefined || externalManager(job) !== undefined) return {};
      if (isFinished(job.status)) {
        records.forget(job);
        return {};
      }
      return records.isSettled(job) ? sync(job, records, request) : { requeueAfterMs: recheckMs };
    },
  });
}

async function sync(job: Job, records: JobRecords, request: Reconcile): Promise<ReconcileResult> {
  const { namespace, name, cache, env } = request;
  const isGone = () => {
    const now = cache.get(jobs, namespace, name)?.metadata;
    return now?.uid !== job.metadata.uid || now?.deletionTimestamp !== undefined;
  };
  const claimed = await claimPods(job, request);
  const assessment = assess({ job, pods: claimed, backoff: records.backoffOf(job), now: env.clock.now() });
  const action = planPods(assessment);
  const { created, deleted, error } = await actOnPods(action, job, records.pods, isGone, request);
  await track({ ...assessment, now: env.clock.now() }, { created, deleted }, records, request);
  if (error !== undefined) throw error;
  return { requeueAfterMs: untilNextMs(assessment, action) };
}

/** Returns the Job's Pods after adoption and release, with the finalizer that adoption adds. */
async function claimPods(job: Job, { cache, client, namespace, name }: Reconcile): Promise<readonly Pod[]> {
  const selector = selectorOf(job.spec.selector);
  const claims = planClaims(job, selector, candidates(pods, job, selector, cache));
  const owned = await claim(claims, {
    owner: job,
    dependents: client.of(pods, namespace),
    refetch: () => client.of(jobs, namespace).get(name),
    finalizers: [trackingFinalizer],
  });
  return owned.map((pod) => (isControlledBy(pod, job) || isTracked(pod) ? pod : withFinalizer(pod)));
}

function withFinalizer(pod: Pod): Pod {
  const { metadata } = pod;
  return {
    ...pod,
    metadata: { ...metadata, finalizers: [...(metadata.finalizers ?? []), trackingFinalizer] },
  };
}

/** Counts Pods: writes them as uncounted, removes their finalizer, then counts them. No Pod counts twice. */
async function track(
  assessment: Assessment,
  { created, deleted }: { readonly created: number; readonly deleted: readonly Pod[] },
  records: JobRecords,
  request: Reconcile,
): Promise<void> {
  const { job } = assessment;
  const tracking = planTracking(assessment, countAfter(assessment, created, deleted));
  const written = await writeStatus(job, tracking.status, tracking.events, records, request);
  if (written !== job) records.setBackoff(job, assessment.backoff);
  const { released, error } = await releaseCounted(tracking.release, job, records.pods, request);
  const tracked = new Set(tracking.tracked);
  for (const { metadata } of released) tracked.delete(metadata.uid ?? "");
  const plan = error === undefined ? tracking : { ...tracking, final: undefined };
  const end = planEnd(assessment, plan, written.status, tracked);
  await writeStatus(written, end.status, end.events, records, request);
  if (error !== undefined) throw error;
}

/** Writes a changed status, then records the events. Returns the Job as written. */
async function writeStatus(
  job: Job,
  status: JobStatus,
  told: readonly JobEvent[],
  records: JobRecords,
  { client, events, namespace }: Reconcile,
): Promise<Job> {
  if (deepEqual(status, job.status)) return job;
  const written = await client.of(jobs, namespace).updateStatus({ ...job, status });
  records.wrote(written);
  for (const { type, reason, message } of told) events.event(job, type, reason, message);
  return written;
}

/** Milliseconds until the back-off or the deadline is over. */
function untilNextMs({ job, startTime, verdict, now }: Assessment, action: PodAction): number | undefined {
  const backoff = action.type === "wait" ? action.ms : Infinity;
  const deadline = verdict === undefined ? (untilDeadlineMs(job, startTime, now) ?? Infinity) : Infinity;
  const next = Math.min(backoff, deadline);
  return next === Infinity ? undefined : next;
}
