import { type Registration, serve, type Strategy } from "../../meta/strategy.ts";
import { deprecatedLabels } from "../core/deprecated-labels.ts";
import { column } from "../printing.ts";
import { runtimeClasses, type RuntimeClass } from "./v1.ts";
import { validateRuntimeClass, validateSameHandler } from "./validation.ts";

const strategy: Strategy<RuntimeClass> = {
  validate: validateRuntimeClass,
  validateUpdate: validateSameHandler,
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {})
      .map((label) => deprecatedLabels[label])
      .filter((text) => text !== undefined)
      .map((text) => `scheduling.nodeSelector: ${text}`),
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  columns: [column("Handler", "What the node's runtime calls it.", ({ handler }) => handler)],
};

/** The group `node.k8s.io`. */
export const nodeRegistrations: readonly Registration[] = [serve(runtimeClasses, strategy)];
