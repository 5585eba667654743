import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import { goText } from "../printers.ts";
import type { MutatingAdmissionPolicyBinding, ValidatingAdmissionPolicyBinding } from "./schema.ts";

type Binding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

export const bindingColumns: readonly Column<Binding>[] = [
  column("PolicyName", "The policy.", ({ spec }) => spec.policyName ?? ""),
  column("ParamRef", "The objects that the policy takes its parameters from.", paramRefText),
];

/** Shows `*` for a missing namespace, because only the policy knows whether its parameters are namespaced. */
function paramRefText({ spec: { paramRef } }: Binding): string {
  if (paramRef?.name !== undefined) return `${paramRef.namespace ?? "*"}/${paramRef.name}`;
  return paramRef?.selector === undefined ? "<unset>" : goText(paramRef.selector);
}
