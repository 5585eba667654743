import {
  type MutatingAdmissionPolicy,
  mutatingAdmissionPolicies,
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from "../../api/admissionregistration/v1/policy.ts";
import {
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
  type ValidatingWebhookConfiguration,
  validatingWebhookConfigurations,
} from "../../api/admissionregistration/v1/webhook-configuration.ts";
import {
  validateMutatingPolicy,
  validateValidatingPolicy,
} from "../../api/admissionregistration/validation-policies.ts";
import { validateWebhooks } from "../../api/admissionregistration/validation-webhooks.ts";
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { validateDefinitionUpdate, validateNewDefinition } from "../../api/apiextensions/validation.ts";
import type { Kind, KubeObject } from "../../meta/kind.ts";
import type { Registration, Strategy } from "../../meta/strategy.ts";
import { checkRules } from "../crd/rules/definition-rules.ts";
import { checkExpressions } from "./admission-expressions.ts";

type Checks<T> = Pick<Strategy<T>, "validate" | "validateCreate" | "validateUpdate">;

const definitions: Checks<CustomResourceDefinition> = {
  validateCreate: (definition) => validateNewDefinition(definition, checkRules),
  validateUpdate: (definition, old) => validateDefinitionUpdate(definition, old, checkRules),
};

const validatingPolicies: Checks<ValidatingAdmissionPolicy> = {
  validateCreate: (policy) => validateValidatingPolicy(policy, undefined, checkExpressions),
  validateUpdate: (policy, old) => validateValidatingPolicy(policy, old, checkExpressions),
};

const mutatingPolicies: Checks<MutatingAdmissionPolicy> = {
  validateCreate: (policy) => validateMutatingPolicy(policy, undefined, checkExpressions),
  validateUpdate: (policy, old) => validateMutatingPolicy(policy, old, checkExpressions),
};

const webhooks: Checks<ValidatingWebhookConfiguration | MutatingWebhookConfiguration> = {
  validateCreate: (configuration) => validateWebhooks(configuration, undefined, checkExpressions),
  validateUpdate: (configuration, old) => validateWebhooks(configuration, old, checkExpressions),
};

const checksOf = new Map<Kind, Checks<never>>([
  [customResourceDefinitions, definitions],
  [validatingAdmissionPolicies, validatingPolicies],
  [mutatingAdmissionPolicies, mutatingPolicies],
  [validatingWebhookConfigurations, webhooks],
  [mutatingWebhookConfigurations, webhooks],
]);

/** The registration, with expressions in CEL checked when an object is written. */
export function withCheckedExpressions(registration: Registration): Registration {
  const checks: Checks<KubeObject> | undefined = checksOf.get(registration.kind);
  if (checks === undefined) return registration;
  return { ...registration, strategy: { ...registration.strategy, ...checks } };
}
