import { expect, test } from "vitest";
import { create } from "../pipeline.suite.ts";

const spec = { user: "jane", resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } };
const withAttributes = (more: object) => ({
  ...spec,
  resourceAttributes: { ...spec.resourceAttributes, ...more },
});
const fieldSelector = "spec.resourceAttributes.fieldSelector";
const labelSelector = "spec.resourceAttributes.labelSelector";
const noOperands = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";

/** The expected errors are those of upstream's server. */
test.each<[kind: string, object: object, errors: readonly string[]]>([
  ["SubjectAccessReview", { spec }, []],
  ["SubjectAccessReview", { spec: { ...spec, user: "", groups: ["a"] } }, []],
  [
    "SubjectAccessReview",
    { spec: {} },
    [
      "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
  ],
  [
    "SelfSubjectAccessReview",
    { metadata: { name: "a" }, spec: { ...spec, nonResourceAttributes: { path: "/" } } },
    [
      'spec.nonResourceAttributes: Invalid value: {"path":"/"}: cannot be specified in combination with resourceAttributes',
      'metadata: Invalid value: {"name":"a"}: must be empty',
    ],
  ],
  ["LocalSubjectAccessReview", { metadata: { namespace: "default" }, spec }, []],
  [
    "LocalSubjectAccessReview",
    { metadata: { namespace: "other" }, spec },
    ['spec.resourceAttributes.namespace: Invalid value: "default": must match metadata.namespace'],
  ],
  [
    "SelfSubjectAccessReview",
    {
      spec: withAttributes({
        fieldSelector: {},
        labelSelector: { rawSelector: "a", requirements: [{ key: "a" }] },
      }),
    },
    [
      `${fieldSelector}.requirements: Required value: when ${fieldSelector} is specified, requirements or rawSelector is required`,
      `${labelSelector}.rawSelector: Invalid value: "a": may not specified at the same time as requirements`,
    ],
  ],
  [
    "SelfSubjectAccessReview",
    {
      spec: withAttributes({
        fieldSelector: {
          requirements: [
            { key: "", operator: "Exists", values: ["a"] },
            { key: "a", operator: "New" },
          ],
        },
        labelSelector: { requirements: [{ key: "a", operator: "In" }] },
      }),
    },
    [
      `${fieldSelector}.requirements[0].key: Required value: must be specified`,
      `${fieldSelector}.requirements[0].values: Forbidden: ${noOperands}`,
      `${labelSelector}.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    ],
  ],
])("%s", (kind, object, errors) => {
  expect(create({ apiVersion: "authorization.k8s.io/v1", kind, ...object }).errors).toEqual(errors);
});
