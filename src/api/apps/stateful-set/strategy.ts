import type { Draft } from "../../../meta/schema.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { labelProblems } from "../../../meta/validation/dns.ts";
import { dropDisabledFields } from "../../core/pod/dropped-fields.ts";
import { defaultStatefulSet } from "./defaults.ts";
import { statefulSetColumns } from "./printer.ts";
import type { StatefulSet } from "./schema.ts";
import {
  validateServiceName,
  validateStatefulSet,
  validateStatefulSetStatus,
  validateStatefulSetUpdate,
} from "./validation.ts";
import { statefulSetWarnings } from "./warnings.ts";

export const statefulSetStrategy: Strategy<StatefulSet> = {
  setDefaults: defaultStatefulSet,
  prepareForCreate: (draft) => prepareStatefulSet(draft, undefined),
  prepareForUpdate: prepareStatefulSet,
  validate: validateStatefulSet,
  validateName: labelProblems,
  validateCreate: validateServiceName,
  validateUpdate: validateStatefulSetUpdate,
  parts: { status: { validate: validateStatefulSetStatus } },
  warnings: statefulSetWarnings,
  generation: true,
  columns: statefulSetColumns,
};

/** Drops `maxUnavailable`, because its feature gate is off by default. */
function prepareStatefulSet(draft: Draft<StatefulSet>, old: StatefulSet | undefined): void {
  if (old?.spec.updateStrategy.rollingUpdate?.maxUnavailable === undefined) {
    delete draft.spec.updateStrategy.rollingUpdate?.maxUnavailable;
  }
  dropDisabledFields(draft.spec.template.spec, old?.spec.template.spec);
}
