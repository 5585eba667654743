import type { Strategy } from "../../../meta/strategy.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import { formatTime } from "../../../util/clock.ts";
import { prepareStatusUpdate } from "../../status-metadata.ts";
import { apiServiceColumns } from "./printer.ts";
import type { APIService } from "./schema.ts";
import { validateAPIService, validateAPIServiceStatus } from "./validation.ts";

export const apiServiceStrategy: Strategy<APIService> = {
  validateName: pathSegmentProblems,
  // Groups that this server serves are always available.
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
  parts: { status: { validate: validateAPIServiceStatus } },
  allowUnconditionalUpdate: false,
  columns: apiServiceColumns,
};
