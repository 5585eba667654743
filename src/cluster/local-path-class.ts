import { storageClasses } from "../api/storage/storage-class/schema.ts";
import type { Client } from "../client/client.ts";
import { localPathProvisioner } from "../controllers/local-path/plan.ts";
import { hasReason } from "../meta/status.ts";

/** Creates the default StorageClass, unless one of its name exists. A user may change or replace it. */
export async function publishLocalPathClass(client: Client): Promise<void> {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  try {
    await client.of(storageClasses).create({
      metadata: { name: "local-path", annotations },
      provisioner: localPathProvisioner,
      reclaimPolicy: "Delete",
      volumeBindingMode: "WaitForFirstConsumer",
    });
  } catch (error) {
    if (!hasReason(error, "AlreadyExists")) throw error;
  }
}
