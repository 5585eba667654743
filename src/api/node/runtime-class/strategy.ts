import type { Strategy } from "../../../meta/strategy.ts";
import { deprecatedLabels } from "../../core/deprecated-labels.ts";
import { column } from "../../printing.ts";
import type { RuntimeClass } from "./schema.ts";
import { validateRuntimeClass, validateSameHandler } from "./validation.ts";

export const strategy: Strategy<RuntimeClass> = {
  validate: validateRuntimeClass,
  validateUpdate: validateSameHandler,
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {})
      .map((label) => deprecatedLabels[label])
      .filter((text) => text !== undefined)
      .map((text) => `scheduling.nodeSelector: ${text}`),
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  columns: [
    column("Handler", "The name of the handler in the node's container runtime.", ({ handler }) => handler),
  ],
};
