import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { type Service, services } from "../../api/core/service/schema.ts";
import { keyOf } from "../../client/indexer.ts";
import type { Delta } from "../../client/informer.ts";
import { selectorOfLabels } from "../../meta/labels.ts";
import type { Cache } from "../../operator/cache.ts";
import type { Watch } from "../../operator/controller.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { isReady, isTerminal } from "../pods/pod-state.ts";
import { backendLabels } from "./backends.ts";

/** Queues the Services that select or selected a Pod, when a change of the Pod affects endpoints. */
export const watchBackends: Watch<typeof pods> = {
  kind: pods,
  map: (pod, cache) => servicesOf(pod, cache).map(keyOf),
  filter: changesEndpoints,
};

export function servicesOf({ metadata: { namespace, labels } }: Pod, cache: Cache): readonly Service[] {
  return cache.list(services, { namespace }).filter((service) => {
    const wanted = backendLabels(service);
    return wanted !== undefined && selectorOfLabels(wanted).matches(labels);
  });
}

function changesEndpoints(delta: Delta<Pod>): boolean {
  return (
    delta.type !== "updated" ||
    delta.object === delta.old ||
    !deepEqual(visible(delta.object), visible(delta.old))
  );
}

function visible(pod: Pod): object {
  const { metadata, spec, status } = pod;
  return {
    labels: metadata.labels,
    ending: metadata.deletionTimestamp !== undefined,
    ended: isTerminal(pod),
    ready: isReady(pod),
    ips: [status.podIP, status.podIPs],
    place: [spec.nodeName, spec.hostname, spec.subdomain],
  };
}
