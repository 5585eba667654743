import { configMaps } from "../../api/core/config-map/schema.ts";
import { namespaces } from "../../api/core/namespace/schema.ts";
import { hasReason } from "../../meta/status.ts";
import { controller, type Controller } from "../../operator/controller.ts";

const name = "kube-root-ca.crt";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/**
 * Publishes the cluster's CA certificate in every namespace, so that Pods can verify the API server (upstream
 * `certificates/rootcacertpublisher`).
 */
export function rootCaPublisher(certificate: string): Controller {
  return controller({
    name: "root-ca-cert-publisher",
    for: namespaces,
    watches: [
      {
        kind: configMaps,
        fieldSelector: `metadata.name=${name}`,
        map: ({ metadata }) => [metadata.namespace ?? ""],
      },
    ],
    async reconcile({ name: namespace, client, cache }) {
      const found = cache.get(namespaces, undefined, namespace);
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
      const present = cache.get(configMaps, namespace, name);
      const data = { "ca.crt": certificate };
      if (present?.data?.["ca.crt"] === certificate && Object.keys(present.data).length === 1) return;
      const annotations = { "kubernetes.io/description": description };
      const maps = client.of(configMaps, namespace);
      try {
        if (present === undefined) await maps.create({ metadata: { name, annotations }, data });
        else await maps.update({ ...present, data });
      } catch (error) {
        if (!hasReason(error, "AlreadyExists", "NotFound", "Forbidden")) throw error;
      }
    },
  });
}
