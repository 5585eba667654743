import { nodes } from "../../api/core/node/schema.ts";
import { controller, type Controller } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { ttlSeconds } from "./plan.ts";

const annotation = "node.alpha.kubernetes.io/ttl";

/** Tells kubelets by an annotation how long to cache Secrets and ConfigMaps: longer in larger clusters. */
export function nodeTtlController(): Controller {
  let seconds = 0;
  return controller({
    name: "ttl-controller",
    for: nodes,
    workers: 5,
    async reconcile({ name, cache, client }) {
      seconds = ttlSeconds(cache.list(nodes).length, seconds);
      const node = cache.get(nodes, undefined, name);
      const wanted = String(seconds);
      if (node === undefined || node.metadata.annotations?.[annotation] === wanted) return;
      const patch = { metadata: { annotations: { [annotation]: wanted } } };
      await ignoreGone(client.of(nodes).patch(name, patch, { type: "strategic" }));
    },
  });
}
