import { type Endpoints, endpoints } from "../../api/core/endpoints/schema.ts";
import { type Service, services } from "../../api/core/service/schema.ts";
import { type EndpointSlice, endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { Expectations } from "../../client/expectations.ts";
import { defineIndex, keyOf } from "../../client/indexer.ts";
import type { Delta } from "../../client/informer.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import type { Clock } from "../../util/clock.ts";
import { managedByLabel, serviceNameLabel } from "../endpoint-slice/plan.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { isNamespaceEnding } from "../pods/pod-control.ts";
import { managedBy, type Plan, planMirror } from "./plan.ts";

/** The default of `--mirroring-max-endpoints-per-subset`. */
const maxEndpoints = 1000;

/** Slices that this controller made, by the key of the Endpoints that they mirror. */
const byEndpoints = defineIndex<EndpointSlice>("mirrored-endpoints", keysOf);

/**
 * Mirrors Endpoints that users manage, those of Services without a selector, into EndpointSlices (upstream
 * `endpointslicemirroring/endpointslicemirroring_controller.go`).
 */
export function endpointSliceMirroringController(clock: Clock): Controller {
  /** By the Endpoints' key. Slices have generated names, so with a stale cache a second create would succeed. */
  const expectations = new Expectations(clock);
  return controller({
    name: "endpointslicemirroring-controller",
    eventSource: "endpoint-slice-mirroring-controller",
    for: endpoints,
    watches: [
      { kind: services, map: (service) => [keyOf(service)], filter: changesSelection },
      {
        kind: endpointSlices,
        map: keysOf,
        observe: ({ type, object }) => {
          if (type === "added") for (const key of keysOf(object)) expectations.creationObserved(key);
        },
      },
    ],
    workers: 5,
    async reconcile(request) {
      const { key, namespace, name, cache, events } = request;
      const mirrored = cache.get(endpoints, namespace, name);
      if (mirrored === undefined) expectations.forget(key);
      if (!expectations.satisfied(key)) return;
      const plan = planMirror({
        endpoints: mirrored,
        service: cache.get(services, namespace, name),
        slices: cache
          .list(endpointSlices, { index: byEndpoints(key) })
          .filter(({ metadata }) => metadata.deletionTimestamp === undefined),
        maxEndpoints,
      });
      if (mirrored !== undefined) report(mirrored, plan, events);
      await carryOut(plan, expectations, request);
    },
  });
}

function keysOf({ metadata: { namespace, labels } }: EndpointSlice): readonly string[] {
  const name = labels?.[serviceNameLabel];
  return labels?.[managedByLabel] === managedBy && name !== undefined ? [`${namespace}/${name}`] : [];
}

function changesSelection(delta: Delta<Service>): boolean {
  const selects = ({ spec }: Service) => spec.selector !== undefined;
  return delta.type === "updated" ? selects(delta.old) !== selects(delta.object) : !selects(delta.object);
}

function report(about: Endpoints, { warnings }: Plan, events: Reconcile["events"]): void {
  for (const { reason, message } of warnings) events.event(about, "Warning", reason, message);
}

async function carryOut(
  { create, update, remove }: Plan,
  expectations: Expectations,
  { key, client, namespace }: Reconcile,
): Promise<void> {
  const slices = client.of(endpointSlices, namespace);
  if (create.length > 0) expectations.expectCreations(key, create.length);
  const results = await Promise.allSettled([
    ...create.map(async (slice) => {
      try {
        await slices.create(slice);
      } catch (error) {
        expectations.creationObserved(key);
        if (!isNamespaceEnding(error)) throw error;
      }
    }),
    ...update.map((slice) => slices.update(slice)),
    ...remove.map(({ metadata: { name = "" } }) => ignoreGone(slices.delete(name))),
  ]);
  for (const one of results) if (one.status === "rejected") throw one.reason;
}
