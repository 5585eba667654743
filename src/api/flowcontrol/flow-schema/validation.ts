import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { labelProblems, subdomainProblems } from "../../../meta/validation/dns.ts";
import { report, validateDnsLabel } from "../../../meta/validation/report.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { mandatoryFlowSchemas } from "../mandatory.ts";
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from "./schema.ts";
import { validateConditionTypes } from "../priority-level-configuration/validation.ts";

const path = root.child("spec");
const maxPrecedence = 10_000;

export function* validateFlowSchema(schema: FlowSchema): Generator<FieldError> {
  const { metadata, spec } = schema;
  yield* validatePrecedence(spec.matchingPrecedence, metadata.name);
  const method = spec.distinguisherMethod;
  const methods = ["ByNamespace", "ByUser"];
  if (method !== undefined && !methods.includes(method.type)) {
    yield notSupported(path.child("distinguisherMethod", "type"), method, methods);
  }
  const { name } = spec.priorityLevelConfiguration;
  const place = path.child("priorityLevelConfiguration", "name");
  if (name === "") yield requiredValue(place, "must reference a priority level");
  else yield* report(place, name, subdomainProblems(name));
  for (const [i, rule] of (spec.rules ?? []).entries()) {
    yield* validateRules(rule, path.child("rules").index(i));
  }
  const fixed = mandatoryFlowSchemas.get(metadata.name ?? "");
  if (fixed !== undefined && !deepEqual(spec, fixed)) {
    yield invalid(path, spec, `spec of '${metadata.name}' must equal the fixed value`);
  }
  yield* validateFlowSchemaStatus(schema);
}

export function* validateFlowSchemaStatus({ status }: FlowSchema): Generator<FieldError> {
  yield* validateConditionTypes(status.conditions ?? []);
}

function* validatePrecedence(value: number, name: string | undefined): Generator<FieldError> {
  const place = path.child("matchingPrecedence");
  if (value <= 0) yield invalid(place, value, "must be a positive value");
  if (value > maxPrecedence) yield invalid(place, value, `must not be greater than ${maxPrecedence}`);
  if (value === 1 && name !== "exempt") {
    yield invalid(place, value, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
}

function* validateRules(rules: PolicyRulesWithSubjects, path: FieldPath): Generator<FieldError> {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rules;
  if (subjects.length === 0) {
    yield requiredValue(path.child("subjects"), "subjects must contain at least one value");
  }
  for (const [i, subject] of subjects.entries())
    yield* validateSubject(subject, path.child("subjects").index(i));
  if (resourceRules.length + nonResourceRules.length === 0) {
    yield requiredValue(path, "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  for (const [i, rule] of resourceRules.entries()) {
    yield* validateResourceRule(rule, path.child("resourceRules").index(i));
  }
  for (const [i, rule] of nonResourceRules.entries()) {
    yield* validateNonResourceRule(rule, path.child("nonResourceRules").index(i));
  }
}

const fields = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function* validateSubject(subject: Subject, path: FieldPath): Generator<FieldError> {
  const { kind } = subject;
  const own: string | undefined = fields[kind];
  if (own === undefined) {
    yield notSupported(path.child("kind"), kind, ["Group", "ServiceAccount", "User"]);
    return;
  }
  const place = path.child(own);
  if (subject[fields[kind]] === undefined) {
    yield requiredValue(place, `${own} is required when subject kind is '${kind}'`);
  } else if (kind === "ServiceAccount") yield* validateServiceAccount(subject.serviceAccount, place);
  else if (subject[fields[kind]]?.name === "") yield requiredValue(place.child("name"));
  for (const [other, field] of Object.entries(fields)) {
    if (field === own || subject[field] === undefined) continue;
    yield forbidden(path.child(field), `${field} is forbidden when subject kind is not '${other}'`);
  }
}

function* validateServiceAccount(
  { name, namespace }: ServiceAccountSubject = { name: "", namespace: "" },
  path: FieldPath,
): Generator<FieldError> {
  if (name === "") yield requiredValue(path.child("name"));
  else if (name !== "*") yield* report(path.child("name"), name, subdomainProblems(name));
  if (namespace === "") {
    yield requiredValue(path.child("namespace"), "must specify namespace for service account");
  } else yield* validateDnsLabel(namespace, path.child("namespace"));
}

const verbNames = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "proxy",
  "update",
  "watch",
];

function* validateVerbs(verbs: readonly string[], path: FieldPath): Generator<FieldError> {
  yield* validateAllAlone(verbs, "verbs", "verbs must contain at least one value", path);
  if (!verbs.includes("*") && !verbs.every((verb) => verbNames.includes(verb))) {
    yield notSupported(path, verbs, verbNames);
  }
}

/** Requires at least one value, and that `*` is the only one. */
function* validateAllAlone(
  values: readonly string[],
  what: string,
  missing: string,
  path: FieldPath,
): Generator<FieldError> {
  if (values.length === 0) yield requiredValue(path, missing);
  else if (values.length > 1 && values.includes("*")) {
    yield invalid(path, values, `if '*' is present, must not specify other ${what}`);
  }
}

function* validateResourceRule(rule: ResourcePolicyRule, path: FieldPath): Generator<FieldError> {
  const { verbs, apiGroups, resources, clusterScope, namespaces } = rule;
  yield* validateVerbs(verbs, path.child("verbs"));
  const noGroup = "resource rules must supply at least one api group";
  yield* validateAllAlone(apiGroups, "api groups", noGroup, path.child("apiGroups"));
  const noResource = "resource rules must supply at least one resource";
  yield* validateAllAlone(resources, "resources", noResource, path.child("resources"));
  const place = path.child("namespaces");
  if (namespaces.length === 0 && clusterScope === true) return;
  const noNamespace = "resource rules that are not cluster scoped must supply at least one namespace";
  yield* validateAllAlone(namespaces, "namespaces", noNamespace, place);
  if (namespaces.includes("*")) return;
  for (const [i, namespace] of namespaces.entries()) {
    for (const problem of labelProblems(namespace)) {
      const detail = `each member of this list must be '*' or a DNS-1123 label; ${problem}`;
      yield invalid(place.index(i), namespace, detail);
    }
  }
}

function* validateNonResourceRule(
  { verbs, nonResourceURLs: urls }: NonResourcePolicyRule,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateVerbs(verbs, path.child("verbs"));
  const place = path.child("nonResourceURLs");
  const missing = "nonResourceURLs must contain at least one value";
  yield* validateAllAlone(urls, "non-resource URLs", missing, place);
  if (urls.includes("*")) return;
  for (const [i, url] of urls.entries()) {
    const problem = urlProblem(url);
    if (problem !== undefined) yield invalid(place.index(i), url, problem);
  }
}

function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  return /\*/.test(url.replace(/\/\*$/, "/")) ? "wildcard can only do suffix matching" : undefined;
}
