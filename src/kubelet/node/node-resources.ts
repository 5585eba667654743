import { isExtended } from "../../api/core/validation/resources.ts";

type Resources = Readonly<Record<string, string>>;

/**
 * Returns the node's capacity and the part of it that Pods can use (kubelet `nodestatus.MachineInfo`). `own` are the
 * machine's resources, and `usable` the amounts for Pods where they differ. Other resources in the status, such as
 * extended ones, were set by other clients and are kept.
 */
export function nodeResources(
  status: { readonly capacity?: Resources; readonly allocatable?: Resources },
  own: Resources,
  usable: Resources = {},
): { readonly capacity: Resources; readonly allocatable: Resources } {
  const capacity = { ...status.capacity, ...own };
  const kept = Object.entries(status.allocatable ?? {}).filter(
    ([name]) => !isExtended(name) || Object.hasOwn(capacity, name),
  );
  return { capacity, allocatable: { ...Object.fromEntries(kept), ...capacity, ...usable } };
}
