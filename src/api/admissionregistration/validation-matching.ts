import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  tooMany,
} from "../../meta/field-error.ts";
import { labelKeyProblems } from "../../meta/label-syntax.ts";
import { validateLabelSelector } from "../../meta/validation/labels.ts";
import { report } from "../../meta/validation/report.ts";
import { pathSegmentProblems } from "../../meta/validation/text.ts";
import type { ExpressionCheck } from "./expressions.ts";
import type {
  MatchCondition,
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from "./v1/matching.ts";
import { repeats } from "../../util/repeats.ts";

const operationNames = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const matchPolicies = ["Equivalent", "Exact"];
const scopes = ["*", "Cluster", "Namespaced"];

export function* validateRule(rule: RuleWithOperations, path: FieldPath): Generator<FieldError> {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  yield* validateAllAlone(operations, "operations", path.child("operations"));
  for (const [i, operation] of operations.entries()) {
    if (!operationNames.includes(operation)) {
      yield notSupported(path.child("operations").index(i), operation, operationNames);
    }
  }
  yield* validateAllAlone(apiGroups, "API groups", path.child("apiGroups"));
  yield* validateAllAlone(apiVersions, "API versions", path.child("apiVersions"));
  for (const [i, version] of apiVersions.entries()) {
    if (version === "") yield requiredValue(path.child("apiVersions").index(i));
  }
  yield* validateResources(resources, path.child("resources"));
  if (scope !== undefined && !scopes.includes(scope)) yield notSupported(path.child("scope"), scope, scopes);
}

/** Requires at least one value, and that `*` is the only one. */
function* validateAllAlone(values: readonly string[], what: string, path: FieldPath): Generator<FieldError> {
  if (values.length === 0) yield requiredValue(path);
  else if (values.length > 1 && values.includes("*")) {
    yield invalid(path, values, `if '*' is present, must not specify other ${what}`);
  }
}

function* validateResources(resources: readonly string[], path: FieldPath): Generator<FieldError> {
  if (resources.length === 0) yield requiredValue(path);
  const seen = new Set<string>();
  for (const [i, resource] of resources.entries()) {
    if (resource === "") {
      yield requiredValue(path.index(i));
      continue;
    }
    const slash = resource.indexOf("/");
    if (slash < 0) continue;
    const wider = [`${resource.slice(0, slash)}/*`, `*/${resource.slice(slash + 1)}`];
    for (const one of wider.filter((one) => seen.has(one))) {
      yield invalid(path.index(i), resource, `if '${one}' is present, must not specify ${resource}`);
    }
    seen.add(resource);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    yield invalid(path, resources, "if '*/*' is present, must not specify other resources");
  }
  // Upstream only considers the last resource without a subresource.
  const last = resources.findLast((resource) => resource !== "" && !resource.includes("/")) ?? "*";
  if (resources.includes("*") && last !== "*") {
    const detail = "if '*' is present, must not specify other resources without subresources";
    yield invalid(path, resources, detail);
  }
}

export function* validateMatchResources(match: MatchResources, path: FieldPath): Generator<FieldError> {
  const { matchPolicy } = match;
  if (matchPolicy !== undefined && !matchPolicies.includes(matchPolicy)) {
    yield notSupported(path.child("matchPolicy"), matchPolicy, matchPolicies);
  }
  yield* validateLabelSelector(match.namespaceSelector, path.child("namespaceSelector"));
  yield* validateLabelSelector(match.objectSelector, path.child("objectSelector"));
  for (const name of ["resourceRules", "excludeResourceRules"] as const) {
    for (const [i, rule] of (match[name] ?? []).entries()) {
      yield* validateNamedRule(rule, path.child(name).index(i));
    }
  }
}

function* validateNamedRule(rule: NamedRuleWithOperations, path: FieldPath): Generator<FieldError> {
  const { resourceNames = [] } = rule;
  const repeated = repeats(resourceNames);
  for (const [i, name] of resourceNames.entries()) {
    const place = path.child("resourceNames").index(i);
    yield* report(place, name, pathSegmentProblems(name));
    if (repeated.has(i)) yield duplicate(place, name);
  }
  yield* validateRule(rule, path);
}

const mutable = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Forbids DELETE, because mutating admission cannot change a deleted object. */
export function* validateMutable(
  { resourceRules = [] }: MatchResources,
  path: FieldPath,
): Generator<FieldError> {
  for (const operation of resourceRules.flatMap(({ operations = [] }) => operations)) {
    if (!mutable.includes(operation)) {
      yield notSupported(path.child("resourceRules", "operations"), operation, mutable);
    }
  }
}

const maxConditions = 64;

export function* validateMatchConditions(
  conditions: readonly MatchCondition[],
  path: FieldPath,
  check: ExpressionCheck,
): Generator<FieldError> {
  if (conditions.length > maxConditions) yield tooMany(path, conditions.length, maxConditions);
  const names = new Set<string>();
  for (const [i, { name, expression }] of conditions.entries()) {
    const place = path.index(i);
    const text = expression.trim();
    if (text === "") yield requiredValue(place.child("expression"));
    else yield* check({ use: "matchCondition", text, path: place.child("expression") });
    if (name === "") yield requiredValue(place.child("name"));
    else {
      yield* report(place.child("name"), name, labelKeyProblems(name));
      if (names.has(name)) yield duplicate(place.child("name"), name);
      names.add(name);
    }
  }
}
