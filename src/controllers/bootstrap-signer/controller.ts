import { configMaps } from "../../api/core/config-map/schema.ts";
import { bootstrapTokenNamespace, bootstrapTokenType } from "../../api/core/secret/bootstrap-token.ts";
import { secrets } from "../../api/core/secret/schema.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { planSignatures } from "./plan.ts";

const namespace = "kube-public";
const name = "cluster-info";

/**
 * Signs the ConfigMap `kube-public/cluster-info` with each bootstrap token, so that joining nodes can trust it
 * (upstream `bootstrap/bootstrapsigner.go`).
 */
export function bootstrapSigner(): Controller {
  return controller({
    name: "bootstrap-signer",
    for: configMaps,
    fieldSelector: `metadata.namespace=${namespace},metadata.name=${name}`,
    watches: [
      {
        kind: secrets,
        fieldSelector: `type=${bootstrapTokenType}`,
        map: ({ metadata }) =>
          metadata.namespace === bootstrapTokenNamespace ? [`${namespace}/${name}`] : [],
      },
    ],
    async reconcile({ cache, client, env }) {
      const configMap = cache.get(configMaps, namespace, name);
      if (configMap === undefined) return;
      const tokens = cache.list(secrets, { namespace: bootstrapTokenNamespace });
      const data = planSignatures(configMap, tokens, env.clock.now());
      if (data === undefined) return;
      await ignoreGone(client.of(configMaps, namespace).update({ ...configMap, data }));
    },
  });
}
