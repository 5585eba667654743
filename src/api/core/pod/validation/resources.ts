import { type FieldError, type FieldPath, forbidden, invalid } from "../../../../meta/field-error.ts";
import { compareQuantities, formatQuantity, parseQuantity } from "../../../../meta/quantity.ts";
import { type Amounts, aggregate, isHugePage, type ResourceList } from "../resources.ts";
import type { PodSpec } from "../spec.ts";
import { validatePodResources } from "../../validation/resources.ts";

/** Requires that the Pod-level resources suffice for all containers. */
export function* validatePodLevelResources(spec: PodSpec, path: FieldPath): Generator<FieldError> {
  const { resources } = spec;
  if (resources === undefined) return;
  const place = path.child("resources");
  if (spec.os?.name === "windows") {
    yield forbidden(place, "may not be set for a windows pod");
    return;
  }
  yield* validatePodResources(resources, place);
  const { requests, limits = {} } = resources;
  const asked = aggregate(spec, (container) => container.resources.requests);
  yield* validateRoom(asked, requests, "requests", place.child("requests"));
  const most = aggregate(spec, (container) => container.resources.limits);
  const pages = new Map([...most].filter(([name]) => isHugePage(name)));
  yield* validateRoom(pages, limits, "limits", place.child("limits"));
  for (const [i, container] of spec.containers.entries()) {
    for (const [name, amount] of Object.entries(container.resources.limits ?? {})) {
      const limit = limits[name];
      if (limit === undefined || compareQuantities(parseQuantity(amount), parseQuantity(limit)) <= 0)
        continue;
      yield invalid(
        place.child("containers").index(i).key(name).child("limits"),
        amount,
        `must be less than or equal to pod limits of ${limit}`,
      );
    }
  }
}

function* validateRoom(
  needed: Amounts,
  given: ResourceList | undefined,
  what: string,
  path: FieldPath,
): Generator<FieldError> {
  for (const [name, amount] of needed) {
    const room = given?.[name];
    if (room === undefined || compareQuantities(amount, parseQuantity(room)) <= 0) continue;
    yield invalid(
      path.key(name),
      room,
      `must be greater than or equal to aggregate container ${what} of ${formatQuantity(amount)}`,
    );
  }
}
