import { beforeEach, describe, expect, test } from "vitest";
import type {
  AccessRequest,
  Authorizer,
  Decision,
  PolicyRule,
} from "../../src/apiserver/authz/authorizer.ts";
import { accessTo, authorizerSuite } from "../../src/apiserver/authz/authorizer.suite.ts";
import { RbacAuthorizer } from "../../src/apiserver/authz/rbac.ts";
import { UnionAuthorizer } from "../../src/apiserver/authz/union.ts";
import { addNamespace, type Bed, type Json, startBed } from "../../src/apiserver/server.suite.ts";
import type { UserInfo } from "../../src/meta/exchange.ts";

/*
 * All of a new authorizer, as docs/checklists/add-an-authorizer.md has it: one class, and one entry of the union. Users
 * may do everything with the objects in the namespace that is named after them.
 */
class HomeAuthorizer implements Authorizer {
  authorize({ user, target }: AccessRequest): Decision {
    if (target.type !== "resource" || target.namespace !== homeOf(user))
      return { allowed: false, reason: "" };
    return { allowed: true, reason: `home: ${target.namespace} is the home of ${user.name}` };
  }

  rulesFor(user: UserInfo, namespace: string): readonly PolicyRule[] {
    return namespace === homeOf(user) ? [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] : [];
  }
}

const homeOf = ({ name }: UserInfo) => `home-${name}`;

authorizerSuite("homes", async () => {
  const anna = { name: "anna", groups: ["crew"] };
  const ben = { name: "ben", groups: ["crew"] };
  return {
    authorizer: new HomeAuthorizer(),
    allowed: [accessTo(anna, "delete", "pods", { namespace: "home-anna", subresource: "log" })],
    denied: [
      accessTo(anna, "get", "pods", { namespace: "home-ben" }),
      accessTo(anna, "get", "nodes", { namespace: "" }),
      accessTo(ben, "get", "pods", { namespace: "home-anna" }),
      { user: anna, verb: "get", target: { type: "path", path: "/home-anna" } },
    ],
    listsRules: true,
  };
});

const alice = { user: { name: "alice", groups: [] } };
const rbac = "rbac.authorization.k8s.io";
const inNamespace = (namespace: string, plural: string, group = "") =>
  `${group === "" ? "/api/v1" : `/apis/${group}/v1`}/namespaces/${namespace}/${plural}`;

let bed: Bed;
beforeEach(async () => {
  bed = await startBed({
    authorizer: (services) => new UnionAuthorizer([new HomeAuthorizer(), new RbacAuthorizer(services)]),
  });
  await addNamespace(bed, "home-alice");
  const reviews = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];
  await grant("", [{ apiGroups: ["authorization.k8s.io"], resources: reviews, verbs: ["create"] }]);
});

/** Gives alice permissions by RBAC, in a namespace or everywhere. */
async function grant(namespace: string, rules: readonly PolicyRule[]): Promise<void> {
  const kind = namespace === "" ? "ClusterRole" : "Role";
  const metadata = { name: "granted" };
  const place = (plural: string) =>
    namespace === "" ? `/apis/${rbac}/v1/cluster${plural}` : inNamespace(namespace, plural, rbac);
  await bed.make(place("roles"), { metadata, rules });
  await bed.make(place("rolebindings"), {
    metadata,
    roleRef: { apiGroup: rbac, kind, name: "granted" },
    subjects: [{ apiGroup: rbac, kind: "User", name: "alice" }],
  });
  await bed.clock.settle();
}

const review = async (kind: string, spec: object): Promise<Json> =>
  (await bed.make(`/apis/authorization.k8s.io/v1/${kind}`, { spec }, alice)).status;

describe("a new authorizer", () => {
  test("allows what it knows of, and denies the rest in upstream's words", async () => {
    const map = { metadata: { name: "a" } };
    expect((await bed.post(inNamespace("home-alice", "configmaps"), map, alice)).status).toBe(201);
    const { status, body } = await bed.post(inNamespace("default", "configmaps"), map, alice);
    expect(status).toBe(403);
    expect(body.message).toBe(
      'configmaps is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the namespace "default"',
    );
  });

  test("denies nothing that another member of the union allows", async () => {
    await grant("default", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }]);
    expect((await bed.get(inNamespace("default", "configmaps"), alice)).status).toBe(200);
  });

  test("gives its reason to those who ask", async () => {
    const ask = (namespace: string) =>
      review("selfsubjectaccessreviews", {
        resourceAttributes: { verb: "get", resource: "pods", namespace },
      });
    expect(await ask("home-alice")).toEqual({
      allowed: true,
      reason: "home: home-alice is the home of alice",
    });
    expect(await ask("default")).toMatchObject({ allowed: false });
  });

  test("shows its rules to the user that they hold for, in their namespace", async () => {
    const ask = (namespace: string) => review("selfsubjectrulesreviews", { namespace });
    const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
    expect((await ask("home-alice")).resourceRules).toContainEqual(everything);
    expect((await ask("default")).resourceRules).not.toContainEqual(everything);
  });

  test("counts where a user grants what the user holds", async () => {
    const role = {
      metadata: { name: "reader" },
      rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
    };
    const made = await bed.post(inNamespace("home-alice", "roles", rbac), role, alice);
    expect(made.status).toBe(201);
    await grant("default", [{ apiGroups: [rbac], resources: ["roles"], verbs: ["create"] }]);
    const { status, body } = await bed.post(inNamespace("default", "roles", rbac), role, alice);
    expect(status).toBe(403);
    expect(body.message).toContain("is attempting to grant RBAC permissions not currently held");
  });
});
