import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int64,
  keyed,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { Condition, ObjectMeta } from "../../../meta/v1.ts";
import { failurePolicies, MatchCondition, MatchResources, reinvocationPolicies } from "../v1/matching.ts";

const message = messages("io.k8s.api.admissionregistration.v1");

export const ParamKind = message(
  "ParamKind",
  "The kind of objects that a policy takes its parameters from.",
  {
    apiVersion: optional(1, string, "The API version of the kind."),
    kind: optional(2, string, "The kind."),
  },
  { atomic: true },
);
export type ParamKind = Out<typeof ParamKind>;

export const Variable = message(
  "Variable",
  "A named expression that other expressions use as `variables.<name>`.",
  {
    name: required(1, string, "The name, a CEL identifier."),
    expression: required(2, string, "The expression, which can use the variables before it."),
  },
  { atomic: true },
);
export type Variable = Out<typeof Variable>;

export const Validation = message("Validation", "An expression that must be true.", {
  expression: required(1, string, "The expression."),
  message: optional(2, string, "The message of the refusal."),
  reason: pointer(3, string, "The reason of the Status that refuses the request."),
  messageExpression: optional(4, string, "An expression that computes the message; overrides `message`."),
});
export type Validation = Out<typeof Validation>;

export const AuditAnnotation = message("AuditAnnotation", "An annotation of the audit event.", {
  key: required(1, string, "The annotation's key, which is prefixed with the policy's name."),
  valueExpression: required(2, string, "An expression for the value; null omits the annotation."),
});
export type AuditAnnotation = Out<typeof AuditAnnotation>;

const constraintsDoc = "The requests that the policy applies to.";
const conditionsDoc = "CEL conditions that requests must fulfil, at most 64.";
const failureDoc = "The result when the policy cannot be evaluated.";

export const ValidatingAdmissionPolicySpec = message(
  "ValidatingAdmissionPolicySpec",
  "The desired state of a policy.",
  {
    paramKind: pointer(1, ParamKind, "The kind of objects that parameters come from."),
    matchConstraints: pointer(2, MatchResources, constraintsDoc),
    validations: optional(3, list(Validation), "Expressions that must be true."),
    failurePolicy: pointer(4, failurePolicies, failureDoc, { default: "Fail" }),
    auditAnnotations: optional(5, list(AuditAnnotation), "Annotations of the audit event, at most 20."),
    matchConditions: optional(6, keyed(MatchCondition, "name"), conditionsDoc, { merge: "name" }),
    variables: optional(7, keyed(Variable, "name"), "Named expressions.", { merge: "name" }),
  },
);
export type ValidatingAdmissionPolicySpec = Out<typeof ValidatingAdmissionPolicySpec>;

export const ExpressionWarning = message(
  "ExpressionWarning",
  "The problems that type checking found in one expression.",
  {
    fieldRef: required(2, string, "The expression's path."),
    warning: required(3, string, "The problems."),
  },
);
export type ExpressionWarning = Out<typeof ExpressionWarning>;

export const TypeChecking = message("TypeChecking", "The problems that type checking found.", {
  expressionWarnings: optional(1, list(ExpressionWarning), "The problems of each expression."),
});

export const ValidatingAdmissionPolicyStatus = message(
  "ValidatingAdmissionPolicyStatus",
  "The observed state of a policy.",
  {
    observedGeneration: optional(1, int64, "The generation that this status reflects."),
    typeChecking: pointer(2, TypeChecking, "The problems that type checking found; absent before it ran."),
    conditions: optional(3, keyed(Condition, "type"), "The conditions, one for each type."),
  },
);

export const ValidatingAdmissionPolicy = message(
  "ValidatingAdmissionPolicy",
  "Validates requests by CEL expressions.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, ValidatingAdmissionPolicySpec, "The desired state."),
    status: optional(3, ValidatingAdmissionPolicyStatus, "The observed state."),
  },
);

export const validatingAdmissionPolicies = defineKind(ValidatingAdmissionPolicy, {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  namespaced: false,
  categories: ["api-extensions"],
  status: true,
});
export type ValidatingAdmissionPolicy = ObjectOf<typeof validatingAdmissionPolicies>;

export const ApplyConfiguration = message("ApplyConfiguration", "A change by server-side apply.", {
  expression: optional(1, string, "An expression that computes the configuration to apply."),
});

export const JSONPatch = message("JSONPatch", "A change by JSON patch.", {
  expression: optional(1, string, "An expression that computes the list of operations."),
});

export const Mutation = message("Mutation", "One change.", {
  patchType: required(2, oneOf("ApplyConfiguration", "JSONPatch"), "The form of the change."),
  applyConfiguration: pointer(3, ApplyConfiguration, "The change; only for this type."),
  jsonPatch: pointer(4, JSONPatch, "The change; only for this type."),
});
export type Mutation = Out<typeof Mutation>;

export const MutatingAdmissionPolicySpec = message(
  "MutatingAdmissionPolicySpec",
  "The desired state of a policy.",
  {
    paramKind: pointer(1, ParamKind, "The kind of objects that parameters come from."),
    matchConstraints: pointer(2, MatchResources, constraintsDoc),
    variables: optional(3, list(Variable), "Named expressions."),
    mutations: optional(4, list(Mutation), "The changes, applied in order."),
    failurePolicy: pointer(5, failurePolicies, failureDoc, { default: "Fail" }),
    matchConditions: optional(6, keyed(MatchCondition, "name"), conditionsDoc, { merge: "name" }),
    reinvocationPolicy: optional(
      7,
      reinvocationPolicies,
      "Whether the policy runs again after later plugins changed the object.",
    ),
  },
);
export type MutatingAdmissionPolicySpec = Out<typeof MutatingAdmissionPolicySpec>;

export const MutatingAdmissionPolicy = message(
  "MutatingAdmissionPolicy",
  "Changes objects by CEL expressions.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, MutatingAdmissionPolicySpec, "The desired state."),
  },
);

export const mutatingAdmissionPolicies = defineKind(MutatingAdmissionPolicy, {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "MutatingAdmissionPolicy",
  plural: "mutatingadmissionpolicies",
  namespaced: false,
  categories: ["api-extensions"],
});
export type MutatingAdmissionPolicy = ObjectOf<typeof mutatingAdmissionPolicies>;
