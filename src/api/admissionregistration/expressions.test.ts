import { expect, test } from "vitest";
import { describe as text, invalid } from "../../meta/field-error.ts";
import { change, load, type Manifest } from "../pipeline.suite.ts";
import type { ExpressionChecker, ExpressionScope, ExpressionSite } from "./expressions.ts";
import type { ValidatingAdmissionPolicy } from "./policy/schema.ts";
import type { ValidatingWebhookConfiguration } from "./webhook-configuration/schema.ts";
import { validateValidatingPolicy } from "./policy/validation.ts";
import { validateWebhooks } from "./webhook-configuration/validation.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }];
const matchConditions = [{ name: "only-web", expression: "request.name == 'web'" }];

const policy: Manifest = {
  apiVersion,
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "limits" },
  spec: {
    matchConstraints: { resourceRules: rules },
    matchConditions,
    variables: [
      { name: "a", expression: "1" },
      { name: "b", expression: "variables.a" },
    ],
    validations: [{ expression: "variables.b > 0", messageExpression: "'few'" }],
    auditAnnotations: [{ key: "count", valueExpression: "string(variables.a)" }],
  },
};

interface Seen extends ExpressionScope {
  readonly site: ExpressionSite;
}

function seenOf(manifest: Manifest, old?: Manifest): readonly Seen[] {
  const seen: Seen[] = [];
  const read = (one: Manifest) => load(one) as unknown as ValidatingAdmissionPolicy;
  const note: ExpressionChecker = (scope) => (site) => (seen.push({ ...scope, site }), []);
  expect([...validateValidatingPolicy(read(manifest), old && read(old), note)]).toEqual([]);
  return seen;
}

test("the checker gets every expression of a policy, and variables with their names", () => {
  expect(seenOf(policy).map(({ site: { use, path, name } }) => [use, path.toString(), name])).toEqual([
    ["matchCondition", "spec.matchConditions[0].expression", undefined],
    ["variable", "spec.variables[0].expression", "a"],
    ["variable", "spec.variables[1].expression", "b"],
    ["validation", "spec.validations[0].expression", undefined],
    ["message", "spec.validations[0].messageExpression", undefined],
    ["auditAnnotation", "spec.auditAnnotations[0].valueExpression", undefined],
  ]);
});

test("unchanged conditions are only checked again when the policy begins to use parameters", () => {
  const usesOf = (after: Manifest) =>
    seenOf(after, policy)
      .filter(({ site: { use } }) => use === "validation" || use === "matchCondition")
      .map(({ site: { use }, hasParams }) => [use, hasParams]);
  expect(usesOf(change(policy, "spec.validations.1", { expression: "true" }))).toEqual([
    ["validation", false],
    ["validation", false],
  ]);
  expect(usesOf(change(policy, "spec.paramKind", { apiVersion: "v1", kind: "ConfigMap" }))).toEqual([
    ["matchCondition", true],
    ["validation", true],
  ]);
});

test("an error in a webhook's condition is reported at the condition's path", () => {
  const hook = { name: "a.example.com", clientConfig: { url: "https://a" }, rules, sideEffects: "None" };
  const webhooks = [{ ...hook, admissionReviewVersions: ["v1"], matchConditions }];
  const manifest = { apiVersion, kind: "ValidatingWebhookConfiguration", metadata: { name: "w" }, webhooks };
  const object = load(manifest) as unknown as ValidatingWebhookConfiguration;
  const refuse: ExpressionChecker =
    () =>
    ({ path, text }) => [invalid(path, text, "no")];
  expect([...validateWebhooks(object, undefined, refuse)].map(text)).toEqual([
    `webhooks[0].matchConditions[0].expression: Invalid value: "request.name == 'web'": no`,
  ]);
});
