import { ingressClasses } from "../api/networking/ingress-class/schema.ts";
import { storageClasses } from "../api/storage/storage-class/schema.ts";
import type { Client } from "../client/client.ts";
import { localPathProvisioner } from "../controllers/local-path/plan.ts";
import { hasReason } from "../meta/status.ts";
import { ingressController } from "../network/ingress/plan.ts";

/** Creates the default StorageClass, unless one of its name exists. A user may change or replace it. */
export function publishLocalPathClass(client: Client): Promise<void> {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  return unlessPresent(
    client.of(storageClasses).create({
      metadata: { name: "local-path", annotations },
      provisioner: localPathProvisioner,
      reclaimPolicy: "Delete",
      volumeBindingMode: "WaitForFirstConsumer",
    }),
  );
}

/** Creates the default IngressClass, unless one of its name exists. */
export function publishIngressClass(client: Client): Promise<void> {
  const annotations = { "ingressclass.kubernetes.io/is-default-class": "true" };
  return unlessPresent(
    client.of(ingressClasses).create({
      metadata: { name: "knarr", annotations },
      spec: { controller: ingressController },
    }),
  );
}

async function unlessPresent(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!hasReason(error, "AlreadyExists")) throw error;
  }
}
