import type { Column } from "../../meta/strategy.ts";
import type { LabelSelector } from "../../meta/v1.ts";
import { column, integer } from "../printing.ts";
import type { MutatingAdmissionPolicy, ValidatingAdmissionPolicy } from "./v1/policy.ts";
import type {
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBinding,
} from "./v1/policy-binding.ts";
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "./v1/webhook-configuration.ts";

export const webhookColumns: readonly Column<
  ValidatingWebhookConfiguration | MutatingWebhookConfiguration
>[] = [integer("Webhooks", "How many webhooks there are.", ({ webhooks = [] }) => webhooks.length)];

const paramKindColumn = column<ValidatingAdmissionPolicy | MutatingAdmissionPolicy>(
  "ParamKind",
  "The kind of objects that parameters come from.",
  ({ spec: { paramKind } }) =>
    paramKind === undefined ? "<unset>" : `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}`,
);

export const validatingPolicyColumns: readonly Column<ValidatingAdmissionPolicy>[] = [
  integer("Validations", "How many validations there are.", ({ spec }) => spec.validations?.length ?? 0),
  paramKindColumn,
];

export const mutatingPolicyColumns: readonly Column<MutatingAdmissionPolicy>[] = [
  integer("Mutations", "How many changes there are.", ({ spec }) => spec.mutations?.length ?? 0),
  paramKindColumn,
];

type Binding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

export const bindingColumns: readonly Column<Binding>[] = [
  column("PolicyName", "The policy.", ({ spec }) => spec.policyName ?? ""),
  column("ParamRef", "Where its parameters come from.", paramRefText),
];

/** Whether a parameter has a namespace cannot be told from here. */
function paramRefText({ spec: { paramRef } }: Binding): string {
  if (paramRef?.name !== undefined) return `${paramRef.namespace ?? "*"}/${paramRef.name}`;
  return paramRef?.selector === undefined ? "<unset>" : goText(paramRef.selector);
}

/** As Go prints the struct, which is what clients see. */
function goText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
