import type { Strategy } from "../../../meta/strategy.ts";
import { templateHooks } from "../../core/pod/dropped-fields.ts";
import { replicasWarnings } from "../../core/pod/warnings/pod.ts";
import { validateSameSelector } from "../validation.ts";
import { defaultReplicaSet } from "./defaults.ts";
import { replicaSetColumns } from "./printer.ts";
import type { ReplicaSet } from "./schema.ts";
import { validateReplicaSet, validateReplicaSetStatus } from "./validation.ts";

export const replicaSetStrategy: Strategy<ReplicaSet> = {
  ...templateHooks,
  setDefaults: defaultReplicaSet,
  validate: validateReplicaSet,
  validateUpdate: validateSameSelector,
  parts: { status: { validate: validateReplicaSetStatus } },
  warnings: replicasWarnings,
  generation: true,
  columns: replicaSetColumns,
};
