import { type Service, services } from "../../api/core/service/schema.ts";
import type { Cache } from "../../operator/cache.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import type { Network } from "../../util/ipv4.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { addressesOf, finalizer, planLoadBalancer } from "./plan.ts";

/**
 * Gives Services of the type LoadBalancer an address of a range, to which the service proxy routes (upstream
 * `cloud-provider/controllers/service`, without a cloud).
 */
export function serviceLoadBalancerController(range: Network): Controller {
  /** The addresses that were given out and that the cache may not show yet, by the Service's UID. */
  const assigned = new Map<string, string>();
  return controller({
    name: "service-controller",
    for: services,
    watches: [
      {
        kind: services,
        map: () => [],
        observe: ({ type, object }) => {
          const uid = object.metadata.uid ?? "";
          if (type === "deleted" || addressesOf(object).includes(assigned.get(uid) ?? ""))
            assigned.delete(uid);
        },
      },
    ],
    // With one worker no two Services choose at the same time.
    workers: 1,
    async reconcile(request) {
      const { namespace, name, cache, events } = request;
      const service = cache.get(services, namespace, name);
      if (service === undefined) return;
      const { uid = "" } = service.metadata;
      const plan = planLoadBalancer({ service, taken: takenBy(cache, uid, assigned), range });
      switch (plan.type) {
        case "none":
          return;
        case "addFinalizer":
          // The patch adds to a list, so it cannot remove another program's finalizer.
          await patchStatus(request, service, { metadata: { finalizers: [finalizer] } });
          return;
        case "assign":
          events.event(service, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer");
          assigned.set(uid, plan.address);
          await setIngress(request, service, [{ ip: plan.address, ipMode: "VIP" }]);
          events.event(service, "Normal", "EnsuredLoadBalancer", "Ensured load balancer");
          return;
        case "release":
          events.event(service, "Normal", "DeletingLoadBalancer", "Deleting load balancer");
          assigned.delete(uid);
          await release(request, service);
          events.event(service, "Normal", "DeletedLoadBalancer", "Deleted load balancer");
          return;
        case "refuse": {
          const problem = `failed to ensure load balancer: ${plan.problem}`;
          events.event(
            service,
            "Warning",
            "SyncLoadBalancerFailed",
            `Error syncing load balancer: ${problem}`,
          );
          // Another Service's address may become free.
          return { requeueAfterMs: retryMs };
        }
      }
    },
  });
}

const retryMs = 30_000;

function takenBy(cache: Cache, uid: string, assigned: ReadonlyMap<string, string>): ReadonlySet<string> {
  const others = cache
    .list(services)
    .filter(({ metadata, spec }) => metadata.uid !== uid && spec.type === "LoadBalancer");
  const unseen = [...assigned].filter(([owner]) => owner !== uid).map(([, address]) => address);
  return new Set([...others.flatMap(addressesOf), ...unseen]);
}

async function release(request: Reconcile, service: Service): Promise<void> {
  const finalizers = { "$deleteFromPrimitiveList/finalizers": [finalizer] };
  // The finalizer goes last, because the object may go with it.
  if (addressesOf(service).length > 0) await setIngress(request, service, null);
  await patchStatus(request, service, { metadata: finalizers });
}

/** Replaces the addresses, unless the Service has changed since it was read. */
async function setIngress(
  request: Reconcile,
  { metadata }: Service,
  ingress: readonly object[] | null,
): Promise<void> {
  const { client, namespace, name } = request;
  const { resourceVersion } = metadata;
  const patch = { metadata: { resourceVersion }, status: { loadBalancer: { ingress } } };
  const options = { type: "merge", subresource: "status" } as const;
  await ignoreGone(client.of(services, namespace).patch(name, patch, options));
}

async function patchStatus(
  { client, namespace, name }: Reconcile,
  { metadata: { uid } }: Service,
  { metadata }: { readonly metadata: object },
): Promise<void> {
  const patch = { metadata: { uid, ...metadata } };
  const options = { type: "strategic", subresource: "status" } as const;
  await ignoreGone(client.of(services, namespace).patch(name, patch, options));
}
