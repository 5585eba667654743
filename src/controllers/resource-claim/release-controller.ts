import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { deleteProtection } from "../../api/resource/resource-claim/of-pod.ts";
import { type ResourceClaim, resourceClaims } from "../../api/resource/resource-claim/schema.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { hasReason } from "../../meta/status.ts";
import { LruMap } from "../../util/lru.ts";
import { withoutFinalizer } from "../finalizers.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { claimKeysOf, identity } from "./controller.ts";
import { type Consumers, isDone, release, type ReleaseStep, unseenConsumers } from "./release.ts";

/** The deleted Pods that are remembered, so that the API server need not be asked about them (upstream's number). */
const rememberedPods = 500;

/** Frees claims of Pods that have ended, and deletes claims that were made for them (upstream `resourceclaim`). */
export function claimReleaseController(): Controller {
  const deleted = new LruMap<string, true>(rememberedPods);
  return controller({
    ...identity,
    for: resourceClaims,
    watches: [
      {
        kind: pods,
        observe: ({ type, object }) => {
          if (type === "deleted" && claimKeysOf(object).length > 0)
            deleted.set(object.metadata.uid ?? "", true);
        },
        map: claimKeysOf,
        filter: ({ type, object }) => type === "deleted" || isDone(object),
      },
    ],
    workers: 10,
    async reconcile(request) {
      const { namespace, name, cache } = request;
      const claim = cache.get(resourceClaims, namespace, name);
      if (claim === undefined) return;
      const pod = (one: string) => cache.get(pods, namespace, one);
      const gone = new Set<string>();
      const consumers: Consumers = {
        pod,
        isGone: (uid: string) => gone.has(uid) || deleted.get(uid) === true,
      };
      for (const one of unseenConsumers(claim, consumers)) {
        const found = await findPod(one.name, request);
        if (found?.metadata.uid !== one.uid) gone.add(one.uid);
      }
      await carryOut(release(claim, consumers), claim, request);
    },
  });
}

async function findPod(name: string, { client, namespace }: Reconcile): Promise<Pod | undefined> {
  try {
    return await client.of(pods, namespace).get(name);
  } catch (error) {
    if (hasReason(error, "NotFound")) return undefined;
    throw error;
  }
}

/** Each update is of the revision that the one before returned: a concurrent change is a conflict. */
async function carryOut(
  steps: readonly ReleaseStep[],
  observed: ResourceClaim,
  { client, namespace, name }: Reconcile,
): Promise<void> {
  const claims = client.of(resourceClaims, namespace);
  let claim = observed;
  for (const step of steps) {
    if (step.type === "update-status") {
      claim = await claims.updateStatus({ ...claim, status: step.status });
    } else if (step.type === "remove-finalizer") {
      claim = await claims.update(withoutFinalizer(claim, deleteProtection));
    } else {
      const { uid } = claim.metadata;
      await ignoreGone(claims.delete(name, uid === undefined ? {} : { preconditions: { uid } }), "Conflict");
    }
  }
}
