import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../api/core/persistent-volume-claim/schema.ts";
import { claimProtection } from "../../api/core/persistent-volume/protection.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { Client } from "../../client/client.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { withFinalizer, withoutFinalizer } from "../finalizers.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { claimKeys, podsOfClaim } from "../pods/pods-of-claim.ts";
import { mayRelease, stepFor, uses } from "./plan.ts";

/** Keeps deleted claims while Pods use them (upstream `volume/pvcprotection`). */
export function claimProtectionController(): Controller {
  const live = new LivePods();
  return controller({
    name: "pvc-protection-controller",
    for: persistentVolumeClaims,
    watches: [{ kind: pods, map: claimKeys, filter: mayRelease }],
    async reconcile(request) {
      const { namespace, name, cache, client } = request;
      const claim = cache.get(persistentVolumeClaims, namespace, name);
      const step = claim === undefined ? "nothing" : stepFor(claim);
      if (claim === undefined || step === "nothing") return;
      if (step === "release" && (await isUsed(claim, live, request))) return;
      const changed =
        step === "protect" ? withFinalizer(claim, claimProtection) : withoutFinalizer(claim, claimProtection);
      await ignoreGone(client.of(persistentVolumeClaims, namespace).update(changed));
    },
  });
}

/** Looks in the cache, then at the server: a Pod that the cache does not show yet may use the claim. */
async function isUsed(
  claim: PersistentVolumeClaim,
  live: LivePods,
  { key, cache, client }: Reconcile,
): Promise<boolean> {
  if (cache.list(pods, { index: podsOfClaim(key) }).some((pod) => uses(pod, claim))) return true;
  const isIn = (some: readonly Pod[]) => some.some((pod) => uses(pod, claim));
  const shared = live.since(claim);
  if (shared !== undefined && !isIn(shared)) return false;
  return isIn(await live.list(claim, client));
}

/**
 * The Pods of one namespace at a revision. The claims that were deleted before it and that no Pod of the list uses share
 * the list, so that many deletions do not list the Pods for each claim.
 */
class LivePods {
  #namespace: string | undefined;
  #revision = 0n;
  #pods: readonly Pod[] = [];

  /** The list if it is younger than this state of the claim. */
  since({
    metadata: { namespace, resourceVersion = "0" },
  }: PersistentVolumeClaim): readonly Pod[] | undefined {
    const isYounger = namespace === this.#namespace && BigInt(resourceVersion) <= this.#revision;
    return isYounger ? this.#pods : undefined;
  }

  async list({ metadata: { namespace } }: PersistentVolumeClaim, client: Client): Promise<readonly Pod[]> {
    const { items, metadata: list } = await client.of(pods, namespace).list();
    this.#namespace = namespace;
    this.#revision = BigInt(list.resourceVersion ?? "0");
    this.#pods = items;
    return items;
  }
}
