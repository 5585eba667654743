import { type Registration, serve } from "../../meta/strategy.ts";
import { leaseColumns } from "./lease/printer.ts";
import { leases } from "./lease/schema.ts";
import { dropCoordination } from "./lease/strategy.ts";
import { validateLease } from "./lease/validation.ts";

/** The group `coordination.k8s.io`. An update of a Lease requires a resourceVersion. */
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
