import { expect, test } from "vitest";
import {
  type ValidatingAdmissionPolicySpec,
  validatingAdmissionPolicies,
} from "../../api/admissionregistration/policy/schema.ts";
import { customResourceDefinitions } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { validatingAdmissionPolicyStatusController } from "./controller.ts";

const rule = (group: string, version: string, resource: string) => ({
  apiGroups: [group],
  apiVersions: [version],
  operations: ["*" as const],
  resources: [resource],
});

const policies = ({ client }: Testbed) => client.of(validatingAdmissionPolicies);

async function create(
  bed: Testbed,
  expression: string,
  resource: ReturnType<typeof rule>,
  more: Partial<ValidatingAdmissionPolicySpec> = {},
) {
  const spec = { validations: [{ expression }], matchConstraints: { resourceRules: [resource] }, ...more };
  await policies(bed).create({ metadata: { name: "a" }, spec });
}

async function warnings(bed: Testbed, generation: number) {
  await bed.until(async () => (await policies(bed).get("a")).status.observedGeneration === generation);
  return (await policies(bed).get("a")).status.typeChecking?.expressionWarnings ?? [];
}

test("a policy's status has the problems of its present expressions", async () => {
  const bed = await startTestbed(() => [validatingAdmissionPolicyStatusController()]);
  await create(bed, "object.spec.replicas == 'a'", rule("apps", "v1", "deployments"));
  const [first, ...rest] = await warnings(bed, 1);
  expect(rest).toEqual([]);
  expect(first?.fieldRef).toBe("spec.validations[0].expression");
  expect(first?.warning).toMatch(
    /^apps\/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload/,
  );

  const validations = [{ expression: "object.spec.replicas == 1" }];
  await policies(bed).patch("a", { spec: { validations } }, { type: "merge" });
  expect(await warnings(bed, 2)).toEqual([]);
  const { metadata } = await policies(bed).get("a");
  expect(metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource])).toContainEqual([
    "validatingadmissionpolicy-status",
    "status",
  ]);
  expect(bed.complaints).toEqual([]);
});

test("custom resources have the types of their definition", async () => {
  const bed = await startTestbed(() => [validatingAdmissionPolicyStatusController()]);
  await bed.client.of(customResourceDefinitions).create({
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
            },
          },
        },
      ],
    },
  });
  await bed.until(async () =>
    (await bed.client.discovery()).resources.some(({ plural }) => plural === "widgets"),
  );
  await create(
    bed,
    "object.spec.size > 1 && object.spec.colour == 'red'",
    rule("example.com", "v1", "widgets"),
  );
  const [first] = await warnings(bed, 1);
  expect(first?.warning).toMatch(
    /^example.com\/v1, Kind=Widget: ERROR: <input>:1:36: undefined field 'colour'/,
  );
});

test("parameters have the type of their kind", async () => {
  const bed = await startTestbed(() => [validatingAdmissionPolicyStatusController()]);
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
  await create(bed, "params.data.size() > 0 && params.size > 0", rule("", "v1", "pods"), { paramKind });
  const [first] = await warnings(bed, 1);
  expect(first?.warning).toContain("undefined field 'size'");
});
