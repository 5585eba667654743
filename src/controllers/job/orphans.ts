import { isFinished } from "../../api/batch/job/conditions.ts";
import { type Job, jobs } from "../../api/batch/job/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { byOwner, keyOf } from "../../client/indexer.ts";
import { hasReason } from "../../meta/status.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { controllerRefOf } from "../ownership/controller-ref.ts";
import { identity } from "./controller.ts";
import { release } from "./pod-actions.ts";
import { externalManager, isTracked } from "./pods.ts";

/** Removes the tracking finalizer of Pods that no unfinished Job will count (upstream `syncOrphanPod`). */
export function orphanedPodController(): Controller {
  return controller({
    ...identity,
    for: pods,
    filter: ({ object }) => isTracked(object),
    watches: [
      {
        kind: jobs,
        filter: ({ type, object }) => type === "deleted" || isFinished(object.status),
        map: ({ metadata: { uid = "" } }, cache) => cache.list(pods, { index: byOwner(uid) }).map(keyOf),
      },
    ],
    async reconcile(request) {
      const pod = request.cache.get(pods, request.namespace, request.name);
      if (pod === undefined || !isTracked(pod)) return {};
      if (await isOrphaned(pod, request)) await release(pod, request.client);
      return {};
    },
  });
}

async function isOrphaned(pod: Pod, { cache, client, namespace }: Reconcile): Promise<boolean> {
  const owner = controllerRefOf(pod);
  if (owner === undefined) return true;
  if (owner.kind !== jobs.kind || owner.apiVersion !== jobs.apiVersion) return false;
  const cached = cache.get(jobs, namespace, owner.name);
  if (cached?.metadata.uid === owner.uid) return countsNoMore(cached);
  if (pod.metadata.deletionTimestamp !== undefined) return true;
  // The cache may not show a new Job yet.
  try {
    const job = await client.of(jobs, namespace).get(owner.name);
    return job.metadata.uid !== owner.uid || countsNoMore(job);
  } catch (error) {
    if (hasReason(error, "NotFound")) return true;
    throw error;
  }
}

const countsNoMore = (job: Job) => externalManager(job) === undefined && isFinished(job.status);
