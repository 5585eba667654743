import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, messages, oneOf, optional, pointer, set, string, stringOf } from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";
import { MatchResources } from "../v1/matching.ts";

const message = messages("io.k8s.api.admissionregistration.v1");

export const ParamRef = message(
  "ParamRef",
  "The objects that a policy takes its parameters from.",
  {
    name: optional(1, string, "The object's name; or else `selector`."),
    namespace: optional(2, string, "Its namespace; that of the request when absent."),
    selector: pointer(3, LabelSelector, "Selects objects; the policy runs for each of them."),
    parameterNotFoundAction: pointer(4, stringOf<"Allow" | "Deny">(), "What happens when there is none."),
  },
  { atomic: true },
);
export type ParamRef = Out<typeof ParamRef>;

export const ValidatingAdmissionPolicyBindingSpec = message(
  "ValidatingAdmissionPolicyBindingSpec",
  "What a binding shall be.",
  {
    policyName: optional(1, string, "The policy."),
    paramRef: pointer(2, ParamRef, "Where its parameters come from."),
    matchResources: pointer(3, MatchResources, "Narrows down which requests the policy is about."),
    validationActions: optional(
      4,
      set(oneOf("Audit", "Deny", "Warn")),
      "What happens when a validation fails.",
    ),
  },
);

export const ValidatingAdmissionPolicyBinding = message(
  "ValidatingAdmissionPolicyBinding",
  "Puts a ValidatingAdmissionPolicy into force.",
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
  "What a binding shall be.",
  {
    policyName: optional(1, string, "The policy."),
    paramRef: pointer(2, ParamRef, "Where its parameters come from."),
    matchResources: pointer(3, MatchResources, "Narrows down which requests the policy is about."),
  },
);

export const MutatingAdmissionPolicyBinding = message(
  "MutatingAdmissionPolicyBinding",
  "Puts a MutatingAdmissionPolicy into force.",
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
