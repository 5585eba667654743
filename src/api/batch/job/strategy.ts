import type { Strategy } from "../../../meta/strategy.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { podNameWarnings } from "../../core/pod/warnings/names.ts";
import { defaultJob } from "./defaults.ts";
import { generateSelector } from "./generated-labels.ts";
import { jobColumns } from "./printer.ts";
import type { Job } from "./schema.ts";
import { validateJobStatus } from "./validation-status.ts";
import { validateJobUpdate } from "./validation-update.ts";
import { validateJob } from "./validation.ts";
import { specWarnings } from "./warnings.ts";

export const jobStrategy: Strategy<Job> = {
  orphansByDefault: {
    warning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  setDefaults: defaultJob,
  prepareForCreate: generateSelector,
  validateCreate: (job) => validateJob(job),
  validateUpdate: validateJobUpdate,
  parts: { status: { validate: validateJobStatus } },
  warnings: ({ metadata, spec }, old) => [
    ...(old === undefined ? podNameWarnings(metadata.name) : []),
    ...(deepEqual(spec, old?.spec) ? [] : specWarnings(spec, "spec")),
  ],
  generation: true,
  columns: jobColumns,
  selectableFields: { "status.successful": ({ status }) => String(status.succeeded ?? 0) },
};
