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
} from "../v1/matching.ts";

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

/** What is said of both sorts of webhooks. Objects keep the order of their fields, and so do these. */
const subject = {
  name: required(1, string, "Its name, with at least two dots."),
  clientConfig: required(2, WebhookClientConfig, "How it is reached."),
  rules: optional(3, list(RuleWithOperations), "What it is asked about; any of them may match."),
  failurePolicy: pointer(4, failurePolicies, "What happens when it cannot be asked.", { default: "Fail" }),
  matchPolicy: pointer(9, matchPolicies, "Whether a resource is also meant under its other versions.", {
    default: "Equivalent",
  }),
  namespaceSelector: pointer(5, LabelSelector, "Selects the object's namespace.", { default: () => ({}) }),
};
const objectSelector = (number: number) =>
  pointer(number, LabelSelector, "Selects the object, old or new.", { default: () => ({}) });
const sideEffects = oneOf("None", "NoneOnDryRun", "Some", "Unknown");
const question = {
  sideEffects: pointer(6, sideEffects, "Whether asking it changes anything but its answer."),
  timeoutSeconds: pointer(7, int32, "How long to wait for it, 1 to 30.", { default: 10 }),
  admissionReviewVersions: required(
    8,
    list(string),
    "Versions of AdmissionReview that it knows, best first.",
  ),
};
const matchConditions = (number: number) =>
  optional(number, keyed(MatchCondition, "name"), "Conditions that requests must fulfil, at most 64.", {
    merge: "name",
  });

export const ValidatingWebhook = message("ValidatingWebhook", "A webhook that may refuse requests.", {
  ...subject,
  objectSelector: objectSelector(10),
  ...question,
  matchConditions: matchConditions(11),
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

const place = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  namespaced: false,
  categories: ["api-extensions"],
} as const;

export const validatingWebhookConfigurations = defineKind(ValidatingWebhookConfiguration, {
  ...place,
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
});
export type ValidatingWebhookConfiguration = ObjectOf<typeof validatingWebhookConfigurations>;

export const MutatingWebhook = message("MutatingWebhook", "A webhook that may change or refuse requests.", {
  ...subject,
  objectSelector: objectSelector(11),
  ...question,
  reinvocationPolicy: pointer(
    10,
    reinvocationPolicies,
    "Whether it is asked again when others change more.",
    { default: "Never" },
  ),
  matchConditions: matchConditions(12),
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
  ...place,
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
});
export type MutatingWebhookConfiguration = ObjectOf<typeof mutatingWebhookConfigurations>;
