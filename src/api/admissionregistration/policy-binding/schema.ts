import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, messages, oneOf, optional, pointer, set, string, stringOf } from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";
import { MatchResources } from "../v1/matching.ts";

const message = messages("io.k8s.api.admissionregistration.v1");

export const ParamRef = message(
  "ParamRef",
  "The objects that a policy takes its parameters from.",
  {
    name: optional(1, string, "The object's name; excludes `selector`."),
    namespace: optional(2, string, "The object's namespace; the request's namespace when absent."),
    selector: pointer(3, LabelSelector, "Selects objects; the policy runs for each of them."),
    parameterNotFoundAction: pointer(
      4,
      stringOf<"Allow" | "Deny">(),
      "The action when no parameter object is found.",
    ),
  },
  { atomic: true },
);
export type ParamRef = Out<typeof ParamRef>;

export const ValidatingAdmissionPolicyBindingSpec = message(
  "ValidatingAdmissionPolicyBindingSpec",
  "The desired state of a binding.",
  {
    policyName: optional(1, string, "The policy."),
    paramRef: pointer(2, ParamRef, "The objects that the policy takes its parameters from."),
    matchResources: pointer(3, MatchResources, "Restricts the requests that the policy applies to."),
    validationActions: optional(
      4,
      set(oneOf("Audit", "Deny", "Warn")),
      "The actions when a validation fails.",
    ),
  },
);

export const ValidatingAdmissionPolicyBinding = message(
  "ValidatingAdmissionPolicyBinding",
  "Binds a ValidatingAdmissionPolicy to requests and parameters.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, ValidatingAdmissionPolicyBindingSpec, "The desired state."),
  },
);

export const validatingAdmissionPolicyBindings = defineKind(ValidatingAdmissionPolicyBinding, {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  namespaced: false,
  categories: ["api-extensions"],
});
export type ValidatingAdmissionPolicyBinding = ObjectOf<typeof validatingAdmissionPolicyBindings>;

export const MutatingAdmissionPolicyBindingSpec = message(
  "MutatingAdmissionPolicyBindingSpec",
  "The desired state of a binding.",
  {
    policyName: optional(1, string, "The policy."),
    paramRef: pointer(2, ParamRef, "The objects that the policy takes its parameters from."),
    matchResources: pointer(3, MatchResources, "Restricts the requests that the policy applies to."),
  },
);

export const MutatingAdmissionPolicyBinding = message(
  "MutatingAdmissionPolicyBinding",
  "Binds a MutatingAdmissionPolicy to requests and parameters.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, MutatingAdmissionPolicyBindingSpec, "The desired state."),
  },
);

export const mutatingAdmissionPolicyBindings = defineKind(MutatingAdmissionPolicyBinding, {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "MutatingAdmissionPolicyBinding",
  plural: "mutatingadmissionpolicybindings",
  namespaced: false,
  categories: ["api-extensions"],
});
export type MutatingAdmissionPolicyBinding = ObjectOf<typeof mutatingAdmissionPolicyBindings>;
