import { aggregate, isPodLevelResource } from "../../api/core/pod/resources.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { addQuantities, parseQuantity, quantityMilliValue } from "../../meta/quantity.ts";
import { ownValue } from "../../util/table.ts";
import { MetricError } from "./metric-error.ts";

/**
 * The requests of Pods for a resource in thousandths, by the Pod's name: those of one container, or, without
 * a container, those of the Pod or of all its containers (upstream `calculateRequests`).
 * @throws MetricError when a Pod has no request, or not the container.
 */
export function requestsOf(
  pods: readonly Pod[],
  resource: string,
  container: string | undefined,
): ReadonlyMap<string, number> {
  const requests = new Map<string, number>();
  for (const pod of pods) {
    const isWhole = container === undefined && hasPodLevelRequests(pod);
    const amount = isWhole ? podLevelRequest(pod, resource) : containerRequests(pod, resource, container);
    requests.set(pod.metadata.name ?? "", amount);
  }
  return requests;
}

function hasPodLevelRequests({ spec }: Pod): boolean {
  return Object.keys(spec.resources?.requests ?? {}).some(isPodLevelResource);
}

function podLevelRequest({ metadata, spec }: Pod, resource: string): number {
  const own = isPodLevelResource(resource) ? ownValue(spec.resources?.requests, resource) : undefined;
  const sum =
    own === undefined
      ? aggregate(spec, ({ resources }) => resources.requests).get(resource)
      : parseQuantity(own);
  const overhead = ownValue(spec.overhead, resource);
  const amounts = [sum, overhead === undefined ? undefined : parseQuantity(overhead)].filter(
    (one) => one !== undefined,
  );
  if (amounts.length === 0)
    throw new MetricError(`missing pod-level request for ${resource} in Pod ${metadata.name}`);
  return quantityMilliValue(amounts.reduce(addQuantities));
}

function containerRequests({ metadata, spec }: Pod, resource: string, container: string | undefined): number {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const all = [...spec.containers, ...sidecars];
  const chosen = container === undefined ? all : all.filter(({ name }) => name === container).slice(0, 1);
  if (container !== undefined && chosen.length === 0)
    throw new MetricError(`container ${container} not found in Pod ${metadata.name}`);
  let total = 0;
  for (const { name, resources } of chosen) {
    const request = ownValue(resources.requests, resource);
    if (request === undefined)
      throw new MetricError(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
    total += quantityMilliValue(parseQuantity(request));
  }
  return total;
}
