import type { Strategy } from "../../../meta/strategy.ts";
import { common } from "../common-strategy.ts";
import { bindingColumns } from "./printer.ts";
import type { MutatingAdmissionPolicyBinding, ValidatingAdmissionPolicyBinding } from "./schema.ts";
import { validateMutatingBinding, validateValidatingBinding } from "./validation.ts";

export const mutatingBindingStrategy: Strategy<MutatingAdmissionPolicyBinding> = {
  ...common,
  validate: validateMutatingBinding,
  columns: bindingColumns,
};

export const validatingBindingStrategy: Strategy<ValidatingAdmissionPolicyBinding> = {
  ...common,
  validate: validateValidatingBinding,
  columns: bindingColumns,
};
