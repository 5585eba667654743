import type { Strategy } from "../../../meta/strategy.ts";
import { defaultNode } from "./defaults.ts";
import { nodeColumns } from "./printer.ts";
import type { Node } from "./schema.ts";
import { validateNode, validateNodeUpdate } from "./validation.ts";
import { nodeWarnings } from "./warnings.ts";

/** A kubelet may set the status when it creates its Node. */
export const nodeStrategy: Strategy<Node> = {
  setDefaults: defaultNode,
  keepsStatusOnCreate: true,
  // Drops the remains of dynamic kubelet configuration, which was removed.
  prepareForCreate: ({ spec, status }) => {
    delete spec.configSource;
    delete status.config;
  },
  prepareForUpdate: ({ spec }, old) => {
    if (old.spec.configSource === undefined) delete spec.configSource;
  },
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  parts: { status: { validate: (node, old) => [...validateNode(node), ...validateNodeUpdate(node, old)] } },
  warnings: nodeWarnings,
  columns: nodeColumns,
  selectableFields: { "spec.unschedulable": ({ spec }) => String(spec.unschedulable ?? false) },
};
