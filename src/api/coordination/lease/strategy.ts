import type { Draft } from "../../../meta/schema.ts";
import type { Lease } from "./schema.ts";

/**
 * Drops the fields of coordinated leader election, because the feature gate is off by default. Stored values
 * are kept.
 */
export function dropCoordination({ spec }: Draft<Lease>, old?: Lease): void {
  if (spec === undefined) return;
  for (const name of ["strategy", "preferredHolder"] as const) {
    if (old?.spec?.[name] === undefined) delete spec[name];
  }
}
