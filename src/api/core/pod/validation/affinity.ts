import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
} from "../../../../meta/field-error.ts";
import { labelValueProblems } from "../../../../meta/label-syntax.ts";
import { labelProblems } from "../../../../meta/validation/dns.ts";
import { validateLabelKey, validateLabelSelector } from "../../../../meta/validation/labels.ts";
import { report } from "../../../../meta/validation/report.ts";
import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "../../v1/scheduling.ts";
import { validateMatchLabelKeys, validateNodeName } from "./scheduling.ts";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

export function* validateAffinity(
  { nodeAffinity, podAffinity, podAntiAffinity }: Affinity,
  path: FieldPath,
): Generator<FieldError> {
  if (nodeAffinity !== undefined) yield* validateNodeAffinity(nodeAffinity, path.child("nodeAffinity"));
  if (podAffinity !== undefined) yield* validatePodAffinity(podAffinity, path.child("podAffinity"));
  if (podAntiAffinity !== undefined)
    yield* validatePodAffinity(podAntiAffinity, path.child("podAntiAffinity"));
}

function* validateNodeAffinity(affinity: NodeAffinity, path: FieldPath): Generator<FieldError> {
  const selector = affinity[required];
  if (selector !== undefined) yield* validateNodeSelector(selector, path.child(required));
  for (const [i, { weight, preference }] of (affinity[preferred] ?? []).entries()) {
    const place = path.child(preferred).index(i);
    yield* validateWeight(weight, place);
    yield* validateTerm(preference, false, place.child("preference"));
  }
}

function* validateWeight(weight: number, path: FieldPath): Generator<FieldError> {
  if (weight <= 0 || weight > 100) yield invalid(path.child("weight"), weight, "must be in the range 1-100");
}

export function* validateNodeSelector(
  { nodeSelectorTerms }: NodeSelector,
  path: FieldPath,
): Generator<FieldError> {
  const terms = path.child("nodeSelectorTerms");
  if (nodeSelectorTerms.length === 0) {
    yield requiredValue(terms, "must have at least one node selector term");
  }
  for (const [i, term] of nodeSelectorTerms.entries()) yield* validateTerm(term, true, terms.index(i));
}

/** `strict` also validates the values of expressions. Preferred terms may have invalid ones. */
function* validateTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  strict: boolean,
  path: FieldPath,
): Generator<FieldError> {
  for (const [i, one] of matchExpressions.entries()) {
    yield* validateExpression(one, strict, path.child("matchExpressions").index(i));
  }
  for (const [i, one] of matchFields.entries()) {
    yield* validateField(one, path.child("matchFields").index(i));
  }
}

function* validateExpression(
  { key, operator, values = [] }: NodeSelectorRequirement,
  strict: boolean,
  path: FieldPath,
): Generator<FieldError> {
  const place = path.child("values");
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        yield requiredValue(place, "must be specified when `operator` is 'In' or 'NotIn'");
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        yield forbidden(place, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1) {
        yield requiredValue(place, "must be specified single value when `operator` is 'Lt' or 'Gt'");
      }
      break;
    default:
      yield invalid(path.child("operator"), operator, "not a valid selector operator");
  }
  yield* validateLabelKey(key, path.child("key"));
  if (!strict) return;
  for (const [i, value] of values.entries()) yield* report(place.index(i), value, labelValueProblems(value));
}

function* validateField(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
): Generator<FieldError> {
  if (operator !== "In" && operator !== "NotIn") {
    yield invalid(path.child("operator"), operator, "not a valid selector operator");
  } else if (values.length !== 1) {
    yield requiredValue(
      path.child("values"),
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
    );
  }
  if (key !== "metadata.name") yield invalid(path.child("key"), key, "not a valid field selector key");
  else for (const [i, name] of values.entries()) yield* validateNodeName(name, path.child("values").index(i));
}

function* validatePodAffinity(affinity: PodAffinity, path: FieldPath): Generator<FieldError> {
  for (const [i, term] of (affinity[required] ?? []).entries()) {
    yield* validatePodTerm(term, path.child(required).index(i));
  }
  for (const [i, { weight, podAffinityTerm }] of (affinity[preferred] ?? []).entries()) {
    const place = path.child(preferred).index(i);
    yield* validateWeight(weight, place);
    yield* validatePodTerm(podAffinityTerm, place.child("podAffinityTerm"));
  }
}

function* validatePodTerm(term: PodAffinityTerm, path: FieldPath): Generator<FieldError> {
  yield* validateLabelSelector(term.labelSelector, path.child("labelSelector"));
  yield* validateLabelSelector(term.namespaceSelector, path.child("namespaceSelector"));
  for (const name of term.namespaces ?? []) {
    yield* report(path.child("namespace"), name, labelProblems(name));
  }
  const { matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  yield* validateMatchLabelKeys(matchLabelKeys, mismatchLabelKeys, term.labelSelector, path);
  if (term.topologyKey === "") yield requiredValue(path.child("topologyKey"), "can not be empty");
  yield* validateLabelKey(term.topologyKey, path.child("topologyKey"));
}
