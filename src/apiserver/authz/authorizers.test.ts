import { type Bed, inDefault, podBody, startBed } from "../server.suite.ts";
import type { Authorizer } from "./authorizer.ts";
import { accessTo, authorizerSuite, type AuthorizerUnderTest } from "./authorizer.suite.ts";
import { NodeAuthorizer } from "./node.ts";
import { RbacAuthorizer } from "./rbac.ts";
import { UnionAuthorizer } from "./union.ts";

const rbac = "rbac.authorization.k8s.io";
const alice = { name: "alice", groups: ["team"] };
const bob = { name: "bob", groups: ["crew"] };
const agent = (node: string) => ({ name: `system:node:${node}`, groups: ["system:nodes"] });

/** Permissions of alice by a Role, and of bob by his group and a ClusterRole. */
async function openRbac(bed: Bed): Promise<AuthorizerUnderTest> {
  const rules = [
    { verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "pods/log"] },
    { verbs: ["get"], apiGroups: ["apps"], resources: ["*"], resourceNames: ["a"] },
  ];
  const metadata = { name: "granted" };
  const bindings = [inDefault("rolebindings", `${rbac}/v1`), `/apis/${rbac}/v1/clusterrolebindings`];
  await bed.make(inDefault("roles", `${rbac}/v1`), { metadata, rules });
  await bed.make(`/apis/${rbac}/v1/clusterroles`, { metadata, rules });
  for (const [url, kind, subject] of [
    [bindings[0], "Role", { kind: "User", name: "alice", apiGroup: rbac }],
    [bindings[1], "ClusterRole", { kind: "Group", name: "crew", apiGroup: rbac }],
  ] as const)
    await bed.make(url ?? "", {
      metadata,
      roleRef: { apiGroup: rbac, kind, name: "granted" },
      subjects: [subject],
    });
  await bed.clock.settle();
  return {
    authorizer: new RbacAuthorizer(bed.server.services),
    allowed: [
      accessTo(alice, "get", "pods"),
      accessTo(alice, "list", "pods", { subresource: "log" }),
      accessTo(alice, "get", "deployments", { group: "apps", name: "a" }),
      accessTo(bob, "get", "pods", { namespace: "other" }),
    ],
    denied: [
      accessTo(alice, "delete", "pods"),
      accessTo(alice, "get", "pods", { namespace: "other" }),
      accessTo(alice, "get", "pods", { namespace: "" }),
      accessTo(alice, "get", "pods", { subresource: "exec" }),
      accessTo(alice, "get", "deployments", { group: "apps", name: "b" }),
      accessTo(bob, "get", "secrets"),
      { user: bob, verb: "get", target: { type: "path", path: "/metrics" } },
    ],
    listsRules: true,
    revoke: async () => {
      for (const url of bindings) await bed.delete(`${url}/granted`);
      await bed.clock.settle();
    },
  };
}

/** Node n1 runs a Pod that refers to the Secret `s`. */
async function openNode(bed: Bed): Promise<AuthorizerUnderTest> {
  const spec = { nodeName: "n1", imagePullSecrets: [{ name: "s" }] };
  await bed.make(inDefault("pods"), podBody("web", { spec }));
  await bed.clock.settle();
  return {
    authorizer: new NodeAuthorizer(bed.server.services),
    allowed: [
      accessTo(agent("n1"), "get", "secrets", { name: "s" }),
      accessTo(agent("n1"), "get", "pods", { name: "web" }),
    ],
    denied: [
      accessTo(agent("n1"), "get", "secrets", { name: "t" }),
      accessTo(agent("n1"), "update", "secrets", { name: "s" }),
      accessTo(agent("n1"), "get", "secrets", { name: "s", namespace: "other" }),
      accessTo(agent("n2"), "get", "secrets", { name: "s" }),
      accessTo({ ...agent("n1"), groups: [] }, "get", "secrets", { name: "s" }),
    ],
    listsRules: false,
    revoke: async () => {
      await bed.delete(`${inDefault("pods")}/web?gracePeriodSeconds=0`);
      await bed.clock.settle();
    },
  };
}

authorizerSuite("RBAC", async () => openRbac(await startBed()));

authorizerSuite("the node authorizer", async () => openNode(await startBed()));

authorizerSuite("a union", async () => {
  const bed = await startBed();
  const [nodes, roles] = [await openNode(bed), await openRbac(bed)];
  const silent: Authorizer = { authorize: () => ({ allowed: false, reason: "" }), rulesFor: () => [] };
  return {
    authorizer: new UnionAuthorizer([silent, nodes.authorizer, roles.authorizer]),
    allowed: [...nodes.allowed, ...roles.allowed],
    denied: [...nodes.denied, ...roles.denied],
    listsRules: false,
    revoke: async () => {
      await nodes.revoke?.();
      await roles.revoke?.();
    },
  };
});
