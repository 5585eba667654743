import { isAddressRecord } from "../../api/networking/ip-address/record.ts";
import { ipAddresses } from "../../api/networking/ip-address/schema.ts";
import { type ServiceCIDR, serviceCIDRs } from "../../api/networking/service-cidr/schema.ts";
import type { Cache } from "../../operator/cache.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { finalizer, planServiceCIDR, type ReadyCondition } from "./plan.ts";

/** Marks ServiceCIDRs as ready, and keeps terminating ones while Services have addresses of theirs alone. */
export function serviceCidrController(): Controller {
  return controller({
    name: "service-cidrs-controller",
    eventSource: "service-cidr-controller",
    for: serviceCIDRs,
    watches: [
      // Another range, or an address less, may let a deletion go on.
      { kind: serviceCIDRs, map: terminating, filter: ({ type }) => type !== "updated" },
      { kind: ipAddresses, map: terminating, filter: ({ type }) => type !== "updated" },
    ],
    workers: 5,
    async reconcile(request) {
      const { name, cache, env } = request;
      const cidr = cache.get(serviceCIDRs, undefined, name);
      if (cidr === undefined) return {};
      const observed = { cidr, all: cache.list(serviceCIDRs), addresses: addressesIn(cache) };
      const plan = planServiceCIDR(observed, env.clock.now());
      if (plan.type === "wait") return { requeueAfterMs: plan.ms };
      if (plan.type === "release") await patchFinalizers(request, "$deleteFromPrimitiveList/finalizers");
      else if (plan.type === "write") {
        if (plan.addsFinalizer) await patchFinalizers(request, "finalizers");
        if (plan.condition !== undefined) await setCondition(cidr, plan.condition, request);
      }
      return {};
    },
  });
}

function terminating(_: unknown, cache: Cache): readonly string[] {
  return cache
    .list(serviceCIDRs)
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .map(({ metadata }) => metadata.name ?? "");
}

/** The addresses that the allocator has recorded for Services. */
function addressesIn(cache: Cache): readonly string[] {
  return cache
    .list(ipAddresses)
    .filter(isAddressRecord)
    .map(({ metadata }) => metadata.name ?? "");
}

async function patchFinalizers({ client, name }: Reconcile, field: string): Promise<void> {
  const patch = { metadata: { [field]: [finalizer] } };
  await ignoreGone(client.of(serviceCIDRs).patch(name, patch, { type: "strategic" }));
}

async function setCondition(
  cidr: ServiceCIDR,
  condition: ReadyCondition,
  { client, name, events }: Reconcile,
): Promise<void> {
  try {
    const applied = { metadata: { name }, status: { conditions: [condition] } };
    const options = { force: true, fieldManager: "service-cidr-controller", subresource: "status" };
    await client.of(serviceCIDRs).apply(applied, options);
  } catch (error) {
    if (condition.status === "True") {
      const message = "The ServiceCIDR Status can not be set to Ready=True";
      events.event(cidr, "Warning", "KubernetesServiceCIDRError", message);
    }
    throw error;
  }
}
