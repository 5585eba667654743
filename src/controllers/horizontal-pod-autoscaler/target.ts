import type { Scale } from "../../api/autoscaling/scale/schema.ts";
import type { HorizontalPodAutoscaler } from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import { retryOnConflict } from "../../client/retry.ts";
import { parseGroupVersion } from "../../meta/kind.ts";
import { hasReason } from "../../meta/status.ts";
import type { Reconcile } from "../../operator/controller.ts";
import type { KindFinder } from "../kind-finder.ts";

/** The scale of an autoscaler's target, with the resource that serves it. */
export interface ScaledTarget {
  readonly scale: Scale;
  readonly resource: DiscoveredResource;
}

/**
 * Reads the scale of the target in the first version that has one: the reference's version does not matter, as
 * upstream.
 * @throws Error when the kind is unknown; the first error of a version when no version has a scale.
 */
export async function readTarget(
  { spec: { scaleTargetRef } }: HorizontalPodAutoscaler,
  kinds: KindFinder,
  request: Reconcile,
): Promise<ScaledTarget> {
  const { apiVersion = "", kind, name } = scaleTargetRef;
  const place = parseGroupVersion(apiVersion);
  if (place === undefined) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  const { group } = place;
  const resources = await kinds.find({ group, kind }, request);
  const errors: unknown[] = [];
  for (const resource of resources) {
    try {
      return { resource, scale: await scaleOf(resource, name, request).get({ signal: request.signal }) };
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`);
}

/** Sets the replicas of the target. After a conflict, tries again with the scale as it is then. */
export async function writeReplicas(
  { resource, scale }: ScaledTarget,
  replicas: number,
  request: Reconcile,
): Promise<void> {
  const subresource = scaleOf(resource, scale.metadata.name ?? "", request);
  let latest = scale;
  await retryOnConflict(async () => {
    try {
      const { signal } = request;
      return await subresource.update({ ...latest, spec: { ...latest.spec, replicas } }, { signal });
    } catch (error) {
      if (hasReason(error, "Conflict")) latest = await subresource.get({ signal: request.signal });
      throw error;
    }
  }, request.env);
}

function scaleOf(resource: DiscoveredResource, name: string, { client, namespace }: Reconcile) {
  return client.resource(resource, namespace).subresource<Scale>(name, "scale");
}
