import { formatAmounts } from "../../../api/core/resource-quota/amounts.ts";
import { type ResourceQuota, resourceQuotas } from "../../../api/core/resource-quota/schema.ts";
import { updateInSteps } from "../../../meta/apply/update-managed-fields.ts";
import { ExpectationError } from "../../../store/errors.ts";
import type { Revision } from "../../../store/store.ts";
import { atOnce } from "../../../util/steps.ts";
import { yielding } from "../../../util/yield.ts";
import type { AdmissionServices } from "../admission-services.ts";
import type { Account } from "./ledger.ts";

/** The number of resources from which a quota's owners are computed in steps. */
const manyResources = 500;

/**
 * Writes the usage of a quota, if the quota has not changed since it was read. Resolves to false after a
 * conflict.
 */
export async function writeUsage(
  { quota, used, hard }: Account,
  { store, codec, resources, env }: AdmissionServices,
): Promise<boolean> {
  const { namespace = "", name = "", resourceVersion } = quota.metadata;
  const status = { ...quota.status, used: formatAmounts(used) };
  const next: ResourceQuota = { ...quota, status };
  const steps = updateInSteps(resourceQuotas, quota, next, {
    manager: "kube-apiserver",
    subresource: "status",
    now: env.clock.now(),
  });
  const managedFields = hard.size > manyResources ? await yielding(steps) : atOnce(steps);
  const { managedFields: _, ...metadata } = quota.metadata;
  const owned = managedFields === undefined ? metadata : { ...metadata, managedFields };
  const key = resources.of(resourceQuotas).key(namespace, name);
  // Safe: the API server writes revisions into resourceVersion.
  const revision = Number(resourceVersion) as Revision;
  try {
    const value = codec.encode({ ...next, metadata: owned });
    await store.commit([{ type: "put", key, ...value }], [{ key, revision }]);
    return true;
  } catch (error) {
    if (error instanceof ExpectationError) return false;
    throw error;
  }
}
