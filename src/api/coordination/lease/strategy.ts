import type { Draft } from "../../../meta/schema.ts";
import type { Lease } from "./schema.ts";

/** Candidates are not coordinated: the feature is off in upstream, too. What is stored already stays. */
export function dropCoordination({ spec }: Draft<Lease>, old?: Lease): void {
  if (spec === undefined) return;
  for (const name of ["strategy", "preferredHolder"] as const) {
    if (old?.spec?.[name] === undefined) delete spec[name];
  }
}
