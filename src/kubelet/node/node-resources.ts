import { isExtended } from "../../api/core/validation/resources.ts";

type Resources = Readonly<Record<string, string>>;

/**
 * The node's capacity and what of it Pods can use (kubelet `nodestatus.MachineInfo`). `own` is what the machine has;
 * all else in the status was set by others, such as extended resources by their operators, and is kept.
 */
export function nodeResources(
  status: { readonly capacity?: Resources; readonly allocatable?: Resources },
  own: Resources,
): { readonly capacity: Resources; readonly allocatable: Resources } {
  const capacity = { ...status.capacity, ...own };
  const kept = Object.entries(status.allocatable ?? {}).filter(
    ([name]) => !isExtended(name) || Object.hasOwn(capacity, name),
  );
  return { capacity, allocatable: { ...Object.fromEntries(kept), ...capacity } };
}
