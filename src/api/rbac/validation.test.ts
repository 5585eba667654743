import { expect, test } from "vitest";
import { change, create, type Manifest, update } from "../pipeline.suite.ts";

const group = "rbac.authorization.k8s.io";
const base = { apiVersion: `${group}/v1`, metadata: { name: "a:b", namespace: "c" } };
const role: Manifest = {
  ...base,
  kind: "Role",
  rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
};
const binding: Manifest = {
  ...base,
  kind: "RoleBinding",
  roleRef: { kind: "Role", name: "r" },
  subjects: [
    { kind: "User", name: "jane" },
    { kind: "ServiceAccount", name: "default", namespace: "c" },
  ],
};

test.each<readonly [string, Manifest, readonly string[]]>([
  ["a role", role, []],
  [
    "a role without verbs",
    change(role, "rules.0.verbs", []),
    ["rules[0].verbs: Required value: verbs must contain at least one value"],
  ],
  [
    "a role without groups",
    change(role, "rules.0.apiGroups", []),
    ["rules[0].apiGroups: Required value: resource rules must supply at least one api group"],
  ],
  [
    "a role for paths",
    change(role, "rules", [{ verbs: ["get"], nonResourceURLs: ["/x"] }]),
    ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
  ],
  [
    "a cluster role for paths",
    { ...role, kind: "ClusterRole", rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] },
    [],
  ],
  [
    "a cluster role of none",
    { ...role, kind: "ClusterRole", rules: [], aggregationRule: {} },
    [
      "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
    ],
  ],
  ["a binding, its groups filled in", binding, []],
  [
    "a binding of a Secret",
    change(binding, "roleRef.kind", "Secret"),
    ['roleRef.kind: Unsupported value: "Secret": supported values: "Role", "ClusterRole"'],
  ],
  [
    "a binding of a path",
    change(binding, "roleRef.name", "a/b"),
    ["roleRef.name: Invalid value: \"a/b\": may not contain '/'"],
  ],
  [
    "a binding of robots",
    change(binding, "subjects.0.kind", "Robot"),
    ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
  ],
  [
    "a cluster-wide binding of an account of nowhere",
    {
      ...binding,
      kind: "ClusterRoleBinding",
      roleRef: { kind: "ClusterRole", name: "r" },
      subjects: [{ kind: "ServiceAccount", name: "x" }],
    },
    ["subjects[0].namespace: Required value"],
  ],
])("%s", (_, object, errors) => expect(create(object).errors).toEqual(errors));

test("the role of a binding is immutable", () => {
  expect(update(binding, change(binding, "roleRef.name", "other")).errors).toEqual([
    `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"Role","Name":"other"}: cannot change roleRef`,
  ]);
});
