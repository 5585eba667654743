import { root } from "../../../meta/field-error.ts";
import { ipWarnings } from "../warnings/ip.ts";
import type { Endpoints } from "./schema.ts";

/**
 * Warnings about addresses. Endpoints of the controller get none, because the controller writes canonical
 * addresses.
 */
export function endpointsWarnings({ metadata, subsets = [] }: Endpoints): readonly string[] {
  if (metadata.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller") return [];
  return subsets.flatMap((subset, i) =>
    (["addresses", "notReadyAddresses"] as const).flatMap((name) =>
      (subset[name] ?? []).flatMap(({ ip }, j) =>
        ipWarnings(ip, root.child("subsets").index(i).child(name).index(j).child("ip")),
      ),
    ),
  );
}
