import { type Registration, serve } from "../../meta/strategy.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { endpointSliceColumns } from "./endpoint-slice/printer.ts";
import { endpointSlices } from "./endpoint-slice/schema.ts";
import {
  validateEndpoints,
  validateEndpointSlice,
  validateEndpointSliceUpdate,
} from "./endpoint-slice/validation.ts";

/** The group `discovery.k8s.io`. */
export const discoveryRegistrations: readonly Registration[] = [
  serve(endpointSlices, {
    validate: validateEndpointSlice,
    validateCreate: validateEndpoints,
    validateUpdate: validateEndpointSliceUpdate,
    warnings: ({ addressType }, old) =>
      old === undefined && addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : [],
    generation: true,
    // Labels identify the Service of the endpoints, so a change of labels also increases the generation.
    prepareForUpdate({ metadata }, old) {
      if (!deepEqual(metadata.labels, old.metadata.labels))
        metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    columns: endpointSliceColumns,
  }),
];
