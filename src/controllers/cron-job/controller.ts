import { type CronJob, cronJobs, type CronJobStatus } from "../../api/batch/cron-job/schema.ts";
import { type Job, jobs } from "../../api/batch/job/schema.ts";
import type { ObjectReference } from "../../api/core/v1/reference.ts";
import { byOwner } from "../../client/indexer.ts";
import { hasReason } from "../../meta/status.ts";
import {
  controller,
  type Controller,
  type Reconcile,
  type ReconcileResult,
} from "../../operator/controller.ts";
import { formatTime } from "../../util/clock.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { errorText } from "../../util/error-text.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { isControlledBy } from "../ownership/controller-ref.ts";
import { isNamespaceEnding } from "../pods/pod-control.ts";
import {
  type CronJobEvent,
  isActive,
  planActive,
  planHistory,
  planStart,
  type Start,
  unknownJobs,
  withoutActive,
} from "./plan.ts";

/** Creates Jobs on a schedule (upstream `cronjob_controllerv2.go`). */
export function cronJobController(): Controller {
  /** The UIDs of CronJobs whose schedule changed: no Job makes up for the past of a new schedule. */
  const rescheduled = new Set<string>();
  return controller({
    name: "cronjob-controller",
    for: cronJobs,
    owns: [jobs],
    watches: [
      {
        kind: cronJobs,
        map: () => [],
        observe: (delta) => {
          const { uid = "" } = delta.object.metadata;
          if (delta.type === "deleted") rescheduled.delete(uid);
          else if (delta.type === "updated" && scheduleOf(delta.old) !== scheduleOf(delta.object))
            rescheduled.add(uid);
        },
      },
    ],
    workers: 5,
    async reconcile(request) {
      const cronJob = request.cache.get(cronJobs, request.namespace, request.name);
      if (cronJob === undefined) return {};
      const mayStart = !rescheduled.delete(cronJob.metadata.uid ?? "");
      return new Sync(cronJob, request).run(mayStart);
    },
  });
}

const scheduleOf = ({ spec }: CronJob) => JSON.stringify([spec.schedule, spec.timeZone]);

/** One reconciliation. The status changes step by step, and is written once. */
class Sync {
  readonly #request: Reconcile;
  #cronJob: CronJob;
  #status: CronJobStatus;

  constructor(cronJob: CronJob, request: Reconcile) {
    this.#request = request;
    this.#cronJob = cronJob;
    this.#status = cronJob.status;
  }

  async run(mayStart: boolean): Promise<ReconcileResult> {
    const { cache, client, namespace, name } = this.#request;
    const { uid = "" } = this.#cronJob.metadata;
    const owned = cache.list(jobs, { index: byOwner(uid) });
    // The Jobs in the cache may be newer than the CronJob.
    if (unknownJobs(this.#cronJob, owned).length > 0) {
      this.#cronJob = await client.of(cronJobs, namespace).get(name);
      this.#status = this.#cronJob.status;
      if (this.#cronJob.metadata.uid !== uid) return {};
    }
    for (const job of planHistory(this.#cronJob, owned)) await this.#deleteJob(job);
    try {
      return await this.#followAndStart(owned, mayStart);
    } finally {
      if (!deepEqual(this.#status, this.#cronJob.status)) {
        await ignoreGone(client.of(cronJobs, namespace).updateStatus(this.#current()));
      }
    }
  }

  #current(): CronJob {
    return { ...this.#cronJob, status: this.#status };
  }

  async #followAndStart(owned: readonly Job[], mayStart: boolean): Promise<ReconcileResult> {
    for (const { metadata } of unknownJobs(this.#cronJob, owned)) {
      const message = `Saw a job that the controller did not create or forgot: ${metadata.name}`;
      this.#tell({ type: "Warning", reason: "UnexpectedJob", message });
    }
    const { status, events } = planActive(this.#current(), owned);
    this.#status = status;
    events.forEach((event) => this.#tell(event));
    await this.#dropMissing(new Set(owned.map(({ metadata }) => metadata.uid)));
    const plan = planStart(this.#current(), this.#request.env.clock.now());
    if (!mayStart) return { requeueAfterMs: plan.untilNextMs };
    plan.events.forEach((event) => this.#tell(event));
    if (plan.start !== undefined) await this.#start(plan.start);
    return { requeueAfterMs: plan.untilNextMs };
  }

  /** Drops active Jobs that do not exist. Reads them from the API server, because the cache may be stale. */
  async #dropMissing(owned: ReadonlySet<string | undefined>): Promise<void> {
    for (const active of this.#status.active ?? []) {
      if (owned.has(active.uid) || (await this.#find(active)) !== undefined) continue;
      this.#tell({
        type: "Normal",
        reason: "MissingJob",
        message: `Active job went missing: ${active.name}`,
      });
      this.#status = withoutActive(this.#status, new Set([active.uid]));
    }
  }

  async #find({ name = "" }: ObjectReference): Promise<Job | undefined> {
    const { client, namespace } = this.#request;
    try {
      return await client.of(jobs, namespace).get(name);
    } catch (error) {
      if (hasReason(error, "NotFound")) return undefined;
      throw error;
    }
  }

  async #start({ job, scheduledTime, replace }: Start): Promise<void> {
    for (const old of replace) await this.#replace(old);
    const created = await this.#create(job);
    if (created === undefined) return;
    const { apiVersion, kind, metadata } = created;
    const { name = "", namespace = "", uid = "", resourceVersion = "" } = metadata;
    const reference = { apiVersion, kind, name, namespace, uid, resourceVersion };
    this.#status = {
      ...this.#status,
      active: [...(this.#status.active ?? []), reference],
      lastScheduleTime: formatTime(scheduledTime),
    };
  }

  async #replace(old: ObjectReference): Promise<void> {
    const job = await this.#find(old);
    if (job === undefined) {
      this.#status = withoutActive(this.#status, new Set([old.uid]));
    } else if (!(await this.#deleteJob(job))) {
      throw new ReplacementError(`could not replace job ${job.metadata.namespace}/${job.metadata.name}`);
    }
  }

  /** Returns undefined when the Job is not to be added to the active ones. */
  async #create(job: Start["job"]): Promise<Job | undefined> {
    const own = this.#request.client.of(jobs, this.#request.namespace);
    try {
      const created = await own.create(job);
      const message = `Created job ${created.metadata.name}`;
      this.#tell({ type: "Normal", reason: "SuccessfulCreate", message });
      return created;
    } catch (error) {
      if (hasReason(error, "AlreadyExists")) return this.#startedBefore(job);
      if (isNamespaceEnding(error)) return undefined;
      this.#tell({
        type: "Warning",
        reason: "FailedCreate",
        message: `Error creating job: ${errorText(error)}`,
      });
      throw error;
    }
  }

  /** Returns the Job when an earlier reconciliation created it and could not write the status. */
  async #startedBefore({ metadata }: Start["job"]): Promise<Job | undefined> {
    const { client, namespace } = this.#request;
    const job = await client.of(jobs, namespace).get(metadata?.name ?? "");
    const isNew = isControlledBy(job, this.#cronJob) && !isActive(this.#current(), job.metadata.uid);
    return isNew ? job : undefined;
  }

  /** Deletes a Job with its Pods. Resolves to false when the server refuses. */
  async #deleteJob({ metadata: { name = "", uid } }: Job): Promise<boolean> {
    const { client, namespace } = this.#request;
    try {
      await client.of(jobs, namespace).delete(name, { propagationPolicy: "Background" });
    } catch (error) {
      this.#tell({ type: "Warning", reason: "FailedDelete", message: `Deleted job: ${errorText(error)}` });
      return false;
    }
    this.#status = withoutActive(this.#status, new Set([uid]));
    this.#tell({ type: "Normal", reason: "SuccessfulDelete", message: `Deleted job ${name}` });
    return true;
  }

  #tell({ type, reason, message }: CronJobEvent): void {
    this.#request.events.event(this.#cronJob, type, reason, message);
  }
}

/** The server refused to delete a Job that is to be replaced; the next try deletes it. */
class ReplacementError extends Error {
  override readonly name = "ReplacementError";
}
