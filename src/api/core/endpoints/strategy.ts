import type { Strategy } from "../../../meta/strategy.ts";
import { endpointsColumns } from "./printer.ts";
import type { Endpoints } from "./schema.ts";
import { validateEndpoints } from "./validation.ts";
import { endpointsWarnings } from "./warnings.ts";

export const endpointsStrategy: Strategy<Endpoints> = {
  validate: validateEndpoints,
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  warnings: endpointsWarnings,
  allowCreateOnUpdate: true,
  columns: endpointsColumns,
};
