import { type FieldError, type FieldPath, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { parseGroupVersion } from "../../../meta/kind.ts";
import { validateConditions } from "../../../meta/validation/conditions.ts";
import { label1035Problems, subdomainProblems } from "../../../meta/validation/dns.ts";
import { validateKnown, validateOneOf } from "../../../meta/validation/report.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { checkNothing, type ExpressionCheck } from "../expressions.ts";
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from "./schema.ts";
import {
  validateAuditAnnotations,
  validateMutation,
  validateValidation,
  validateVariable,
} from "./validation-expressions.ts";
import { validateMatchConditions, validateMatchResources, validateMutable } from "../validation-matching.ts";

type Spec = ValidatingAdmissionPolicySpec | MutatingAdmissionPolicySpec;

const path = root.child("spec");

export function* validateValidatingPolicy(
  { metadata, spec }: ValidatingAdmissionPolicy,
  old?: ValidatingAdmissionPolicy,
  checker = checkNothing,
): Generator<FieldError> {
  const hasVariables = (spec.variables ?? []).length > 0;
  const check = checker({ hasParams: spec.paramKind !== undefined, hasVariables });
  yield* validateSubject(spec);
  yield* validateParts(spec, old?.spec, check);
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length + auditAnnotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    for (const name of ["validations", "auditAnnotations"]) yield requiredValue(path.child(name), detail);
  }
  for (const [i, validation] of validations.entries()) {
    yield* validateValidation(validation, path.child("validations").index(i), check);
  }
  const name = metadata.name ?? "";
  yield* validateAuditAnnotations(auditAnnotations, name, path.child("auditAnnotations"), check);
}

export function* validateMutatingPolicy(
  { spec }: MutatingAdmissionPolicy,
  old?: MutatingAdmissionPolicy,
  checker = checkNothing,
): Generator<FieldError> {
  const check = checker({ hasParams: spec.paramKind !== undefined, hasVariables: true });
  yield* validateSubject(spec);
  if (spec.matchConstraints !== undefined) {
    yield* validateMutable(spec.matchConstraints, path.child("matchConstraints"));
  }
  yield* validateParts(spec, old?.spec, check);
  const { mutations = [] } = spec;
  if (mutations.length === 0) {
    yield requiredValue(path.child("mutations"), "mutations must contain at least one item");
  }
  for (const [i, mutation] of mutations.entries()) {
    yield* validateMutation(mutation, path.child("mutations").index(i), check);
  }
  yield* validateOneOf(spec.reinvocationPolicy, ["IfNeeded", "Never"], path.child("reinvocationPolicy"));
}

/** Validates the failure policy, the parameters' kind and the matched requests. */
function* validateSubject({ failurePolicy, paramKind, matchConstraints }: Spec): Generator<FieldError> {
  yield* validateKnown(failurePolicy, ["Fail", "Ignore"], path.child("failurePolicy"));
  if (paramKind !== undefined) yield* validateParamKind(paramKind, path.child("paramKind"));
  const place = path.child("matchConstraints");
  if (matchConstraints === undefined) yield requiredValue(place);
  else {
    yield* validateMatchResources(matchConstraints, place);
    // Without resource rules, the types of the objects are unknown.
    if (matchConstraints.resourceRules === undefined) yield requiredValue(place.child("resourceRules"));
  }
}

/**
 * Validates the match conditions. Stored conditions stay valid while they and the parameters' kind are
 * unchanged.
 */
function* validateParts(spec: Spec, old: Spec | undefined, check: ExpressionCheck): Generator<FieldError> {
  const { matchConditions = [], variables = [], paramKind } = spec;
  const isSame =
    old !== undefined &&
    deepEqual(matchConditions, old.matchConditions ?? []) &&
    deepEqual(paramKind, old.paramKind);
  if (!isSame) {
    yield* validateMatchConditions(matchConditions, path.child("matchConditions"), check);
  }
  for (const [i, variable] of variables.entries()) {
    yield* validateVariable(variable, path.child("variables").index(i), check);
  }
}

function* validateParamKind(
  { apiVersion = "", kind = "" }: ParamKind,
  path: FieldPath,
): Generator<FieldError> {
  const place = path.child("apiVersion");
  const parsed = apiVersion === "/" ? { group: "", version: "" } : parseGroupVersion(apiVersion);
  if (apiVersion === "") yield requiredValue(place);
  else if (parsed === undefined)
    yield invalid(place, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  else {
    const { group, version } = parsed;
    const [inGroup, inVersion] = [subdomainProblems(group).join(","), label1035Problems(version).join(",")];
    if (group !== "" && inGroup !== "") yield invalid(place, group, inGroup);
    if (version === "") yield invalid(place, apiVersion, "version must be specified");
    else if (inVersion !== "") yield invalid(place, version, inVersion);
  }
  const problems = label1035Problems(kind.toLowerCase()).join(",");
  if (kind === "") yield requiredValue(path.child("kind"));
  else if (problems !== "") {
    yield invalid(path.child("kind"), kind, `may have mixed case, but should otherwise match: ${problems}`);
  }
}

export function* validatePolicyStatus({ status }: ValidatingAdmissionPolicy): Generator<FieldError> {
  const place = root.child("status");
  for (const [i, one] of (status.typeChecking?.expressionWarnings ?? []).entries()) {
    const warning = place.child("typeChecking", "expressionWarnings").index(i);
    if (one.warning === "") yield requiredValue(warning.child("warning"));
    if (one.fieldRef.trim() === "") yield requiredValue(warning.child("fieldRef"));
  }
  yield* validateConditions(status.conditions, place.child("conditions"));
}
