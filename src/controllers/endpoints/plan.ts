import type { Endpoints } from "../../api/core/endpoints/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { Service } from "../../api/core/service/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { isReady } from "../pods/pod-state.ts";
import { present } from "../../util/present.ts";
import {
  addressesOf,
  type BackendPort,
  familiesOf,
  hasEndpoint,
  hostnameIn,
  isHeadless,
  portsOn,
} from "../services/backends.ts";
import { ascending } from "../../util/compare.ts";

type Subset = NonNullable<Endpoints["subsets"]>[number];
type Address = NonNullable<Subset["addresses"]>[number];

interface Backend {
  readonly address: Address;
  readonly ready: boolean;
}

/** The greatest number of addresses in one object. Only EndpointSlices show the rest. */
export const maxAddresses = 1000;
const overCapacity = "endpoints.kubernetes.io/over-capacity";
const headlessLabel = "service.kubernetes.io/headless";
const managedByLabel = "endpoints.kubernetes.io/managed-by";

/**
 * Returns the Service's new Endpoints; undefined when nothing changes (upstream
 * `endpoint/endpoints_controller.go`).
 */
export function planEndpoints(
  service: Service,
  pods: readonly Pod[],
  before: Endpoints | undefined,
): Endpoints | undefined {
  const { name, namespace } = service.metadata;
  const all = subsetsOf(service, pods);
  const subsets = truncate(all);
  const { [overCapacity]: _, ...others } = before?.metadata.annotations ?? {};
  const annotations = subsets === all ? others : { ...others, [overCapacity]: "truncated" };
  const metadata = present({
    ...(before?.metadata ?? present({ name, namespace })),
    labels: labelsFor(service),
    annotations: Object.keys(annotations).length === 0 ? undefined : annotations,
  });
  const after = present({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata,
    subsets: subsets.length === 0 ? undefined : subsets,
  });
  return before !== undefined && deepEqual(before, after) ? undefined : after;
}

function labelsFor(service: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  const headless = isHeadless(service) ? { [headlessLabel]: "" } : {};
  return { ...labels, ...headless, [managedByLabel]: "endpoint-controller" };
}

/**
 * Groups ports with the same Pods into one subset. Everything is sorted, so that equal subsets compare as
 * equal.
 */
function subsetsOf(service: Service, pods: readonly Pod[]): readonly Subset[] {
  const byPort = new Map<string, { readonly port: BackendPort | undefined; readonly backends: Backend[] }>();
  for (const pod of pods) {
    const backend = backendOf(service, pod);
    if (backend === undefined) continue;
    const ports: readonly (BackendPort | undefined)[] = portsOn(pod, service);
    const withoutPorts = (service.spec.ports ?? []).length === 0 && isHeadless(service);
    for (const port of withoutPorts ? [undefined] : ports) {
      const key = JSON.stringify(port ?? null);
      const entry = byPort.get(key) ?? { port, backends: [] };
      entry.backends.push(backend);
      byPort.set(key, entry);
    }
  }
  const byBackends = new Map<
    string,
    { readonly ports: BackendPort[]; readonly backends: readonly Backend[] }
  >();
  for (const { port, backends } of byPort.values()) {
    const sorted = backends.toSorted((a, b) => ascending(a.address.ip, b.address.ip));
    const key = JSON.stringify(sorted);
    const entry = byBackends.get(key) ?? { ports: [], backends: sorted };
    if (port !== undefined) entry.ports.push(port);
    byBackends.set(key, entry);
  }
  return [...byBackends.entries()]
    .toSorted(([a], [b]) => ascending(a, b))
    .map(([, { ports, backends }]) => subset(ports, backends));
}

function backendOf(service: Service, pod: Pod): Backend | undefined {
  const publishAll = service.spec.publishNotReadyAddresses === true;
  if (!hasEndpoint(pod, { includeTerminating: publishAll })) return undefined;
  const [ip] = addressesOf(pod, familiesOf(service)[0] ?? "IPv4");
  if (ip === undefined) return undefined;
  const { name, namespace, uid } = pod.metadata;
  const address = present({
    ip,
    hostname: hostnameIn(pod, service),
    nodeName: pod.spec.nodeName,
    targetRef: present({ kind: "Pod", namespace, name, uid }),
  });
  return { address, ready: publishAll || isReady(pod) };
}

function subset(ports: readonly BackendPort[], backends: readonly Backend[]): Subset {
  const addresses = backends.filter(({ ready }) => ready).map(({ address }) => address);
  const notReadyAddresses = backends.filter(({ ready }) => !ready).map(({ address }) => address);
  const sorted = ports.toSorted((a, b) => a.port - b.port || ascending(a.name, b.name));
  return withoutEmpty({
    addresses,
    notReadyAddresses,
    ports: sorted.map(({ name, ...rest }) => present({ name: name === "" ? undefined : name, ...rest })),
  });
}

function withoutEmpty(lists: Required<Subset>): Subset {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

/**
 * Cuts the addresses to what one object holds. Ready addresses come first, and each subset keeps its share,
 * rounded up. Returns the same list when all addresses fit.
 */
export function truncate(subsets: readonly Subset[]): readonly Subset[] {
  const count = (key: "addresses" | "notReadyAddresses") =>
    subsets.reduce((sum, one) => sum + (one[key]?.length ?? 0), 0);
  const [ready, notReady] = [count("addresses"), count("notReadyAddresses")];
  if (ready + notReady <= maxAddresses) return subsets;
  const [total, room] = ready > maxAddresses ? [ready, maxAddresses] : [notReady, maxAddresses - ready];
  let left = room;
  const cut = (list: readonly Address[] = []) => {
    const kept = list.slice(0, Math.min(left, Math.ceil((list.length / total) * room)));
    left -= kept.length;
    return kept;
  };
  return subsets.map(({ addresses = [], notReadyAddresses, ports = [] }) =>
    withoutEmpty(
      ready > maxAddresses
        ? { addresses: cut(addresses), notReadyAddresses: [], ports }
        : { addresses, notReadyAddresses: cut(notReadyAddresses), ports },
    ),
  );
}
