import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { hasReason } from "../../meta/status.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { errorText } from "../../util/error-text.ts";
import { podsOfClaim } from "../pods/pods-of-claim.ts";
import { plan, type Step } from "./plan.ts";

/** The time after which the cache shows a claim that exists. */
const recheckMs = 1000;

/** Creates the claims of Pods' ephemeral volumes (upstream `volume/ephemeral`). */
export function ephemeralVolumeController(): Controller {
  return controller({
    name: "ephemeral-volume-controller",
    eventSource: "ephemeral_volume",
    for: pods,
    filter: ({ object: { spec } }) => spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true,
    watches: [
      {
        kind: persistentVolumeClaims,
        map: ({ metadata }, cache) =>
          cache
            .list(pods, { index: podsOfClaim(`${metadata.namespace}/${metadata.name}`) })
            .map((pod) => `${pod.metadata.namespace}/${pod.metadata.name}`),
        filter: ({ type }) => type === "deleted",
      },
    ],
    workers: 5,
    async reconcile(request) {
      const { namespace, name, cache } = request;
      const pod = cache.get(pods, namespace, name);
      if (pod === undefined) return {};
      for (const step of plan(pod, (one) => cache.get(persistentVolumeClaims, namespace, one))) {
        const isMade = await carryOut(step, pod, request);
        if (!isMade) return { requeueAfterMs: recheckMs };
      }
      return {};
    },
  });
}

/** Resolves to false when a claim of the name exists that the cache does not show yet. */
async function carryOut(
  step: Step,
  pod: Pod,
  { client, namespace, key, events }: Reconcile,
): Promise<boolean> {
  try {
    if (step.type === "refuse") throw new Error(step.why);
    await client.of(persistentVolumeClaims, namespace).create(step.claim);
    return true;
  } catch (error) {
    if (hasReason(error, "AlreadyExists")) return false;
    const text = step.type === "refuse" ? step.why : `create PVC ${step.name}: ${errorText(error)}`;
    const told = `ephemeral volume ${step.volume}: ${text}`;
    events.event(pod, "Warning", "FailedBinding", told);
    throw new Error(`Cannot make the claims of pod ${key}: ${told}`, { cause: error });
  }
}
