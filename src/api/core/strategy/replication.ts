import { root } from "../../../meta/field-error.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { defaultReplicationController } from "../defaults/plain.ts";
import { defaultPodSpec } from "../defaults/pod-spec.ts";
import { dropDisabledFields } from "../pods/dropped-fields.ts";
import { podTemplateColumns, replicationControllerColumns } from "../printers/plain.ts";
import type { PodTemplate } from "../v1/pod-template.ts";
import type { ReplicationController } from "../v1/replication-controller.ts";
import { validatePodTemplate } from "../validation/pod.ts";
import {
  validateReplicationController,
  validateReplicationControllerStatus,
} from "../validation/replication-controller.ts";
import { isChanged, replicasWarnings, templateWarnings } from "../warnings/pod.ts";

export const podTemplateStrategy: Strategy<PodTemplate> = {
  setDefaults: ({ template }) => defaultPodSpec(template.spec),
  prepareForCreate: ({ template }) => dropDisabledFields(template.spec),
  prepareForUpdate: ({ template }, old) => dropDisabledFields(template.spec, old.template.spec),
  validate: ({ template }) => validatePodTemplate(template, root.child("template")),
  warnings: (object, old) =>
    isChanged(object, old) ? templateWarnings(object.template, root.child("template")) : [],
  generation: true,
  returnDeletedObject: true,
  columns: podTemplateColumns,
};

export const replicationControllerStrategy: Strategy<ReplicationController> = {
  orphansByDefault: {},
  setDefaults: defaultReplicationController,
  prepareForCreate: ({ spec: { template } }) => template && dropDisabledFields(template.spec),
  prepareForUpdate: ({ spec: { template } }, { spec: old }) =>
    template && dropDisabledFields(template.spec, old.template?.spec),
  validate: validateReplicationController,
  validateStatusUpdate: validateReplicationControllerStatus,
  warnings: replicasWarnings,
  generation: true,
  columns: replicationControllerColumns,
  selectableFields: { "status.replicas": ({ status }) => String(status.replicas) },
};
