import type { Draft } from "../../meta/schema.ts";
import { type Registration, serve } from "../../meta/strategy.ts";
import { leaseColumns } from "./printers.ts";
import { type Lease, leases } from "./v1.ts";
import { validateLease } from "./validation.ts";

/** Candidates are not coordinated: the feature is off in upstream, too. What is stored already stays. */
function dropCoordination({ spec }: Draft<Lease>, old?: Lease): void {
  if (spec === undefined) return;
  for (const name of ["strategy", "preferredHolder"] as const) {
    if (old?.spec?.[name] === undefined) delete spec[name];
  }
}

/** The group `coordination.k8s.io`. A lease is only ever taken from the state that was seen. */
export const coordinationRegistrations: readonly Registration[] = [
  serve(leases, {
    prepareForCreate: (draft) => dropCoordination(draft),
    prepareForUpdate: dropCoordination,
    validate: validateLease,
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    columns: leaseColumns,
  }),
];
