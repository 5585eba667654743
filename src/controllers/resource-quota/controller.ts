import type { Amounts } from "../../api/core/pod/resources.ts";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { countedKinds, evaluatorOf } from "../../api/core/resource-quota/evaluators.ts";
import { type ResourceQuota, resourceQuotas } from "../../api/core/resource-quota/schema.ts";
import { services } from "../../api/core/service/schema.ts";
import { resourceClaims } from "../../api/resource/resource-claim/schema.ts";
import { keyOf } from "../../client/indexer.ts";
import type { Kind, KubeObject } from "../../meta/kind.ts";
import type { Cache } from "../../operator/cache.ts";
import { controller, type Controller, type Reconcile, type Watch } from "../../operator/controller.ts";
import { type Clock, every } from "../../util/clock.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { yieldToSockets } from "../../util/yield.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { CountedObjects, rediscoverMs } from "./counted-objects.ts";
import { addUsage, countUsage, lowersUsage, planStatus, zeroUsage } from "./plan.ts";

/** The interval at which every quota is recounted. */
const resyncMs = 5 * 60_000;
/**
 * The time after which a lowered usage is checked: the caches may have lacked an object whose usage admission had
 * reserved.
 */
const checkMs = 1_000;
/** The number of objects, or of resources, that are processed before sockets get a turn. */
const sliceSize = 500;

/** The kinds whose objects count by their contents. */
const measuredKinds = [pods, services, persistentVolumeClaims, resourceClaims] as const;

/** Counts the usage of ResourceQuotas (upstream `resourcequota/resource_quota_controller.go`). */
export function resourceQuotaController(clock: Clock): Controller {
  const counted = new CountedObjects();
  const made = controller({
    name: "resourcequota-controller",
    for: resourceQuotas,
    watches: measuredKinds.map((kind) => replenishing(kind, clock)),
    workers: 5,
    async run({ cache, queue, env, signal }) {
      counted.attach(queue);
      await every(env.clock, resyncMs, signal, () => {
        for (const quota of cache.list(resourceQuotas)) queue.add(keyOf(quota));
      });
      await counted.ended();
    },
    async reconcile(request) {
      const { key, namespace, name, cache, client } = request;
      const quota = cache.get(resourceQuotas, namespace, name);
      const resources = Object.keys(quota?.spec.hard ?? {});
      if (resources.length > sliceSize) await yieldToSockets();
      const kinds = countedKinds(resources);
      await counted.follow(key, kinds, request);
      if (quota === undefined) return {};
      const usage = await measuredUsage(quota, request);
      const counts = await Promise.all(
        kinds.map(async (kind) => [kind, await counted.count(kind, namespace, request)] as const),
      );
      for (const [kind, count] of counts) {
        const evaluator = evaluatorOf(kind);
        if (count === undefined || evaluator === undefined) continue;
        for (const [resource, amount] of countUsage(quota, evaluator, count)) usage.set(resource, amount);
      }
      const status = planStatus(quota, usage);
      if (status !== undefined) {
        await ignoreGone(client.of(resourceQuotas).updateStatus({ ...quota, status }));
        if (lowersUsage(quota, status)) return { requeueAfterMs: checkMs };
      }
      const isMissing = counts.some(([, count]) => count === undefined);
      return isMissing ? { requeueAfterMs: rediscoverMs } : {};
    },
  });
  return { ...made, sources: made.sources.map(ignoreUsage) };
}

/** Admission writes the status at each create: only a change of the spec needs a recount. */
function ignoreUsage(source: Watch<Kind>): Watch<Kind> {
  if (source.kind !== resourceQuotas) return source;
  // Safe: the watch is of quotas.
  const specOf = (object: KubeObject) => (object as ResourceQuota).spec;
  return {
    ...source,
    filter: (delta) => delta.type !== "updated" || !deepEqual(specOf(delta.old), specOf(delta.object)),
  };
}

/** Queues the quotas that an object used when it is deleted, or updated without admission. */
function replenishing(kind: Kind, clock: Clock): Watch<Kind> {
  const evaluator = evaluatorOf(kind);
  return {
    kind,
    map: ({ metadata: { namespace } }, cache) => quotasUsing(kind, namespace, cache).map(keyOf),
    filter: (delta) =>
      delta.type === "deleted" ||
      (delta.type === "updated" && evaluator?.replenishes(delta.object, delta.old, clock.now()) === true),
  };
}

function quotasUsing(kind: Kind, namespace: string | undefined, cache: Cache): readonly ResourceQuota[] {
  const evaluator = evaluatorOf(kind);
  return cache
    .list(resourceQuotas, { namespace })
    .filter(({ spec }) => Object.keys(spec.hard ?? {}).some((name) => evaluator?.uses(name) === true));
}

/** Returns the usage by the objects that the cache holds. */
async function measuredUsage(quota: ResourceQuota, { cache, namespace, env }: Reconcile): Promise<Amounts> {
  const total: Amounts = new Map();
  for (const kind of measuredKinds) {
    const evaluator = evaluatorOf(kind);
    if (evaluator === undefined) continue;
    const usage = zeroUsage(quota, evaluator);
    if (usage.size === 0) continue;
    const objects: readonly KubeObject[] = cache.list<Kind>(kind, { namespace });
    for (let from = 0; from < objects.length; from += sliceSize) {
      if (from > 0) await yieldToSockets();
      addUsage(usage, quota, evaluator, objects.slice(from, from + sliceSize), env.clock.now());
    }
    for (const [name, amount] of usage) total.set(name, amount);
  }
  return total;
}
