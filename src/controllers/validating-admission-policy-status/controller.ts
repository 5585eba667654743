import {
  type ExpressionWarning,
  validatingAdmissionPolicies,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicySpec,
} from "../../api/admissionregistration/policy/schema.ts";
import { controller, type Controller, type Reconcile } from "../../operator/controller.ts";
import { yielding } from "../../util/yield.ts";
import { kindsToCheck, paramKindOf } from "./kinds.ts";
import { ServedSchemas } from "./served-schemas.ts";
import { type KnownKind, typeWarnings } from "./type-check.ts";

const fieldManager = "validatingadmissionpolicy-status";

/** Checks the types in policies' expressions (upstream `validatingadmissionpolicystatus/controller.go`). */
export function validatingAdmissionPolicyStatusController(): Controller {
  return controller({
    name: "validatingadmissionpolicy-status-controller",
    for: validatingAdmissionPolicies,
    workers: 5,
    async reconcile(request) {
      const { name, cache, client } = request;
      const policy = cache.get(validatingAdmissionPolicies, undefined, name);
      if (policy === undefined || !isDue(policy)) return;
      const expressionWarnings = await warningsAbout(policy.spec, request);
      const status = { observedGeneration: policy.metadata.generation, typeChecking: { expressionWarnings } };
      await client
        .of(validatingAdmissionPolicies)
        .apply({ metadata: { name }, status }, { fieldManager, force: true, subresource: "status" });
    },
  });
}

function isDue({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return (metadata.generation ?? 0) > (status.observedGeneration ?? 0);
}

/** The warnings about a policy, given the kinds that the server serves. */
export async function warningsAbout(
  spec: ValidatingAdmissionPolicySpec,
  request: Pick<Reconcile, "client" | "env" | "signal">,
): Promise<readonly ExpressionWarning[]> {
  const { resources } = await request.client.discovery({ signal: request.signal });
  const schemas = new ServedSchemas(request);
  const matched: KnownKind[] = [];
  for (const kind of kindsToCheck(spec, resources)) {
    const known = await schemas.find(kind);
    if (known !== undefined) matched.push(known);
  }
  const paramKind = paramKindOf(spec);
  const params = paramKind && ((await schemas.find(paramKind)) ?? { kind: paramKind, schema: undefined });
  return yielding(typeWarnings(spec, { matched, params }, request.env.clock.now()));
}
