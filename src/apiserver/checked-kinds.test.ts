import { expect, test } from "vitest";
import { load, type Manifest, registrationOf } from "../api/pipeline.suite.ts";
import { describe as text } from "../meta/field-error.ts";
import { errorsIn } from "../meta/errors-in.suite.ts";
import { withCheckedExpressions } from "./checked-kinds.ts";

/** Expressions of almost 10 KiB, all different. */
const expressions = (count: number) =>
  Array.from({ length: count }, (_, i) => `${i} == ${i}${" && true".repeat(1200)}`);

function claim(count: number): Manifest {
  const selectors = expressions(count).map((expression) => ({ cel: { expression } }));
  const requests = Array.from({ length: Math.ceil(count / 32) }, (_, i) => ({
    name: `r${i}`,
    exactly: {
      deviceClassName: "gpu",
      allocationMode: "All",
      selectors: selectors.slice(i * 32, i * 32 + 32),
    },
  }));
  const metadata = { name: "many", namespace: "default" };
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata,
    spec: { devices: { requests } },
  };
}

function policy(count: number): Manifest {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "many" },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] },
        ],
      },
      validations: expressions(count).map((expression) => ({ expression })),
    },
  };
}

function definition(count: number): Manifest {
  const rules = expressions(count).map((rule) => ({ rule }));
  return definitionOf({ type: "object", "x-kubernetes-validations": rules });
}

function definitionOf(openAPIV3Schema: object): Manifest {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

function problemsOf(manifest: Manifest): readonly string[] {
  const { strategy } = withCheckedExpressions(registrationOf(manifest.apiVersion, manifest.kind));
  const object = load(manifest);
  const found = [...(strategy.validate?.(object) ?? []), ...(strategy.validateCreate?.(object) ?? [])];
  return errorsIn(found).map((error) => text(error));
}

test.each([
  ["claim", claim],
  ["policy", policy],
  ["definition", definition],
])("the expressions of a %s share one compilation limit", (_name, make) => {
  expect(problemsOf(make(10))).toEqual([]);
  const refused = problemsOf(make(300));
  expect(refused.length).toBeGreaterThan(200);
  expect(refused.length).toBeLessThan(290);
  for (const problem of refused) expect(problem).toMatch(/expressions take too long to compile$/);
  expect(problemsOf(make(10))).toEqual([]);
});

/** Nested objects, with a rule and a default each. */
function nested(depth: number, innermost: object, rule: string): Manifest {
  let schema = innermost;
  const rules = { "x-kubernetes-validations": [{ rule }] };
  for (let i = 1; i < depth; i++) {
    schema = { type: "object", default: {}, ...rules, properties: { a: schema } };
  }
  return definitionOf({ type: "object", ...rules, properties: { a: schema } });
}

test("rules are compiled once for all defaults above them", () => {
  expect(problemsOf(nested(100, { type: "string" }, Array(20).fill("true").join(" && ")))).toEqual([]);
});

test("types for nested rules count, too", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, i) => [`p${i}`, { type: "string" }]),
  );
  const problems = problemsOf(nested(60, { type: "object", properties }, "true"));
  expect(problems.length).toBeGreaterThan(10);
  for (const problem of problems) expect(problem).toMatch(/expressions take too long to compile$/);
  const why = "internal error: failed to construct type information for x-kubernetes-validations rules: ";
  expect(problems.filter((problem) => problem.includes(why)).length).toBeGreaterThan(10);
});
