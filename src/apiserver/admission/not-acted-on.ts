import { groupResource } from "../../meta/kind.ts";
import type { AdmissionPlugin } from "./plugin.ts";

/**
 * Warns of each created object that no part of the cluster acts on: a policy that denies nothing must not
 * look like one that does. `kinds` maps a resource, as in `jobs.batch`, to the missing behavior.
 */
export function warnOfKindsNotActedOn(kinds: ReadonlyMap<string, string>): AdmissionPlugin {
  return {
    name: "NotActedOn",
    validate({ operation, resource, subresource, warn }) {
      if (operation !== "CREATE" || subresource !== "") return;
      const missing = kinds.get(groupResource(resource.kind));
      if (missing !== undefined)
        warn(`${resource.kind.kind} is stored, but this version of Knarr ${missing}`);
    },
  };
}
