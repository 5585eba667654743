import { beforeEach, expect, test } from "vitest";
import { clusterRoleBindings, roleBindings } from "../../api/rbac/role-binding/schema.ts";
import { clusterRoles, roles } from "../../api/rbac/role/schema.ts";
import type { UserInfo } from "../../meta/exchange.ts";
import type { Decision } from "./authorizer.ts";
import { Objects } from "./objects.suite.ts";
import { RbacAuthorizer } from "./rbac.ts";

const alice: UserInfo = { name: "alice", groups: ["dev"] };
const robot: UserInfo = { name: "system:serviceaccount:ns:robot", groups: [] };
const get = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const list = { verbs: ["list"], apiGroups: [""], resources: ["pods"] };

let objects: Objects;
let authorizer: RbacAuthorizer;
beforeEach(() => {
  objects = new Objects();
  authorizer = new RbacAuthorizer(objects.services);
});

function ask(user: UserInfo, verb: string, namespace: string): Decision {
  const pods = { type: "resource", group: "", version: "v1", resource: "pods", subresource: "" } as const;
  return authorizer.authorize({ user, verb, target: { ...pods, namespace, name: "" } });
}

const bindingOf = (roleRef: readonly [kind: string, name: string], ...subjects: readonly object[]) => ({
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: roleRef[0], name: roleRef[1] },
  subjects,
});
const user = (name: string) => ({ kind: "User", name });

async function bindInNamespace(kind: string, name: string, ...subjects: readonly object[]): Promise<void> {
  const metadata = { namespace: "ns", name: "b" };
  await objects.put(roleBindings, { metadata, ...bindingOf([kind, name], ...subjects) });
}

test("a ClusterRoleBinding grants in all namespaces, and outside of them", async () => {
  await objects.put(clusterRoles, { metadata: { name: "reader" }, rules: [get] });
  const binding = bindingOf(["ClusterRole", "reader"], user("alice"));
  await objects.put(clusterRoleBindings, { metadata: { name: "b" }, ...binding });
  const reason = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to User "alice"';
  for (const namespace of ["", "ns", "other"])
    expect(ask(alice, "get", namespace)).toEqual({ allowed: true, reason });
  expect(ask(alice, "list", "ns")).toEqual({ allowed: false, reason: "" });
  expect(ask({ ...alice, name: "bob" }, "get", "ns")).toEqual({ allowed: false, reason: "" });
});

test("a RoleBinding grants a ClusterRole's rules in its own namespace", async () => {
  await objects.put(clusterRoles, { metadata: { name: "reader" }, rules: [get] });
  await objects.put(roles, { metadata: { name: "reader", namespace: "ns" }, rules: [list] });
  await bindInNamespace("ClusterRole", "reader", user("alice"));
  const reason = 'RBAC: allowed by RoleBinding "b/ns" of ClusterRole "reader" to User "alice"';
  expect(ask(alice, "get", "ns")).toEqual({ allowed: true, reason });
  expect(ask(alice, "get", "other").allowed).toBe(false);
  expect(ask(alice, "get", "").allowed).toBe(false);
  expect(ask(alice, "list", "ns").allowed).toBe(false);
});

test("a RoleBinding grants the rules of the Role in its own namespace", async () => {
  await objects.put(clusterRoles, { metadata: { name: "reader" }, rules: [get] });
  await objects.put(roles, { metadata: { name: "reader", namespace: "ns" }, rules: [list] });
  await objects.put(roles, { metadata: { name: "reader", namespace: "other" }, rules: [get] });
  await bindInNamespace("Role", "reader", user("alice"));
  expect(ask(alice, "list", "ns").allowed).toBe(true);
  expect(ask(alice, "get", "ns").allowed).toBe(false);
});

test.each<readonly [string, object, UserInfo, boolean, string]>([
  ["a user", user("alice"), alice, true, 'User "alice"'],
  ["not a user with a group's name", user("dev"), alice, false, ""],
  ["a group", { kind: "Group", name: "dev" }, alice, true, 'Group "dev"'],
  ["not a group with a user's name", { kind: "Group", name: "alice" }, alice, false, ""],
  [
    "a service account",
    { kind: "ServiceAccount", name: "robot", namespace: "ns" },
    robot,
    true,
    'ServiceAccount "robot/ns"',
  ],
  [
    "a service account of the binding's own namespace",
    { kind: "ServiceAccount", name: "robot" },
    robot,
    true,
    'ServiceAccount "robot/ns"',
  ],
  [
    "not a service account of another namespace",
    { kind: "ServiceAccount", name: "robot", namespace: "x" },
    robot,
    false,
    "",
  ],
  ["a service account as a user", user(robot.name), robot, true, `User "${robot.name}"`],
])("a binding applies to %s", async (_, subject, who, allowed, described) => {
  await objects.put(clusterRoles, { metadata: { name: "reader" }, rules: [get] });
  await bindInNamespace("ClusterRole", "reader", user("nobody"), subject);
  const reason = allowed ? `RBAC: allowed by RoleBinding "b/ns" of ClusterRole "reader" to ${described}` : "";
  expect(ask(who, "get", "ns")).toEqual({ allowed, reason });
});

test("the rules of all bindings of a user and of the user's groups add up", async () => {
  await objects.put(clusterRoles, { metadata: { name: "reader" }, rules: [get] });
  await objects.put(clusterRoles, { metadata: { name: "lister" }, rules: [list] });
  await objects.put(clusterRoleBindings, {
    metadata: { name: "all" },
    ...bindingOf(["ClusterRole", "reader"], user("alice")),
  });
  await bindInNamespace("ClusterRole", "lister", user("alice"), { kind: "Group", name: "dev" });
  expect(authorizer.rulesFor(alice, "ns")).toEqual([get, list, list]);
  expect(authorizer.rulesFor(alice, "other")).toEqual([get]);
  expect(authorizer.rulesFor({ name: "eve", groups: ["dev"] }, "ns")).toEqual([list]);
});

test("a binding without subjects, or of a role that is not there, grants nothing", async () => {
  for (const kind of ["Role", "ClusterRole"]) {
    await bindInNamespace(kind, "missing", user("alice"));
    expect(ask(alice, "get", "ns").allowed).toBe(false);
  }
  const binding = bindingOf(["ClusterRole", "missing"], user("alice"));
  await objects.put(clusterRoleBindings, { metadata: { name: "of-none" }, ...binding });
  const { roleRef } = binding;
  await objects.put(clusterRoleBindings, { metadata: { name: "for-none" }, roleRef });
  expect(authorizer.rulesFor(alice, "ns")).toEqual([]);
});

test("a change of a role or a binding counts at the next question", async () => {
  const steps: readonly (readonly [() => Promise<void>, boolean])[] = [
    [() => bindInNamespace("Role", "reader", user("alice")), false],
    [() => objects.put(roles, { metadata: { name: "reader", namespace: "ns" }, rules: [get] }), true],
    [() => bindInNamespace("Role", "reader", user("bob")), false],
    [() => bindInNamespace("ClusterRole", "reader", user("alice")), false],
    [() => objects.put(clusterRoles, { metadata: { name: "reader" }, rules: [get] }), true],
    [() => objects.put(clusterRoles, { metadata: { name: "reader" }, rules: [list] }), false],
    [
      () =>
        objects.put(clusterRoleBindings, {
          metadata: { name: "b" },
          ...bindingOf(["ClusterRole", "reader"], user("alice")),
        }),
      false,
    ],
    [() => objects.put(clusterRoles, { metadata: { name: "reader" }, rules: [get] }), true],
    [() => objects.remove(clusterRoles, { name: "reader" }), false],
  ];
  expect(ask(alice, "get", "ns").allowed).toBe(false);
  for (const [change, allowed] of steps) {
    await change();
    expect(ask(alice, "get", "ns").allowed).toBe(allowed);
  }
});

test("system:masters may do everything, without any binding", () => {
  const root: UserInfo = { name: "root", groups: ["a", "system:masters"] };
  expect(ask(root, "get", "ns")).toEqual({ allowed: true, reason: "" });
  expect(authorizer.rulesFor(root, "ns")).toEqual([
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ]);
});

test("paths are in no namespace: a RoleBinding grants none", async () => {
  const paths = { verbs: ["get"], nonResourceURLs: ["/metrics"] };
  await objects.put(clusterRoles, { metadata: { name: "reader" }, rules: [paths] });
  const mayGet = () =>
    authorizer.authorize({ user: alice, verb: "get", target: { type: "path", path: "/metrics" } }).allowed;
  await bindInNamespace("ClusterRole", "reader", user("alice"));
  expect(mayGet()).toBe(false);
  const binding = bindingOf(["ClusterRole", "reader"], user("alice"));
  await objects.put(clusterRoleBindings, { metadata: { name: "b" }, ...binding });
  expect(mayGet()).toBe(true);
});
