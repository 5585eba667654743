import { type Registration, serve, type Strategy } from "../../meta/strategy.ts";
import { pathSegmentProblems } from "../../meta/validation/text.ts";
import { formatTime } from "../../util/clock.ts";
import { prepareStatusUpdate } from "../status-metadata.ts";
import { apiServiceColumns } from "./printers.ts";
import { type APIService, apiServices } from "./v1.ts";
import { validateAPIService, validateAPIServiceStatus } from "./validation.ts";

const apiServiceStrategy: Strategy<APIService> = {
  validateName: pathSegmentProblems,
  // What this server serves itself can be reached.
  prepareForCreate({ spec, status }, { now }) {
    if (spec.service !== undefined) return;
    status.conditions = [
      {
        type: "Available",
        status: "True",
        lastTransitionTime: formatTime(now),
        reason: "Local",
        message: "Local APIServices are always available",
      },
    ];
  },
  prepareForUpdate: prepareStatusUpdate,
  validate: validateAPIService,
  validateStatusUpdate: validateAPIServiceStatus,
  allowUnconditionalUpdate: false,
  columns: apiServiceColumns,
};

/** The group `apiregistration.k8s.io`. To whom requests are handed on is the server's business. */
export const apiregistrationRegistrations: readonly Registration[] = [serve(apiServices, apiServiceStrategy)];
