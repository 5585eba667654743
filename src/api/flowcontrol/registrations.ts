import { type Registration, serve } from "../../meta/strategy.ts";
import { prepareStatusUpdate } from "../status-metadata.ts";
import { defaultFlowSchema } from "./flow-schema/defaults.ts";
import { defaultPriorityLevel } from "./priority-level-configuration/defaults.ts";
import { compareFlowSchemas, flowSchemaColumns } from "./flow-schema/printer.ts";
import { priorityLevelColumns } from "./priority-level-configuration/printer.ts";
import { flowSchemas } from "./flow-schema/schema.ts";
import { priorityLevelConfigurations } from "./priority-level-configuration/schema.ts";
import { validateFlowSchema, validateFlowSchemaStatus } from "./flow-schema/validation.ts";
import {
  validatePriorityLevel,
  validatePriorityLevelStatus,
} from "./priority-level-configuration/validation.ts";

/** The group `flowcontrol.apiserver.k8s.io`. The API server queues the requests. */
export const flowcontrolRegistrations: readonly Registration[] = [
  serve(flowSchemas, {
    setDefaults: defaultFlowSchema,
    prepareForUpdate: prepareStatusUpdate,
    validate: validateFlowSchema,
    parts: { status: { validate: validateFlowSchemaStatus } },
    generation: true,
    columns: flowSchemaColumns,
    compareRows: compareFlowSchemas,
  }),
  serve(priorityLevelConfigurations, {
    setDefaults: defaultPriorityLevel,
    prepareForUpdate: prepareStatusUpdate,
    validate: validatePriorityLevel,
    parts: { status: { validate: validatePriorityLevelStatus } },
    generation: true,
    columns: priorityLevelColumns,
  }),
];
