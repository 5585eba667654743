import { validateStructural } from "../../api/apiextensions/schema/structural.ts";
import { unsupported } from "../../api/apiextensions/schema/unsupported.ts";
import { approvalOf } from "../../api/apiextensions/custom-resource-definition/validation-approval.ts";
import type { CustomResourceDefinition } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { describe, invalid, root } from "../../meta/field-error.ts";
import { validateCaBundle } from "../../meta/validation/webhook.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { withCondition, withoutCondition } from "../../meta/conditions.ts";
import { isTrue, type Wanted } from "./conditions.ts";
import { decideNames } from "./names.ts";
import { findCondition } from "../../meta/conditions.ts";

type Definition = CustomResourceDefinition;
type Status = Definition["status"];

/**
 * Returns the wanted status of a definition; the same status when nothing changes. Upstream takes several
 * writes, this takes one: a definition whose names are accepted is established.
 */
export function planStatus(definition: Definition, group: readonly Definition[], now: number): Status {
  const { status } = definition;
  const { acceptedNames, condition: names } = decideNames(definition, group);
  let conditions = withCondition(status.conditions, names, now);
  const established = establishedOf(definition, names);
  if (established !== undefined) conditions = withCondition(conditions, established, now);
  const violations = nonStructural(definition);
  conditions =
    violations === undefined
      ? withoutCondition(conditions, "NonStructuralSchema")
      : withCondition(conditions, violations, now);
  const approval = approvalCondition(definition);
  if (approval !== undefined) conditions = withCondition(conditions, approval, now);
  const sameNames = deepEqual(acceptedNames, status.acceptedNames);
  if (conditions === status.conditions && sameNames) return status;
  return { ...status, conditions, acceptedNames: sameNames ? status.acceptedNames : acceptedNames };
}

/** An established definition stays established, whatever happens to its names. */
function establishedOf(definition: Definition, names: Wanted): Wanted | undefined {
  if (isTrue(definition, "Established")) return undefined;
  const base = { type: "Established", status: "False" };
  if (names.status !== "True") {
    const known = findCondition(definition.status.conditions, "Established");
    return known !== undefined
      ? undefined
      : { ...base, reason: "NotAccepted", message: "not all names are accepted" };
  }
  const { caBundle } = definition.spec.conversion?.webhook?.clientConfig ?? {};
  if (caBundle !== undefined && [...validateCaBundle(caBundle, root)].length > 0) {
    return { ...base, reason: "InvalidCABundle", message: "The conversion webhook CABundle is invalid" };
  }
  const message = "the initial names have been accepted";
  return { type: "Established", status: "True", reason: "InitialNamesAccepted", message };
}

/** Only definitions that older versions of the API admitted can be non-structural. */
function nonStructural({ spec }: Definition): Wanted | undefined {
  const type = "NonStructuralSchema";
  const path = root.child("spec");
  const found =
    spec.preserveUnknownFields === true
      ? [invalid(path.child("preserveUnknownFields"), true, "must be false")]
      : [];
  for (const [i, { name, schema }] of spec.versions.entries()) {
    if (schema?.openAPIV3Schema === undefined) continue;
    const problem = unsupported(schema.openAPIV3Schema);
    if (problem !== undefined) {
      const message = `failed to check validation schema for version ${name}: ${problem}`;
      return { type, status: "Unknown", reason: "StructuralError", message };
    }
    const place = path.child("versions").index(i).child("schema", "openAPIV3Schema");
    found.push(...validateStructural(schema.openAPIV3Schema, place));
  }
  if (found.length === 0) return undefined;
  const texts = found.map(describe);
  const message = texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
  return { type, status: "True", reason: "Violations", message };
}

function approvalCondition(definition: Definition): Wanted | undefined {
  const approval = approvalOf(definition);
  if (approval === undefined) return undefined;
  const { state, text: message } = approval;
  const reasons = {
    missing: "MissingAnnotation",
    invalid: "InvalidAnnotation",
    bypassed: "UnapprovedAnnotation",
    approved: "ApprovedAnnotation",
  } as const;
  const status = state === "approved" ? "True" : "False";
  return { type: "KubernetesAPIApprovalPolicyConformant", status, reason: reasons[state], message };
}
