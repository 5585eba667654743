import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  bytes,
  int32,
  keyed,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";
import {
  failurePolicies,
  MatchCondition,
  matchPolicies,
  reinvocationPolicies,
  RuleWithOperations,
} from "./matching.ts";

const message = messages("io.k8s.api.admissionregistration.v1");

export const ServiceReference = message("ServiceReference", "Names a Service and a place on it.", {
  namespace: required(1, string, "The Service's namespace."),
  name: required(2, string, "The Service's name."),
  path: pointer(3, string, "The path of requests."),
  port: pointer(4, int32, "The Service's port.", { default: 443 }),
});

export const WebhookClientConfig = message("WebhookClientConfig", "How a webhook is reached.", {
  url: pointer(3, string, "Its URL; or else `service`."),
  service: pointer(1, ServiceReference, "Its Service; or else `url`."),
  caBundle: optional(2, bytes, "The authorities that its certificate is checked against, as PEM."),
});
export type WebhookClientConfig = Out<typeof WebhookClientConfig>;

const sideEffects = oneOf("None", "NoneOnDryRun", "Some", "Unknown");
const conditionsDoc = "Conditions that requests must fulfil, at most 64.";

export const ValidatingWebhook = message("ValidatingWebhook", "A webhook that may refuse requests.", {
  name: required(1, string, "Its name, with at least two dots."),
  clientConfig: required(2, WebhookClientConfig, "How it is reached."),
  rules: optional(3, list(RuleWithOperations), "What it is asked about; any of them may match."),
  failurePolicy: pointer(4, failurePolicies, "What happens when it cannot be asked.", { default: "Fail" }),
  matchPolicy: pointer(9, matchPolicies, "Whether a resource is also meant under its other versions.", {
    default: "Equivalent",
  }),
  namespaceSelector: pointer(5, LabelSelector, "Selects the object's namespace.", { default: () => ({}) }),
  objectSelector: pointer(10, LabelSelector, "Selects the object, old or new.", { default: () => ({}) }),
  sideEffects: pointer(6, sideEffects, "Whether asking it changes anything."),
  timeoutSeconds: pointer(7, int32, "How long to wait for it, 1 to 30.", { default: 10 }),
  admissionReviewVersions: required(
    8,
    list(string),
    "Versions of AdmissionReview that it knows, best first.",
  ),
  matchConditions: optional(11, keyed(MatchCondition, "name"), conditionsDoc, { merge: "name" }),
});
export type ValidatingWebhook = Out<typeof ValidatingWebhook>;

export const ValidatingWebhookConfiguration = message(
  "ValidatingWebhookConfiguration",
  "Webhooks that may refuse requests.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    webhooks: optional(2, keyed(ValidatingWebhook, "name"), "The webhooks, asked all at once.", {
      merge: "name",
    }),
  },
);

export const validatingWebhookConfigurations = defineKind(ValidatingWebhookConfiguration, {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  namespaced: false,
  categories: ["api-extensions"],
});
export type ValidatingWebhookConfiguration = ObjectOf<typeof validatingWebhookConfigurations>;

export const MutatingWebhook = message("MutatingWebhook", "A webhook that may change or refuse requests.", {
  name: required(1, string, "Its name, with at least two dots."),
  clientConfig: required(2, WebhookClientConfig, "How it is reached."),
  rules: optional(3, list(RuleWithOperations), "What it is asked about; any of them may match."),
  failurePolicy: pointer(4, failurePolicies, "What happens when it cannot be asked.", { default: "Fail" }),
  matchPolicy: pointer(9, matchPolicies, "Whether a resource is also meant under its other versions.", {
    default: "Equivalent",
  }),
  namespaceSelector: pointer(5, LabelSelector, "Selects the object's namespace.", { default: () => ({}) }),
  objectSelector: pointer(11, LabelSelector, "Selects the object, old or new.", { default: () => ({}) }),
  sideEffects: pointer(6, sideEffects, "Whether asking it changes anything but its answer."),
  timeoutSeconds: pointer(7, int32, "How long to wait for it, 1 to 30.", { default: 10 }),
  admissionReviewVersions: required(
    8,
    list(string),
    "Versions of AdmissionReview that it knows, best first.",
  ),
  reinvocationPolicy: pointer(
    10,
    reinvocationPolicies,
    "Whether it is asked again when others change more.",
    {
      default: "Never",
    },
  ),
  matchConditions: optional(12, keyed(MatchCondition, "name"), conditionsDoc, { merge: "name" }),
});
export type MutatingWebhook = Out<typeof MutatingWebhook>;

export const MutatingWebhookConfiguration = message(
  "MutatingWebhookConfiguration",
  "Webhooks that may change or refuse requests.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    webhooks: optional(2, keyed(MutatingWebhook, "name"), "The webhooks, asked one after the other.", {
      merge: "name",
    }),
  },
);

export const mutatingWebhookConfigurations = defineKind(MutatingWebhookConfiguration, {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
  namespaced: false,
  categories: ["api-extensions"],
});
export type MutatingWebhookConfiguration = ObjectOf<typeof mutatingWebhookConfigurations>;
