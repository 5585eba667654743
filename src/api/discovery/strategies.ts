import { type Registration, serve } from "../../meta/strategy.ts";
import { endpointSliceColumns } from "./printers.ts";
import { endpointSlices } from "./v1.ts";
import { validateEndpointSlice, validateEndpointSliceUpdate } from "./validation.ts";

/** The group `discovery.k8s.io`. */
export const discoveryRegistrations: readonly Registration[] = [
  serve(endpointSlices, {
    validate: validateEndpointSlice,
    validateUpdate: validateEndpointSliceUpdate,
    generation: true,
    columns: endpointSliceColumns,
  }),
];
