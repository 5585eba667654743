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
    apiVersion: optional(1, string, "Its API version."),
    kind: optional(2, string, "The kind."),
  },
  { atomic: true },
);
export type ParamKind = Out<typeof ParamKind>;

export const Variable = message(
  "Variable",
  "An expression that others can use as `variables.<name>`.",
  {
    name: required(1, string, "The name, an identifier of CEL."),
    expression: required(2, string, "The expression; it may use variables before it."),
  },
  { atomic: true },
);
export type Variable = Out<typeof Variable>;

export const Validation = message("Validation", "An expression that must be true.", {
  expression: required(1, string, "The expression."),
  message: optional(2, string, "What is said when it is false."),
  reason: pointer(3, string, "The reason of the Status that refuses the request."),
  messageExpression: optional(4, string, "An expression that makes that message."),
});
export type Validation = Out<typeof Validation>;

export const AuditAnnotation = message("AuditAnnotation", "What is noted in the audit log.", {
  key: required(1, string, "The key; the policy's name goes before it."),
  valueExpression: required(2, string, "An expression for the value; null notes nothing."),
});
export type AuditAnnotation = Out<typeof AuditAnnotation>;

const constraintsDoc = "Which requests the policy is about.";
const conditionsDoc = "Conditions that requests must fulfil, at most 64.";
const failureDoc = "What happens when the policy cannot be evaluated.";

export const ValidatingAdmissionPolicySpec = message(
  "ValidatingAdmissionPolicySpec",
  "What a policy shall be.",
  {
    paramKind: pointer(1, ParamKind, "The kind of objects that parameters come from."),
    matchConstraints: pointer(2, MatchResources, constraintsDoc),
    validations: optional(3, list(Validation), "Expressions that must be true."),
    failurePolicy: pointer(4, failurePolicies, failureDoc, { default: "Fail" }),
    auditAnnotations: optional(
      5,
      list(AuditAnnotation),
      "What is noted in the audit log, at most 20 entries.",
    ),
    matchConditions: optional(6, keyed(MatchCondition, "name"), conditionsDoc, { merge: "name" }),
    variables: optional(7, keyed(Variable, "name"), "Expressions with a name.", { merge: "name" }),
  },
);
export type ValidatingAdmissionPolicySpec = Out<typeof ValidatingAdmissionPolicySpec>;

export const ExpressionWarning = message("ExpressionWarning", "What type checking found in one expression.", {
  fieldRef: required(2, string, "The expression's path."),
  warning: required(3, string, "What was found."),
});
export type ExpressionWarning = Out<typeof ExpressionWarning>;

export const TypeChecking = message("TypeChecking", "What type checking found.", {
  expressionWarnings: optional(1, list(ExpressionWarning), "By expression."),
});

export const ValidatingAdmissionPolicyStatus = message(
  "ValidatingAdmissionPolicyStatus",
  "What is known about a policy.",
  {
    observedGeneration: optional(1, int64, "The generation that this status was made from."),
    typeChecking: pointer(2, TypeChecking, "What type checking found; absent before it ran."),
    conditions: optional(3, keyed(Condition, "type"), "Aspects of the state, one entry for each type."),
  },
);

export const ValidatingAdmissionPolicy = message(
  "ValidatingAdmissionPolicy",
  "Refuses requests by expressions in CEL.",
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
  expression: optional(1, string, "An expression that makes the configuration to apply."),
});

export const JSONPatch = message("JSONPatch", "A change by JSON patch.", {
  expression: optional(1, string, "An expression that makes the list of operations."),
});

export const Mutation = message("Mutation", "One change.", {
  patchType: required(2, oneOf("ApplyConfiguration", "JSONPatch"), "How it is expressed."),
  applyConfiguration: pointer(3, ApplyConfiguration, "The change, for that type."),
  jsonPatch: pointer(4, JSONPatch, "The change, for that type."),
});
export type Mutation = Out<typeof Mutation>;

export const MutatingAdmissionPolicySpec = message("MutatingAdmissionPolicySpec", "What a policy shall be.", {
  paramKind: pointer(1, ParamKind, "The kind of objects that parameters come from."),
  matchConstraints: pointer(2, MatchResources, constraintsDoc),
  variables: optional(3, list(Variable), "Expressions with a name."),
  mutations: optional(4, list(Mutation), "The changes, made one after the other."),
  failurePolicy: pointer(5, failurePolicies, failureDoc, { default: "Fail" }),
  matchConditions: optional(6, keyed(MatchCondition, "name"), conditionsDoc, { merge: "name" }),
  reinvocationPolicy: optional(7, reinvocationPolicies, "Whether it runs again when others change more."),
});
export type MutatingAdmissionPolicySpec = Out<typeof MutatingAdmissionPolicySpec>;

export const MutatingAdmissionPolicy = message(
  "MutatingAdmissionPolicy",
  "Changes objects by expressions in CEL.",
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
