import { type Registration, serve, type Strategy } from "../../meta/strategy.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { prepareStatusUpdate } from "../status-metadata.ts";
import {
  bindingColumns,
  mutatingPolicyColumns,
  validatingPolicyColumns,
  webhookColumns,
} from "./printers.ts";
import { mutatingAdmissionPolicies, validatingAdmissionPolicies } from "./v1/policy.ts";
import {
  type MutatingAdmissionPolicyBinding,
  mutatingAdmissionPolicyBindings,
  type ValidatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBindings,
} from "./v1/policy-binding.ts";
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from "./v1/webhook-configuration.ts";
import { validateMutatingBinding, validateValidatingBinding } from "./validation-bindings.ts";
import {
  validateMutatingPolicy,
  validatePolicyStatus,
  validateValidatingPolicy,
} from "./validation-policies.ts";
import { validateWebhooks } from "./validation-webhooks.ts";

const reservedSuffix = ".static.k8s.io";

/** What all kinds of the group have in common. */
const common = {
  generation: true,
  allowUnconditionalUpdate: false,
  warnings: ({ metadata: { name = "" } }: KubeObject) =>
    name.endsWith(reservedSuffix)
      ? [
          `metadata.name: names ending with "${reservedSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
        ]
      : [],
} as const satisfies Strategy<KubeObject>;

const mutatingBindingStrategy: Strategy<MutatingAdmissionPolicyBinding> = {
  ...common,
  validate: validateMutatingBinding,
  columns: bindingColumns,
};

const validatingBindingStrategy: Strategy<ValidatingAdmissionPolicyBinding> = {
  ...common,
  validate: validateValidatingBinding,
  columns: bindingColumns,
};

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
    validateStatusUpdate: validatePolicyStatus,
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
