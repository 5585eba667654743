import { expect, test } from "vitest";
import { describe as text, invalid } from "../../meta/field-error.ts";
import { change, load, type Manifest } from "../pipeline.suite.ts";
import type { ExpressionSite } from "./expressions.ts";
import type { ValidatingAdmissionPolicy } from "./v1/policy.ts";
import type { ValidatingWebhookConfiguration } from "./v1/webhook-configuration.ts";
import { validateValidatingPolicy } from "./validation-policies.ts";
import { validateWebhooks } from "./validation-webhooks.ts";

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

function sitesOf(manifest: Manifest, old?: Manifest): readonly ExpressionSite[] {
  const sites: ExpressionSite[] = [];
  const [now, before] = [manifest, old].map(
    (one) => one && load(one),
  ) as unknown as ValidatingAdmissionPolicy[];
  const found = validateValidatingPolicy(now!, before, (site) => (sites.push(site), []));
  expect([...found]).toEqual([]);
  return sites;
}

test("every expression of a policy is handed to the checker, with the variables that it can use", () => {
  const seen = sitesOf(policy).map(({ use, path, variables }) => [
    use,
    path.toString(),
    variables.map(({ name }) => name).join(),
  ]);
  expect(seen).toEqual([
    ["matchCondition", "spec.matchConditions[0].expression", ""],
    ["variable", "spec.variables[0].expression", ""],
    ["variable", "spec.variables[1].expression", "a"],
    ["validation", "spec.validations[0].expression", "a,b"],
    ["message", "spec.validations[0].messageExpression", "a,b"],
    ["auditAnnotation", "spec.auditAnnotations[0].valueExpression", "a,b"],
  ]);
});

test("conditions that stay are not checked again, and stored expressions are known as such", () => {
  const after = change(policy, "spec.validations.1", { expression: "true" });
  const seen = sitesOf(after, policy).filter(({ use }) => use === "validation" || use === "matchCondition");
  expect(seen.map(({ text, isStored }) => [text, isStored])).toEqual([
    ["variables.b > 0", true],
    ["true", false],
  ]);
  const withParams = change(after, "spec.paramKind", { apiVersion: "v1", kind: "ConfigMap" });
  expect(sitesOf(withParams, policy).map(({ use, hasParams }) => `${use} ${hasParams}`)).toContain(
    "matchCondition true",
  );
});

test("what the checker says of a webhook's condition is said at its path", () => {
  const hook = { name: "a.example.com", clientConfig: { url: "https://a" }, rules, sideEffects: "None" };
  const webhooks = [{ ...hook, admissionReviewVersions: ["v1"], matchConditions }];
  const manifest = { apiVersion, kind: "ValidatingWebhookConfiguration", metadata: { name: "w" }, webhooks };
  const object = load(manifest) as unknown as ValidatingWebhookConfiguration;
  const found = validateWebhooks(object, undefined, ({ path, text }) => [invalid(path, text, "no")]);
  expect([...found].map(text)).toEqual([
    `webhooks[0].matchConditions[0].expression: Invalid value: "request.name == 'web'": no`,
  ]);
});
