import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { membersOf } from "../pod/roles.ts";

/** Requests and limits. */
export type Requirements = Container["resources"];
type Spec = Pod["spec"];

/** The requests and limits of a Pod that can change while it runs. */
export interface Sizes {
  /** Those of the whole Pod. */
  readonly pod?: Requirements | undefined;
  /** By container, without ephemeral ones. */
  readonly containers: ReadonlyMap<string, Requirements>;
}

/** Stands for the Pod itself where sizes are named by container: no container has an empty name. */
export const wholePod = "";

export function sizesOf(spec: Spec): Sizes {
  const containers = membersOf({ spec })
    .filter(({ role }) => role !== "ephemeral")
    .map(({ container }) => [container.name, container.resources] as const);
  return { ...(spec.resources !== undefined && { pod: spec.resources }), containers: new Map(containers) };
}

/** Returns the requests and limits of a container, or of the whole Pod. */
export function sizeOf(spec: Spec, name: string): Requirements | undefined {
  if (name === wholePod) return spec.resources;
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  return all.find((container) => container.name === name)?.resources;
}

export function haveSameSizes(a: Spec, b: Spec): boolean {
  return (
    a === b ||
    (deepEqual(a.resources, b.resources) &&
      areSameSizes(a.containers, b.containers) &&
      areSameSizes(a.initContainers ?? [], b.initContainers ?? []))
  );
}

function areSameSizes(a: readonly Container[], b: readonly Container[]): boolean {
  return a.length === b.length && a.every((one, index) => deepEqual(one.resources, b[index]?.resources));
}

/** Returns the spec with other sizes; containers without one keep theirs. */
export function withSizes(spec: Spec, { pod, containers }: Sizes): Spec {
  const sized = <C extends Container>(container: C): C => {
    const resources = containers.get(container.name);
    return resources === undefined ? container : { ...container, resources };
  };
  const { resources: _, initContainers, ...rest } = spec;
  return {
    ...rest,
    containers: spec.containers.map(sized),
    ...(initContainers !== undefined && { initContainers: initContainers.map(sized) }),
    ...(pod !== undefined && { resources: pod }),
  };
}
