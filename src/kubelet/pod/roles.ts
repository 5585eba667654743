import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";

/** A container's role in its Pod. A sidecar is an init container that runs beside the others (KEP-753). */
export type ContainerRole = "init" | "sidecar" | "main" | "ephemeral";

export interface Member {
  readonly container: Container;
  readonly role: ContainerRole;
}

/** Returns all containers of a Pod: the init containers in order, the main ones, the ephemeral ones. */
export function membersOf({ spec }: Pick<Pod, "spec">): readonly Member[] {
  const ephemeral: readonly Container[] = spec.ephemeralContainers ?? [];
  return [
    ...(spec.initContainers ?? []).map((container) => ({ container, role: initRole(container) })),
    ...spec.containers.map((container) => ({ container, role: "main" as const })),
    ...ephemeral.map((container) => ({ container, role: "ephemeral" as const })),
  ];
}

/** Returns the role of one of the Pod's containers. */
export function roleOf({ spec }: Pick<Pod, "spec">, container: Container): ContainerRole {
  if ((spec.initContainers ?? []).includes(container)) return initRole(container);
  const ephemeral: readonly Container[] = spec.ephemeralContainers ?? [];
  return ephemeral.includes(container) ? "ephemeral" : "main";
}

function initRole(container: Container): "init" | "sidecar" {
  return isSidecar(container) ? "sidecar" : "init";
}

/** True for a sidecar, among init containers. */
export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === "Always";
}
