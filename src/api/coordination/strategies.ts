import { type Registration, serve } from "../../meta/strategy.ts";
import { leaseColumns } from "./printers.ts";
import { leases } from "./v1.ts";
import { validateLease } from "./validation.ts";

/** The group `coordination.k8s.io`. A lease is only ever taken from the state that was seen. */
export const coordinationRegistrations: readonly Registration[] = [
  serve(leases, {
    validate: validateLease,
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    columns: leaseColumns,
  }),
];
