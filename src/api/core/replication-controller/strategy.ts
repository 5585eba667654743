import type { Strategy } from "../../../meta/strategy.ts";
import { dropDisabledFields } from "../pod/dropped-fields.ts";
import { replicasWarnings } from "../pod/warnings/pod.ts";
import { defaultReplicationController } from "./defaults.ts";
import { replicationControllerColumns } from "./printer.ts";
import type { ReplicationController } from "./schema.ts";
import { validateReplicationController, validateReplicationControllerStatus } from "./validation.ts";

export const replicationControllerStrategy: Strategy<ReplicationController> = {
  orphansByDefault: {},
  setDefaults: defaultReplicationController,
  prepareForCreate: ({ spec: { template } }) => template && dropDisabledFields(template.spec),
  prepareForUpdate: ({ spec: { template } }, { spec: old }) =>
    template && dropDisabledFields(template.spec, old.template?.spec),
  validate: validateReplicationController,
  parts: { status: { validate: validateReplicationControllerStatus } },
  warnings: replicasWarnings,
  generation: true,
  columns: replicationControllerColumns,
  selectableFields: { "status.replicas": ({ status }) => String(status.replicas) },
};
