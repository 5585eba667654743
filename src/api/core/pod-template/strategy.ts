import { root } from "../../../meta/field-error.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { dropDisabledFields } from "../pod/dropped-fields.ts";
import { defaultPodSpec } from "../pod/spec-defaults.ts";
import { validatePodTemplate } from "../pod/validation/pod.ts";
import { isChanged, templateWarnings } from "../pod/warnings/pod.ts";
import { podTemplateColumns } from "./printer.ts";
import type { PodTemplate } from "./schema.ts";

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
