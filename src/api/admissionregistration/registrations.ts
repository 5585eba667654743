import { type Registration, serve } from "../../meta/strategy.ts";
import { prepareStatusUpdate } from "../status-metadata.ts";
import { common } from "./common-strategy.ts";
import {
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicyBindings,
} from "./policy-binding/schema.ts";
import { mutatingBindingStrategy, validatingBindingStrategy } from "./policy-binding/strategy.ts";
import { mutatingPolicyColumns, validatingPolicyColumns } from "./policy/printer.ts";
import { mutatingAdmissionPolicies, validatingAdmissionPolicies } from "./policy/schema.ts";
import {
  validateMutatingPolicy,
  validatePolicyStatus,
  validateValidatingPolicy,
} from "./policy/validation.ts";
import { webhookColumns } from "./webhook-configuration/printer.ts";
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from "./webhook-configuration/schema.ts";
import { validateWebhooks } from "./webhook-configuration/validation.ts";

/** The group `admissionregistration.k8s.io`. */
export const admissionregistrationRegistrations: readonly Registration[] = [
  serve(mutatingAdmissionPolicies, {
    ...common,
    validateCreate: (policy) => validateMutatingPolicy(policy),
    validateUpdate: (policy, old) => validateMutatingPolicy(policy, old),
    columns: mutatingPolicyColumns,
  }),
  serve(mutatingAdmissionPolicyBindings, mutatingBindingStrategy),
  serve(mutatingWebhookConfigurations, {
    ...common,
    validateCreate: (configuration) => validateWebhooks(configuration),
    validateUpdate: (configuration, old) => validateWebhooks(configuration, old),
    columns: webhookColumns,
  }),
  serve(validatingAdmissionPolicies, {
    ...common,
    prepareForUpdate: prepareStatusUpdate,
    validateCreate: (policy) => validateValidatingPolicy(policy),
    validateUpdate: (policy, old) => validateValidatingPolicy(policy, old),
    parts: { status: { validate: validatePolicyStatus } },
    columns: validatingPolicyColumns,
  }),
  serve(validatingAdmissionPolicyBindings, validatingBindingStrategy),
  serve(validatingWebhookConfigurations, {
    ...common,
    validateCreate: (configuration) => validateWebhooks(configuration),
    validateUpdate: (configuration, old) => validateWebhooks(configuration, old),
    columns: webhookColumns,
  }),
];
