import { type Service, services } from "../api/core/service/schema.ts";
import { addressRecord, isAddressRecord } from "../api/networking/ip-address/record.ts";
import { type IPAddress, ipAddresses } from "../api/networking/ip-address/schema.ts";
import { type ServiceCIDR, serviceCIDRs } from "../api/networking/service-cidr/schema.ts";
import type { Client } from "../client/client.ts";
import { findCondition } from "../meta/conditions.ts";
import { hasReason } from "../meta/status.ts";
import { every, formatTime } from "../util/clock.ts";
import { deepEqual } from "../util/deep-equal.ts";
import type { Env } from "../util/env.ts";
import { errorText } from "../util/error-text.ts";
import { inSlices } from "../util/yield.ts";

/**
 * Marks the ServiceCIDR of the server's own range as ready: the first Services come before controllers (controlplane
 * `defaultservicecidr`). Leaves a terminating one, and one with another range.
 */
export async function markReady(
  client: Client,
  { metadata, spec, status }: ServiceCIDR,
  cidr: string,
  now: number,
): Promise<void> {
  const { status: ready = "Unknown" } = findCondition(status.conditions, "Ready") ?? {};
  if (metadata.deletionTimestamp !== undefined || ready !== "Unknown" || !deepEqual(spec.cidrs, [cidr]))
    return;
  const condition = {
    type: "Ready",
    status: "True" as const,
    reason: "",
    message: "Kubernetes default Service CIDR is ready",
    lastTransitionTime: formatTime(now),
  };
  await client
    .of(serviceCIDRs)
    .apply(
      { metadata: { name: metadata.name ?? "" }, status: { conditions: [condition] } },
      { fieldManager: "kubernetes-service-cidr-controller", force: true, subresource: "status" },
    );
}

/** The number of requests at a time. */
const sliceSize = 20;

/**
 * Creates the IPAddresses that Services lack, such as those of earlier versions, and deletes those of Services that do
 * not exist (registry `ipallocator/controller/repairip.go`).
 */
export async function repairAddresses(client: Client): Promise<void> {
  const all = client.of(ipAddresses);
  // First, because a Service and its record are created together: the record of a Service that is not listed is leaked.
  const records = await all.list();
  const { items } = await client.of(services).list();
  const { missing, leaked } = planRepair(items, records.items);
  await inSlices(missing, sliceSize, ({ address, service }) =>
    unlessDone(all.create(addressRecord(address, service))),
  );
  await inSlices(leaked, sliceSize, ({ name = "", uid = "" }) =>
    unlessDone(all.delete(name, { preconditions: { uid } })),
  );
}

/** Awaits a write that another one may have made unnecessary. */
async function unlessDone(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!hasReason(error, "AlreadyExists", "Conflict", "NotFound")) throw error;
  });
}

interface Repair {
  readonly missing: readonly { readonly address: string; readonly service: Service }[];
  /** The metadata of IPAddresses. */
  readonly leaked: readonly IPAddress["metadata"][];
}

function planRepair(present: readonly Service[], records: readonly IPAddress[]): Repair {
  const owners = new Map<string, Service>();
  for (const service of present) {
    for (const address of service.spec.clusterIPs ?? []) if (address !== "None") owners.set(address, service);
  }
  const known = new Set(records.map(({ metadata }) => metadata.name));
  return {
    missing: Array.from(owners, ([address, service]) => ({ address, service })).filter(
      ({ address }) => !known.has(address),
    ),
    leaked: records
      .filter(isAddressRecord)
      .map(({ metadata }) => metadata)
      .filter(({ name = "" }) => !owners.has(name)),
  };
}

/** Upstream's interval. */
const repairMs = 3 * 60_000;

/** Repairs the IPAddresses of Services until the signal fires: users may delete them. */
export async function repairRegularly(
  client: Client,
  { clock, log }: Env,
  signal: AbortSignal,
): Promise<void> {
  await every(clock, repairMs, signal, async () => {
    try {
      await repairAddresses(client);
    } catch (error) {
      log.warn("addresses of Services could not be repaired", { error: errorText(error) });
    }
  });
}
