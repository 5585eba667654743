import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { validateLabelSelector } from "../../../meta/validation/labels.ts";
import { report, validateOneOf, validateSubdomain } from "../../../meta/validation/report.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import type { MutatingAdmissionPolicyBinding, ParamRef, ValidatingAdmissionPolicyBinding } from "./schema.ts";
import { validateMatchResources, validateMutable } from "../validation-matching.ts";
import { repeats } from "../../../util/repeats.ts";

type Binding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

const path = root.child("spec");

export function* validateValidatingBinding(binding: ValidatingAdmissionPolicyBinding): Generator<FieldError> {
  yield* validateBinding(binding);
  yield* validateActions(binding.spec.validationActions ?? [], path.child("validationActions"));
}

export function* validateMutatingBinding(binding: MutatingAdmissionPolicyBinding): Generator<FieldError> {
  yield* validateBinding(binding);
  const { matchResources } = binding.spec;
  if (matchResources !== undefined) yield* validateMutable(matchResources, path.child("matchResources"));
}

function* validateBinding({
  spec: { policyName, paramRef, matchResources },
}: Binding): Generator<FieldError> {
  if (policyName === undefined) yield requiredValue(path.child("policyName"));
  else yield* validateSubdomain(policyName, path.child("policyName"));
  if (paramRef !== undefined) yield* validateParamRef(paramRef, path.child("paramRef"));
  if (matchResources !== undefined)
    yield* validateMatchResources(matchResources, path.child("matchResources"));
}

function* validateParamRef(
  { name, selector, parameterNotFoundAction }: ParamRef,
  path: FieldPath,
): Generator<FieldError> {
  const exclusive = "name and selector are mutually exclusive";
  if (name !== undefined) {
    yield* report(path.child("name"), name, pathSegmentProblems(name));
    if (selector !== undefined) yield forbidden(path.child("name"), exclusive);
  }
  if (selector !== undefined) {
    yield* validateLabelSelector(selector, path.child("selector"));
    if (name !== undefined) yield forbidden(path.child("selector"), exclusive);
  }
  if (name === undefined && selector === undefined) {
    yield requiredValue(path, "one of name or selector must be specified");
  }
  yield* validateOneOf(parameterNotFoundAction, ["Deny", "Allow"], path.child("parameterNotFoundAction"));
}

const known = ["Audit", "Deny", "Warn"];

function* validateActions(actions: readonly string[], path: FieldPath): Generator<FieldError> {
  const repeated = repeats(actions);
  for (const [i, action] of actions.entries()) {
    if (!known.includes(action)) yield notSupported(path.index(i), action, known);
    if (repeated.has(i)) yield duplicate(path.index(i), action);
  }
  if (actions.includes("Deny") && actions.includes("Warn")) {
    const detail =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    yield invalid(path, actions, detail);
  }
  if (actions.length === 0) yield requiredValue(path, "at least one validation action is required");
}
