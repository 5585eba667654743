import { root } from "../../../meta/field-error.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { templateHooks } from "../../core/pod/dropped-fields.ts";
import { templateWarnings } from "../../core/pod/warnings/pod.ts";
import { validateSameSelector } from "../validation.ts";
import { defaultDaemonSet } from "./defaults.ts";
import { daemonSetColumns } from "./printer.ts";
import type { DaemonSet } from "./schema.ts";
import { validateDaemonSet, validateDaemonSetStatus } from "./validation.ts";

/** The annotation that counts changes of the template. It was a field of `extensions/v1beta1`. */
const templateGeneration = "deprecated.daemonset.template.generation";

export const daemonSetStrategy: Strategy<DaemonSet> = {
  setDefaults: defaultDaemonSet,
  prepareForCreate(draft) {
    templateHooks.prepareForCreate(draft);
    const { metadata } = draft;
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: "1" };
  },
  prepareForUpdate(draft, old, { subresource }) {
    templateHooks.prepareForUpdate(draft, old);
    const { metadata, spec } = draft;
    if (subresource !== "") return;
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
    const count = deepEqual(spec.template, old.spec.template) ? before : before + 1;
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(count) };
  },
  validate: validateDaemonSet,
  validateUpdate: validateSameSelector,
  parts: { status: { validate: validateDaemonSetStatus } },
  warnings: (object, old) =>
    deepEqual(object.spec.template, old?.spec.template)
      ? []
      : templateWarnings(object.spec.template, root.child("spec", "template")),
  generation: true,
  columns: daemonSetColumns,
};
