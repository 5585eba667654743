import { type Node, nodes } from "../../api/core/node/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { type Service, services } from "../../api/core/service/schema.ts";
import { type EndpointSlice, endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { Expectations } from "../../client/expectations.ts";
import { byOwner, keyOf } from "../../client/indexer.ts";
import type { Delta } from "../../client/informer.ts";
import { selectorOfLabels } from "../../meta/labels.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import type { Clock } from "../../util/clock.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { controllerRefOf } from "../ownership/controller-ref.ts";
import { isNamespaceEnding } from "../pods/pod-control.ts";
import { backendLabels } from "../services/backends.ts";
import { servicesOf, watchBackends } from "../services/watch-backends.ts";
import { managedBy, managedByLabel, type Plan, planSlices, serviceNameLabel } from "./plan.ts";
import { isTopologyAware, topologyOf, zoneShares } from "./topology-hints.ts";
import { podsOn } from "../pods/pods-on.ts";

const zoneLabel = "topology.kubernetes.io/zone";

/**
 * Keeps EndpointSlices for all Services with a selector (upstream
 * `endpointslice/endpointslice_controller.go`).
 */
export function endpointSliceController(clock: Clock): Controller {
  /**
   * By the Service's UID. Slices have generated names, so with a stale cache a second create would succeed.
   */
  const expectations = new Expectations(clock);
  /** The Services with hints by the zones' CPU, by UID. */
  const aware = new Set<string>();
  return controller({
    name: "endpointslice-controller",
    for: services,
    watches: [
      watchBackends,
      {
        kind: endpointSlices,
        map: serviceOf,
        observe: ({ type, object }) => {
          const owner = controllerRefOf(object)?.uid;
          if (type === "added" && owner !== undefined) expectations.creationObserved(owner);
        },
      },
      {
        kind: nodes,
        map: ({ metadata: { name = "" } }, cache) =>
          cache.list(pods, { index: podsOn(name) }).flatMap((pod) => servicesOf(pod, cache).map(keyOf)),
        filter: changesZone,
      },
      {
        kind: nodes,
        map: (_, cache) => cache.list(services).filter(isTopologyAware).map(keyOf),
        filter: (delta) =>
          delta.type !== "updated" || !deepEqual(topologyOf(delta.old), topologyOf(delta.object)),
      },
      {
        kind: services,
        map: () => [],
        observe: ({ type, object }) => {
          const { uid = "" } = object.metadata;
          if (type !== "deleted") return;
          expectations.forget(uid);
          aware.delete(uid);
        },
      },
    ],
    workers: 5,
    async reconcile(request) {
      const { namespace, name, cache } = request;
      const service = cache.get(services, namespace, name);
      if (service === undefined || service.metadata.deletionTimestamp !== undefined) return;
      const labels = backendLabels(service);
      const { uid = "" } = service.metadata;
      if (labels === undefined || !expectations.satisfied(uid)) return;
      const plan = planSlices({
        service,
        pods: cache.list(pods, { namespace, selector: selectorOfLabels(labels) }),
        slices: cache
          .list(endpointSlices, { index: byOwner(uid) })
          .filter((one) => isOurs(one) && one.metadata.deletionTimestamp === undefined),
        zoneOf: (nodeName) => {
          const node = cache.get(nodes, undefined, nodeName);
          return node === undefined ? undefined : { zone: zoneIn(node) };
        },
        shares: isTopologyAware(service) ? zoneShares(cache.list(nodes)) : undefined,
      });
      reportHints(service, plan, aware, request);
      await carryOut(plan, uid, expectations, request);
    },
  });
}

/** Reports when a Service gets or loses hints by the zones' CPU. */
function reportHints(
  service: Service,
  { problems = [] }: Plan,
  aware: Set<string>,
  { events }: Reconcile,
): void {
  const { uid = "" } = service.metadata;
  const disabled = "TopologyAwareHintsDisabled";
  if (!isTopologyAware(service)) {
    if (aware.delete(uid))
      events.event(service, "Warning", disabled, "Topology Aware Hints has been disabled");
    return;
  }
  for (const problem of problems) events.event(service, "Warning", disabled, problem);
  if (problems.length > 0) aware.delete(uid);
  else if (!aware.has(uid)) {
    aware.add(uid);
    const families = service.spec.ipFamilies?.join(", ") ?? "IPv4";
    const message = `Topology Aware Hints has been enabled, addressType: ${families}`;
    events.event(service, "Normal", "TopologyAwareHintsEnabled", message);
  }
}

const zoneIn = ({ metadata }: Node) => metadata.labels?.[zoneLabel];

function changesZone(delta: Delta<Node>): boolean {
  return delta.type !== "updated" || zoneIn(delta.old) !== zoneIn(delta.object);
}

function isOurs({ metadata }: EndpointSlice): boolean {
  return metadata.labels?.[managedByLabel] === managedBy;
}

/**
 * Returns the Services of the label and of the controller reference, so that a slice with changed labels is
 * repaired.
 */
function serviceOf(slice: EndpointSlice): readonly string[] {
  const { namespace, labels } = slice.metadata;
  const names = [labels?.[serviceNameLabel], controllerRefOf(slice)?.name];
  return [...new Set(names)].flatMap((name) => (name === undefined ? [] : [`${namespace}/${name}`]));
}

async function carryOut(
  { create, update, remove }: Plan,
  uid: string,
  expectations: Expectations,
  { client, namespace }: Reconcile,
): Promise<void> {
  const slices = client.of(endpointSlices, namespace);
  expectations.expectCreations(uid, create.length);
  const results = await Promise.allSettled([
    ...create.map(async (slice) => {
      try {
        await slices.create(slice);
      } catch (error) {
        expectations.creationObserved(uid);
        if (!isNamespaceEnding(error)) throw error;
      }
    }),
    ...update.map((slice) => slices.update(slice)),
    ...remove.map(({ metadata: { name = "" } }) => ignoreGone(slices.delete(name))),
  ]);
  for (const one of results) if (one.status === "rejected") throw one.reason;
}
