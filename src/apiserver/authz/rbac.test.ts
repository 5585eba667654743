import { beforeEach, describe, expect, test } from "vitest";
import type { UserInfo } from "../../meta/exchange.ts";
import { addNamespace, type Bed, inDefault, type Json, startBed } from "../server.suite.ts";

const group = "rbac.authorization.k8s.io";
const cluster = `/apis/${group}/v1`;
const roles = inDefault("roles", `${group}/v1`);
const roleBindings = inDefault("rolebindings", `${group}/v1`);
const alice: UserInfo = { name: "alice", groups: ["team", "system:authenticated"] };
const asAlice = { user: alice };

type Rule = Readonly<Record<string, readonly string[]>>;

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
  await addNamespace(bed, "other");
});

const subject = (name: string, kind = "User") => ({ kind, name, apiGroup: group });
const refer = (kind: string, name: string) => ({ apiGroup: group, kind, name });

async function grant(
  rules: readonly Rule[],
  namespaced = false,
  who: Json = subject("alice"),
): Promise<void> {
  const kind = namespaced ? "Role" : "ClusterRole";
  await bed.make(namespaced ? roles : `${cluster}/clusterroles`, { metadata: { name: "granted" }, rules });
  await bed.make(namespaced ? roleBindings : `${cluster}/clusterrolebindings`, {
    metadata: { name: "granted" },
    roleRef: refer(kind, "granted"),
    subjects: [who],
  });
  await bed.clock.settle();
}

async function can(attributes: object, user: Json = { user: "alice", groups: ["team"] }): Promise<boolean> {
  const spec = { ...user, ...attributes };
  const { status } = await bed.make("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec });
  return status.allowed;
}

const resource = (verb: string, plural: string, more: object = {}) => ({
  resourceAttributes: { verb, resource: plural, namespace: "default", ...more },
});
const path = (verb: string, to: string) => ({ nonResourceAttributes: { verb, path: to } });
const core = (verbs: string, resources: string, more: Rule = {}): Rule => ({
  verbs: verbs.split(" "),
  apiGroups: [""],
  resources: resources.split(" "),
  ...more,
});

describe("a rule allows", () => {
  test.each<readonly [rule: Rule, allowed: readonly object[], denied: readonly object[]]>([
    [
      core("get", "pods"),
      [resource("get", "pods")],
      [
        resource("list", "pods"),
        resource("get", "secrets"),
        resource("get", "pods", { group: "apps" }),
        resource("get", "pods", { subresource: "log" }),
      ],
    ],
    [core("*", "pods"), [resource("get", "pods"), resource("whatever", "pods")], [resource("get", "nodes")]],
    [
      core("get", "*"),
      [resource("get", "pods"), resource("get", "pods", { subresource: "log" })],
      [resource("get", "deployments", { group: "apps" })],
    ],
    [
      core("get", "pods/log"),
      [resource("get", "pods", { subresource: "log" })],
      [resource("get", "pods"), resource("get", "pods", { subresource: "exec" })],
    ],
    [
      core("update", "*/scale"),
      [resource("update", "things", { subresource: "scale" })],
      [resource("update", "things")],
    ],
    [
      core("get", "pods", { resourceNames: ["a"] }),
      [resource("get", "pods", { name: "a" })],
      [resource("get", "pods", { name: "b" }), resource("get", "pods"), resource("list", "pods")],
    ],
    [
      { verbs: ["get"], apiGroups: ["*"], resources: ["*"] },
      [resource("get", "deployments", { group: "apps" })],
      [path("get", "/metrics")],
    ],
    [
      { verbs: ["get"], nonResourceURLs: ["/metrics", "/logs/*"] },
      [path("get", "/metrics"), path("get", "/logs/a/b")],
      [path("get", "/metrics/x"), path("post", "/metrics"), path("get", "/log"), resource("get", "pods")],
    ],
    [{ verbs: ["*"], nonResourceURLs: ["*"] }, [path("get", "/anything")], [resource("get", "pods")]],
  ])("%j", async (rule, allowed, denied) => {
    await grant([rule]);
    for (const one of allowed) expect([one, await can(one)]).toEqual([one, true]);
    for (const one of denied) expect([one, await can(one)]).toEqual([one, false]);
  });

  test("in its namespace only, when it is in a Role", async () => {
    await grant([core("get list", "configmaps")], true);
    expect((await bed.get(inDefault("configmaps"), asAlice)).status).toBe(200);
    expect((await bed.get("/api/v1/namespaces/other/configmaps", asAlice)).status).toBe(403);
    expect((await bed.get("/api/v1/configmaps", asAlice)).body.message).toBe(
      'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" at the cluster scope',
    );
  });

  test.each([
    ["a user", subject("alice"), true],
    ["a group", subject("team", "Group"), true],
    ["another user", subject("bob"), false],
    ["a group of the user's name", subject("alice", "Group"), false],
    ["a ServiceAccount", { kind: "ServiceAccount", namespace: "default", name: "alice" }, false],
  ])("to %s", async (_, who, allowed) => {
    await grant([core("list", "configmaps")], false, who);
    expect((await bed.get(inDefault("configmaps"), asAlice)).status).toBe(allowed ? 200 : 403);
  });

  test("for a reason that names the binding, the role and the subject", async () => {
    await grant([core("list", "configmaps")], true, {
      kind: "ServiceAccount",
      namespace: "other",
      name: "a",
    });
    const spec = { user: "system:serviceaccount:other:a", ...resource("list", "configmaps") };
    const { status } = await bed.make("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec });
    expect(status.reason).toBe(
      'RBAC: allowed by RoleBinding "granted/default" of Role "granted" to ServiceAccount "a/other"',
    );
  });

  test("a list or watch of one name with the permission for that name", async () => {
    await grant([core("list watch", "configmaps", { resourceNames: ["a"] })]);
    const url = inDefault("configmaps");
    expect((await bed.get(`${url}?fieldSelector=metadata.name%3Da`, asAlice)).status).toBe(200);
    expect((await bed.get(`${url}?fieldSelector=metadata.name%3Db`, asAlice)).status).toBe(403);
    expect((await bed.get(`${url}?fieldSelector=metadata.name%21%3Da`, asAlice)).status).toBe(403);
    expect((await bed.get(url, asAlice)).status).toBe(403);
  });

  test("no longer, once the binding or the rule is deleted", async () => {
    await grant([core("list", "configmaps")]);
    const list = async () => (await bed.get(inDefault("configmaps"), asAlice)).status;
    expect(await list()).toBe(200);
    await bed.patch(`${cluster}/clusterroles/granted`, { rules: [core("get", "configmaps")] });
    await bed.clock.settle();
    expect(await list()).toBe(403);
    await bed.patch(`${cluster}/clusterroles/granted`, { rules: [core("list", "configmaps")] });
    await bed.clock.settle();
    expect(await list()).toBe(200);
    await bed.delete(`${cluster}/clusterrolebindings/granted`);
    await bed.clock.settle();
    expect(await list()).toBe(403);
  });
});

describe("users cannot grant permissions that they do not hold", () => {
  const writes = { verbs: ["create", "update", "patch"], apiGroups: [group], resources: ["*"] };
  const newRole = (rules: readonly Rule[], more: object = {}) => ({
    metadata: { name: "new" },
    rules,
    ...more,
  });

  test("through a role", async () => {
    await grant([writes, core("get list", "pods"), { verbs: ["get"], nonResourceURLs: ["/metrics/*"] }]);
    const create = (rule: Rule) => bed.post(`${cluster}/clusterroles?dryRun=All`, newRole([rule]), asAlice);
    for (const rule of [
      core("get", "pods"),
      core("get list", "pods", { resourceNames: ["a"] }),
      { verbs: ["get"], nonResourceURLs: ["/metrics/a"] },
    ])
      expect((await create(rule)).status).toBe(201);
    for (const [rule, missing] of [
      [core("delete", "pods"), '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}'],
      [core("get", "*"), '{APIGroups:[""], Resources:["*"], Verbs:["get"]}'],
      [
        core("list get patch", "secrets pods pods/log"),
        `{APIGroups:[""], Resources:["pods"], Verbs:["patch"]}
{APIGroups:[""], Resources:["pods/log"], Verbs:["list" "get" "patch"]}
{APIGroups:[""], Resources:["secrets"], Verbs:["list" "get" "patch"]}`,
      ],
      [
        core("delete patch", "pods", { resourceNames: ["a"] }),
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["delete" "patch"]}',
      ],
      [
        { verbs: ["get", "post"], nonResourceURLs: ["*"] },
        '{NonResourceURLs:["*"], Verbs:["get"]}\n{NonResourceURLs:["*"], Verbs:["post"]}',
      ],
    ] as const) {
      const { status, body } = await create(rule);
      expect(status).toBe(403);
      expect(body.message).toBe(
        `clusterroles.rbac.authorization.k8s.io "new" is forbidden: user "alice" (groups=["team" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${missing}`,
      );
    }
  });

  test("through a change of a role", async () => {
    await grant([writes, core("get", "pods")]);
    await bed.make(`${cluster}/clusterroles`, newRole([core("delete", "nodes")]));
    const url = `${cluster}/clusterroles/new`;
    expect((await bed.patch(url, { metadata: { labels: { a: "b" } } }, asAlice)).status).toBe(403);
    expect((await bed.patch(url, { rules: [core("get", "pods")] }, asAlice)).status).toBe(200);
    expect((await bed.patch(url, { metadata: { labels: { a: "b" } } }, asAlice)).status).toBe(200);
    expect((await bed.patch(url, { rules: [core("delete", "pods")] }, asAlice)).status).toBe(403);
  });

  test("through a role that aggregates others", async () => {
    await grant([writes]);
    const aggregationRule = { clusterRoleSelectors: [{}] };
    const made = await bed.post(`${cluster}/clusterroles`, newRole([], { aggregationRule }), asAlice);
    expect(made.body.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "new" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
    const patched = await bed.patch(`${cluster}/clusterroles/granted`, { aggregationRule }, asAlice);
    expect(patched.status).toBe(403);
    await bed.make(`${cluster}/clusterroles`, newRole([], { aggregationRule }));
    const removed = await bed.patch(`${cluster}/clusterroles/new`, { aggregationRule: null }, asAlice);
    expect(removed.body.message).toContain("must have cluster-admin privileges");
  });

  describe("through a label that a role with an aggregationRule selects", () => {
    const labels = { "example.com/gathered": "true" };
    const url = `${cluster}/clusterroles/all`;
    const type = (name: string) => ({ ...asAlice, headers: { "content-type": `application/${name}` } });
    const ways: Readonly<Record<string, (role: Json) => Promise<{ readonly status: number; body: Json }>>> = {
      "an update": ({ metadata, ...role }) =>
        bed.put(url, { ...role, metadata: { ...metadata, labels } }, asAlice),
      "a merge patch": () => bed.patch(url, { metadata: { labels } }, asAlice),
      "a JSON patch": () => bed.patch(url, [{ op: "add", path: "/metadata/labels", value: labels }], asAlice),
      "a strategic merge patch": () =>
        bed.call("PATCH", url, { metadata: { labels } }, type("strategic-merge-patch+json")),
      "server-side apply": () => {
        const applied = { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata: { name: "all", labels } };
        return bed.call("PATCH", `${url}?fieldManager=alice`, applied, type("apply-patch+yaml"));
      },
    };
    test.each(Object.entries(ways))("by %s", async (_, write) => {
      const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
      const role = await bed.make(`${cluster}/clusterroles`, {
        metadata: { name: "all" },
        rules: [everything],
      });
      await grant([writes]);
      const { status, body } = await write(role);
      expect(status).toBe(403);
      expect(body.message).toContain("is attempting to grant RBAC permissions not currently held");
      expect((await bed.get(url)).body.metadata).not.toHaveProperty("labels");
    });
  });

  test("but may change owners and finalizers, as the garbage collector does", async () => {
    await grant([writes]);
    await bed.make(`${cluster}/clusterroles`, newRole([core("delete", "nodes")]));
    const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u" };
    const change = { metadata: { finalizers: ["example.com/f"], ownerReferences: [owner] } };
    for (const plural of ["clusterroles/new", "clusterrolebindings/granted"])
      expect((await bed.patch(`${cluster}/${plural}`, change, asAlice)).status).toBe(200);
  });

  test("through a binding", async () => {
    await grant([writes, core("get", "pods")]);
    await bed.make(`${cluster}/clusterroles`, newRole([core("delete", "nodes")]));
    await bed.make(`${cluster}/clusterroles`, { metadata: { name: "held" }, rules: [core("get", "pods")] });
    const bind = (name: string) =>
      bed.post(
        roleBindings,
        { metadata: { name }, roleRef: refer("ClusterRole", name), subjects: [subject("bob")] },
        asAlice,
      );
    expect((await bind("held")).status).toBe(201);
    expect((await bind("new")).status).toBe(403);
    const bound = await bed.make(roleBindings, {
      metadata: { name: "of-more" },
      roleRef: refer("ClusterRole", "new"),
      subjects: [],
    });
    const url = `${roleBindings}/${bound.metadata.name}`;
    expect((await bed.patch(url, { subjects: [subject("bob")] }, asAlice)).status).toBe(403);
    expect((await bed.patch(url, { metadata: { labels: { a: "b" } } }, asAlice)).status).toBe(403);
    expect((await bind("missing")).body.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "missing" not found',
    );
  });

  test.each(["escalate", "bind"])("unless they may %s", async (verb) => {
    await grant([
      writes,
      { verbs: [verb], apiGroups: [group], resources: ["clusterroles"], resourceNames: ["new"] },
    ]);
    const role = newRole([core("delete", "nodes")]);
    // A create on the collection has no name in its path: a permission for one name does not apply.
    expect((await bed.post(`${cluster}/clusterroles`, role, asAlice)).status).toBe(403);
    const made = await bed.put(`${cluster}/clusterroles/new`, role, asAlice);
    expect(made.status).toBe(verb === "escalate" ? 201 : 403);
    if (verb === "escalate") return;
    await bed.make(`${cluster}/clusterroles`, role);
    const binding = {
      metadata: { name: "b" },
      roleRef: refer("ClusterRole", "new"),
      subjects: [subject("bob")],
    };
    expect((await bed.post(roleBindings, binding, asAlice)).status).toBe(201);
  });

  test("a binding's role is immutable", async () => {
    await grant([core("get", "pods")]);
    const { status, body } = await bed.patch(`${cluster}/clusterrolebindings/granted`, {
      roleRef: { name: "other" },
    });
    expect(status).toBe(422);
    expect(body.message).toContain("cannot change roleRef");
  });
});

describe("impersonation", () => {
  const whoAmI = async (headers: Readonly<Record<string, string>>, user = alice) => {
    const kind = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    return bed.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", kind, { user, headers });
  };
  const base = { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] };
  const mayBe = (resources: string, names: string, apiGroup = ""): Rule => ({
    verbs: ["impersonate"],
    apiGroups: [apiGroup],
    resources: [resources],
    resourceNames: [names],
  });
  beforeEach(async () => {
    await bed.make(`${cluster}/clusterroles`, { metadata: { name: "base" }, rules: [base] });
    const subjects = [subject("system:authenticated", "Group")];
    await bed.make(`${cluster}/clusterrolebindings`, {
      metadata: { name: "base" },
      roleRef: refer("ClusterRole", "base"),
      subjects,
    });
    await bed.clock.settle();
  });

  test("needs a permission for each part", async () => {
    await grant([
      mayBe("users", "bob"),
      mayBe("groups", "dev"),
      mayBe("uids", "u-1", "authentication.k8s.io"),
      mayBe("userextras/scopes", "view", "authentication.k8s.io"),
    ]);
    const whole = {
      "impersonate-user": "bob",
      "impersonate-group": "dev",
      "impersonate-uid": "u-1",
      "impersonate-extra-scopes": "view",
    };
    expect((await whoAmI(whole)).body.status.userInfo).toEqual({
      username: "bob",
      uid: "u-1",
      groups: ["dev", "system:authenticated"],
      extra: { scopes: ["view"] },
    });
    for (const [name, value] of Object.entries({
      user: "eve",
      group: "dev, ops",
      uid: "u-2",
      "extra-scopes": "edit",
      "extra-other": "view",
    })) {
      const { status, body } = await whoAmI({ ...whole, [`impersonate-${name}`]: value });
      expect(status).toBe(403);
      expect(body.message).toContain('User "alice" cannot impersonate resource');
    }
  });

  test("keeps an invalidly encoded key of extra unchanged", async () => {
    const extra = "impersonate-extra-%zz";
    const refused = await whoAmI({ "impersonate-user": "bob", [extra]: "view" });
    expect(refused.body).toMatchObject({ code: 403, reason: "Forbidden" });
    await grant([
      mayBe("users", "bob"),
      mayBe("userextras/%zz", "view", "authentication.k8s.io"),
      mayBe("userextras/__proto__", "view", "authentication.k8s.io"),
    ]);
    const { body } = await whoAmI({ "impersonate-user": "bob", [extra]: "view" });
    expect(body.status.userInfo.extra).toEqual({ "%zz": ["view"] });
    const proto = await whoAmI({ "impersonate-user": "bob", "impersonate-extra-__proto__": "view" });
    expect(Object.keys(proto.body.status.userInfo.extra)).toEqual(["__proto__"]);
  });

  test("checks both of two headers that decode to one key of extra", async () => {
    await grant([mayBe("users", "bob"), mayBe("userextras/scopes", "view", "authentication.k8s.io")]);
    const both = { "impersonate-extra-scopes": "view", "impersonate-extra-%73copes": "edit" };
    expect((await whoAmI({ "impersonate-user": "bob", ...both })).status).toBe(403);
  });

  test("of an empty name is no impersonation", async () => {
    expect((await whoAmI({ "impersonate-user": "" })).body.status.userInfo.username).toBe("alice");
    expect((await whoAmI({ "impersonate-user": "", "impersonate-group": "dev" })).status).toBe(400);
  });

  test("of groups alone is invalid, and of system:masters needs its permission", async () => {
    await grant([mayBe("users", "bob")]);
    expect((await whoAmI({ "impersonate-group": "dev" })).status).toBe(400);
    expect((await whoAmI({ "impersonate-user": "bob", "impersonate-group": "system:masters" })).status).toBe(
      403,
    );
  });

  test("of a ServiceAccount brings its groups", async () => {
    await grant([mayBe("serviceaccounts", "default")]);
    const { body } = await whoAmI({ "impersonate-user": "system:serviceaccount:default:default" });
    expect(body.status.userInfo.groups).toEqual([
      "system:serviceaccounts",
      "system:serviceaccounts:default",
      "system:authenticated",
    ]);
  });
});

describe("rules reviews", () => {
  test("list a user's permissions in a namespace", async () => {
    const create = { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["*"] };
    await grant([create, core("get", "pods"), { verbs: ["get"], nonResourceURLs: ["/metrics"] }]);
    const url = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    const { body } = await bed.post(url, { spec: { namespace: "default" } }, asAlice);
    expect(body.status).toMatchObject({
      resourceRules: [{ resources: ["*"] }, { verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }],
    });
    expect((await bed.post(url, { spec: {} }, asAlice)).status).toBe(400);
  });
});
