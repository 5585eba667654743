import { type Registration, serve } from "../../meta/strategy.ts";
import { prepareStatusUpdate } from "../status-metadata.ts";
import { defaultFlowSchema, defaultPriorityLevel } from "./defaults.ts";
import { compareFlowSchemas, flowSchemaColumns, priorityLevelColumns } from "./printers.ts";
import { flowSchemas } from "./v1/flow-schema.ts";
import { priorityLevelConfigurations } from "./v1/priority-level-configuration.ts";
import { validateFlowSchema, validateFlowSchemaStatus } from "./validation-flow-schema.ts";
import { validatePriorityLevel, validatePriorityLevelStatus } from "./validation-priority-level.ts";

/** The group `flowcontrol.apiserver.k8s.io`. Whose requests wait is the server's business. */
export const flowcontrolRegistrations: readonly Registration[] = [
  serve(flowSchemas, {
    setDefaults: defaultFlowSchema,
    prepareForUpdate: prepareStatusUpdate,
    validate: validateFlowSchema,
    validateStatusUpdate: validateFlowSchemaStatus,
    generation: true,
    columns: flowSchemaColumns,
    compareRows: compareFlowSchemas,
  }),
  serve(priorityLevelConfigurations, {
    setDefaults: defaultPriorityLevel,
    prepareForUpdate: prepareStatusUpdate,
    validate: validatePriorityLevel,
    validateStatusUpdate: validatePriorityLevelStatus,
    generation: true,
    columns: priorityLevelColumns,
  }),
];
