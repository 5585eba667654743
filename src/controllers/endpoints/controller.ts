import { endpoints } from "../../api/core/endpoints/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { services } from "../../api/core/service/schema.ts";
import { keyOf } from "../../client/indexer.ts";
import { selectorOfLabels } from "../../meta/labels.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { isNamespaceEnding } from "../pods/pod-control.ts";
import { backendLabels } from "../services/backends.ts";
import { watchBackends } from "../services/watch-backends.ts";
import { planEndpoints } from "./plan.ts";

/** Keeps Endpoints, the predecessor of EndpointSlices, for clients that still read them. */
export function endpointsController(): Controller {
  return controller({
    name: "endpoint-controller",
    for: services,
    watches: [
      watchBackends,
      {
        kind: endpoints,
        map: (one) => [keyOf(one)],
        // Users may create Endpoints before their Service: Endpoints without one are deleted only at the
        // start.
        filter: (delta) => delta.type === "deleted" || (delta.type === "added" && delta.initial),
      },
    ],
    workers: 5,
    async reconcile(request) {
      const { namespace, name, cache, client } = request;
      const service = cache.get(services, namespace, name);
      if (service === undefined) return remove(request);
      const labels = backendLabels(service);
      if (labels === undefined || service.metadata.deletionTimestamp !== undefined) return;
      const behind = cache.list(pods, { namespace, selector: selectorOfLabels(labels) });
      const before = cache.get(endpoints, namespace, name);
      const next = planEndpoints(service, behind, before);
      if (next === undefined) return;
      const resource = client.of(endpoints, namespace);
      try {
        if (before === undefined) await resource.create(next);
        else await resource.update(next);
      } catch (error) {
        if (!isNamespaceEnding(error)) throw error;
      }
    },
  });
}

/** Keeps the Endpoints of a deleted Service when a leader election (of the old style) uses them. */
async function remove({ namespace, name, cache, client }: Reconcile): Promise<void> {
  const left = cache.get(endpoints, namespace, name);
  if (left === undefined) return;
  if (left.metadata.annotations?.["control-plane.alpha.kubernetes.io/leader"] !== undefined) return;
  await ignoreGone(client.of(endpoints, namespace).delete(name));
}
