import { deployments } from "../../api/apps/deployment/schema.ts";
import { replicaSets } from "../../api/apps/replica-set/schema.ts";
import { statefulSets } from "../../api/apps/stateful-set/schema.ts";
import type { Scale } from "../../api/autoscaling/scale/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { replicationControllers } from "../../api/core/replication-controller/schema.ts";
import { groupResource, type KubeObject, parseGroupVersion } from "../../meta/kind.ts";
import { hasReason } from "../../meta/status.ts";
import type { OwnerReference } from "../../meta/v1.ts";
import type { Cache } from "../../operator/cache.ts";
import type { Reconcile } from "../../operator/controller.ts";
import { KindFinder } from "../kind-finder.ts";
import { controllerRefOf } from "../ownership/controller-ref.ts";

/** The kinds whose replicas are read from the cache. */
export const scaledKinds = [deployments, replicaSets, replicationControllers, statefulSets] as const;

type Scaled = KubeObject<{ readonly spec: { readonly replicas?: number } }>;

/** The number of Pods that the controllers of some Pods want in total. */
export interface ExpectedPods {
  readonly expected: number;
  /** True when some Pods have no controller. They are not counted. */
  readonly someUnmanaged: boolean;
}

/**
 * Sums up the replicas that the Pods' controllers want, counting each controller once (upstream
 * `getExpectedScale`).
 */
export class ExpectedPodsReader {
  readonly #kinds = new KindFinder();

  /** @throws Error when a Pod's controller is not found, or is of a kind that has no replicas. */
  async read(pods: readonly Pod[], request: Reconcile): Promise<ExpectedPods> {
    const known = new Set<string>();
    const replicas = new Map<string, number>();
    for (const pod of pods) {
      const owner = controllerRefOf(pod);
      if (owner === undefined || known.has(owner.uid)) continue;
      known.add(owner.uid);
      const { namespace = "" } = pod.metadata;
      const found =
        scaledInCache(owner, namespace, request.cache) ?? (await this.#scale(owner, namespace, request));
      if (found === undefined)
        throw new Error(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
      replicas.set(found.metadata.uid ?? "", found.spec.replicas ?? 1);
    }
    const expected = [...replicas.values()].reduce((sum, one) => sum + one, 0);
    return { expected, someUnmanaged: pods.some((pod) => controllerRefOf(pod) === undefined) };
  }

  /** Reads the `scale` subresource, which custom resources may have. */
  async #scale(
    { apiVersion, kind, name, uid }: OwnerReference,
    namespace: string,
    request: Reconcile,
  ): Promise<Scaled | undefined> {
    const resource = await this.#find(apiVersion, kind, request);
    if (!resource.subresources.includes("scale"))
      throw new Error(`${groupResource(resource)} does not implement the scale subresource`);
    try {
      const scale = await request.client
        .resource(resource, namespace)
        .subresource<Scale>(name, "scale")
        .get();
      return scale.metadata.uid === uid
        ? { ...scale, spec: { replicas: scale.spec.replicas ?? 0 } }
        : undefined;
    } catch (error) {
      if (hasReason(error, "NotFound")) return undefined;
      throw error;
    }
  }

  async #find(apiVersion: string, kind: string, request: Reconcile) {
    const place = parseGroupVersion(apiVersion);
    const found = place === undefined ? [] : await this.#kinds.find({ ...place, kind }, request);
    if (found[0] !== undefined) return found[0];
    throw new Error(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  }
}

/**
 * Returns the replicas that a Pod's controller, or the Deployment above it, wants; undefined when the cache
 * has neither.
 */
function scaledInCache(owner: OwnerReference, namespace: string, cache: Cache): Scaled | undefined {
  const set = inCache(owner, namespace, cache);
  const above = set === undefined ? undefined : controllerRefOf(set);
  return owner.kind === replicaSets.kind && above?.kind === deployments.kind
    ? inCache(above, namespace, cache)
    : set;
}

function inCache(
  { apiVersion, kind: name, uid, ...owner }: OwnerReference,
  namespace: string,
  cache: Cache,
): Scaled | undefined {
  const group = parseGroupVersion(apiVersion)?.group;
  const kind = scaledKinds.find((one) => one.kind === name && one.group === group);
  const found: Scaled | undefined = kind === undefined ? undefined : cache.get(kind, namespace, owner.name);
  return found?.metadata.uid === uid ? found : undefined;
}
