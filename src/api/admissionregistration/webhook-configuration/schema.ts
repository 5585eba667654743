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

export const ServiceReference = message("ServiceReference", "A reference to a Service, with path and port.", {
  namespace: required(1, string, "The Service's namespace."),
  name: required(2, string, "The Service's name."),
  path: pointer(3, string, "The path of requests."),
  port: pointer(4, int32, "The Service's port.", { default: 443 }),
});

export const WebhookClientConfig = message("WebhookClientConfig", "The address of a webhook.", {
  url: pointer(3, string, "The webhook's URL; excludes `service`."),
  service: pointer(1, ServiceReference, "The webhook's Service; excludes `url`."),
  caBundle: optional(2, bytes, "The certificate authorities that verify the server's certificate, as PEM."),
});
export type WebhookClientConfig = Out<typeof WebhookClientConfig>;

/** The fields that validating and mutating webhooks share. Their order is the order of fields in objects. */
const subject = {
  name: required(1, string, "The webhook's name, a domain name of at least three parts."),
  clientConfig: required(2, WebhookClientConfig, "The webhook's address."),
  rules: optional(
    3,
    list(RuleWithOperations),
    "The requests that are sent to the webhook; one rule must match.",
  ),
  failurePolicy: pointer(4, failurePolicies, "The result when the webhook cannot be called.", {
    default: "Fail",
  }),
  matchPolicy: pointer(9, matchPolicies, "Whether requests for other versions of a resource match, too.", {
    default: "Equivalent",
  }),
  namespaceSelector: pointer(5, LabelSelector, "The label selector of the object's namespace.", {
    default: () => ({}),
  }),
};
const objectSelector = (number: number) =>
  pointer(number, LabelSelector, "The label selector of the object, old or new.", { default: () => ({}) });
const sideEffects = oneOf("None", "NoneOnDryRun", "Some", "Unknown");
const question = {
  sideEffects: pointer(6, sideEffects, "Whether a call has side effects."),
  timeoutSeconds: pointer(7, int32, "The timeout of a call in seconds, 1 to 30.", { default: 10 }),
  admissionReviewVersions: required(
    8,
    list(string),
    "The supported versions of AdmissionReview, in order of preference.",
  ),
};
const matchConditions = (number: number) =>
  optional(number, keyed(MatchCondition, "name"), "CEL conditions that requests must fulfil, at most 64.", {
    merge: "name",
  });

export const ValidatingWebhook = message("ValidatingWebhook", "A webhook that validates requests.", {
  ...subject,
  objectSelector: objectSelector(10),
  ...question,
  matchConditions: matchConditions(11),
});
export type ValidatingWebhook = Out<typeof ValidatingWebhook>;

export const ValidatingWebhookConfiguration = message(
  "ValidatingWebhookConfiguration",
  "Webhooks that validate requests.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    webhooks: optional(2, keyed(ValidatingWebhook, "name"), "The webhooks, called in parallel.", {
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

export const MutatingWebhook = message("MutatingWebhook", "A webhook that changes or refuses requests.", {
  ...subject,
  objectSelector: objectSelector(11),
  ...question,
  reinvocationPolicy: pointer(
    10,
    reinvocationPolicies,
    "Whether the webhook is called again after later plugins changed the object.",
    { default: "Never" },
  ),
  matchConditions: matchConditions(12),
});
export type MutatingWebhook = Out<typeof MutatingWebhook>;

export const MutatingWebhookConfiguration = message(
  "MutatingWebhookConfiguration",
  "Webhooks that change or refuse requests.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    webhooks: optional(2, keyed(MutatingWebhook, "name"), "The webhooks, called in order.", {
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
