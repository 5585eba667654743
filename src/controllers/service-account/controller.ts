import { namespaces } from "../../api/core/namespace/schema.ts";
import { serviceAccounts } from "../../api/core/service-account/schema.ts";
import { hasReason } from "../../meta/status.ts";
import { controller, type Controller } from "../../operator/controller.ts";

/**
 * Creates the ServiceAccount `default` in every namespace (upstream
 * `serviceaccount/serviceaccounts_controller`).
 */
export function serviceAccountController(): Controller {
  return controller({
    name: "service-account-controller",
    for: namespaces,
    watches: [{ kind: serviceAccounts, map: ({ metadata }) => [metadata.namespace ?? ""] }],
    async reconcile({ name: namespace, client, cache }) {
      const found = cache.get(namespaces, undefined, namespace);
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
      if (cache.get(serviceAccounts, namespace, "default") !== undefined) return;
      try {
        await client.of(serviceAccounts, namespace).create({ metadata: { name: "default" } });
      } catch (error) {
        // A terminating namespace accepts no creates, and the cache may be stale.
        if (!hasReason(error, "AlreadyExists", "NotFound", "Forbidden")) throw error;
      }
    },
  });
}
