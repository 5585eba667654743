import {
  type MutatingAdmissionPolicy,
  mutatingAdmissionPolicies,
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from "../api/admissionregistration/policy/schema.ts";
import {
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
  type ValidatingWebhookConfiguration,
  validatingWebhookConfigurations,
} from "../api/admissionregistration/webhook-configuration/schema.ts";
import {
  validateMutatingPolicy,
  validateValidatingPolicy,
} from "../api/admissionregistration/policy/validation.ts";
import { validateWebhooks } from "../api/admissionregistration/webhook-configuration/validation.ts";
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "../api/apiextensions/custom-resource-definition/schema.ts";
import {
  validateDefinitionUpdate,
  validateNewDefinition,
} from "../api/apiextensions/custom-resource-definition/validation.ts";
import { type DeviceClass, deviceClasses } from "../api/resource/device-class/schema.ts";
import {
  type ResourceClaimTemplate,
  resourceClaimTemplates,
} from "../api/resource/resource-claim-template/schema.ts";
import { type ResourceClaim, resourceClaims } from "../api/resource/resource-claim/schema.ts";
import { validateClaim } from "../api/resource/resource-claim/validation.ts";
import { validateTemplate } from "../api/resource/resource-claim-template/validation.ts";
import { validateDeviceClass } from "../api/resource/device-class/validation.ts";
import { compilingTogether } from "../cel/effort.ts";
import type { ErrorOrPause } from "../meta/field-error.ts";
import type { Kind, KubeObject } from "../meta/kind.ts";
import type { Registration, Strategy } from "../meta/strategy.ts";
import { checkRules } from "./crd/rules/definition-rules.ts";
import { checkExpressions } from "../expressions/admission-expressions.ts";
import { checkSelector } from "../expressions/device-selectors.ts";

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

const classes: Checks<DeviceClass> = {
  validateCreate: (deviceClass) => validateDeviceClass(deviceClass, undefined, checkSelector),
  validateUpdate: (deviceClass, old) => validateDeviceClass(deviceClass, old, checkSelector),
};

const claims: Checks<ResourceClaim> = { validateCreate: (claim) => validateClaim(claim, checkSelector) };

const claimTemplates: Checks<ResourceClaimTemplate> = {
  validate: (template) => validateTemplate(template, checkSelector),
};

const checksOf = new Map<Kind, Checks<never>>([
  [customResourceDefinitions, definitions],
  [validatingAdmissionPolicies, validatingPolicies],
  [mutatingAdmissionPolicies, mutatingPolicies],
  [validatingWebhookConfigurations, webhooks],
  [mutatingWebhookConfigurations, webhooks],
  [deviceClasses, classes],
  [resourceClaims, claims],
  [resourceClaimTemplates, claimTemplates],
]);

/** Returns the registration with a validation of its CEL expressions at each write. */
export function withCheckedExpressions(registration: Registration): Registration {
  const checks: Checks<KubeObject> | undefined = checksOf.get(registration.kind);
  if (checks === undefined) return registration;
  const bounded = Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, together(check)]));
  return { ...registration, strategy: { ...registration.strategy, ...bounded } };
}

/** Bounds the work of compiling all expressions of an object together. */
const together =
  <A extends readonly never[]>(check: (...args: A) => Iterable<ErrorOrPause>) =>
  (...args: A): Iterable<ErrorOrPause> =>
    compilingTogether(check(...args));
