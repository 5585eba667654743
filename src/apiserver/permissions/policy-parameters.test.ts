import { expect, test } from "vitest";
import type { UserInfo } from "../../meta/exchange.ts";
import { type Json, startBed } from "../server.suite.ts";

/** The messages are those of upstream's server. */
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const registration = "/apis/admissionregistration.k8s.io/v1";
const jane: UserInfo = { name: "jane", groups: ["system:authenticated"] };
const shown = "user &{jane  [system:authenticated] map[]}";

const configMaps = { apiVersion: "v1", kind: "ConfigMap" };
const things = { apiVersion: "example.com/v1", kind: "Thing" };
const resourceRules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }];

const policy = (name: string, paramKind?: object, spec: object = {}) => ({
  metadata: { name },
  spec: { matchConstraints: { resourceRules }, paramKind, validations: [{ expression: "true" }], ...spec },
});
const binding = (policyName: string, paramRef: object) => ({
  metadata: { name: "binding" },
  spec: {
    policyName,
    paramRef: { parameterNotFoundAction: "Deny", ...paramRef },
    validationActions: ["Deny"],
  },
});

/** A server where jane writes policies and has the permissions of the rules. */
async function startFor(...rules: readonly object[]) {
  const bed = await startBed();
  const own = { apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["*"] };
  await bed.make(`${rbac}/clusterroles`, { metadata: { name: "jane" }, rules: [own, ...rules] });
  await bed.make(`${rbac}/clusterrolebindings`, {
    metadata: { name: "jane" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "jane" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }],
  });
  await bed.clock.settle();
  const asJane = async (method: string, path: string, body: unknown) => {
    const options = { user: jane, headers: { "content-type": "application/merge-patch+json" } };
    const answer = await bed.call(
      method,
      `${registration}/${path}`,
      body,
      method === "PATCH" ? options : { user: jane },
    );
    return answer.status < 300 ? answer.status : (answer.body.details.causes as Json[])[0].message;
  };
  return { bed, asJane };
}

const reading = { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] };

test("a user who gives a policy parameters must be able to read all of their kind", async () => {
  const { bed, asJane } = await startFor();
  const refused = (kind: string, version: string) =>
    `Forbidden: ${shown} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${version})`;
  const path = "validatingadmissionpolicies";
  expect(await asJane("POST", path, policy("a", configMaps))).toBe(refused("ConfigMap", "v1"));
  expect(await asJane("POST", path, policy("a", things))).toBe(refused("Thing", "example.com/v1"));
  expect(await asJane("POST", path, policy("a"))).toBe(201);
  expect(await asJane("PATCH", `${path}/a`, { spec: { paramKind: configMaps } })).toBe(
    refused("ConfigMap", "v1"),
  );
  await bed.patch(`${registration}/${path}/a`, { spec: { paramKind: configMaps } });
  expect(await asJane("PATCH", `${path}/a`, { metadata: { labels: { a: "b" } } })).toBe(200);
  const jsonPatch = { expression: "[JSONPatch{op: 'test', path: '/a'}]" };
  const mutating = policy("a", configMaps, {
    validations: undefined,
    reinvocationPolicy: "Never",
    mutations: [{ patchType: "JSONPatch", jsonPatch }],
  });
  expect(await asJane("POST", "mutatingadmissionpolicies", mutating)).toBe(refused("ConfigMap", "v1"));
});

test("a user who may read the parameters may use them", async () => {
  const { asJane } = await startFor(reading);
  expect(await asJane("POST", "validatingadmissionpolicies", policy("a", configMaps))).toBe(201);
  for (const paramRef of [{ name: "x" }, { name: "x", namespace: "default" }, { selector: {} }]) {
    const body = { ...binding("a", paramRef), metadata: { name: `b-${JSON.stringify(paramRef).length}` } };
    expect(await asJane("POST", "validatingadmissionpolicybindings", body)).toBe(201);
  }
});

test.each([
  ["a", { name: "x" }, `${shown} does not have "get" permission on the object referenced by paramRef`],
  ["a", { selector: {} }, `${shown} does not have "list" permission on the object referenced by paramRef`],
  ["plain", { name: "x" }, `${shown} does not have "get" permission on the object referenced by paramRef`],
  [
    "none",
    { name: "x" },
    `unable to get policy none to determine minimum required permissions and ${shown} does not have "get" permission for all groups, versions and resources`,
  ],
  [
    "things",
    { name: "x" },
    `unable to resolve paramKind &{example.com/v1 Thing} to determine minimum required permissions and ${shown} does not have "get" permission for all groups, versions and resources`,
  ],
])("a user who binds the policy %s must be able to read its parameters", async (name, paramRef, message) => {
  const { bed, asJane } = await startFor();
  for (const one of [policy("a", configMaps), policy("plain"), policy("things", things)]) {
    await bed.make(`${registration}/validatingadmissionpolicies`, one);
  }
  const path = "validatingadmissionpolicybindings";
  expect(await asJane("POST", path, binding(name, paramRef))).toBe(`Forbidden: ${message}`);
  await bed.make(`${registration}/${path}`, binding(name, paramRef));
  expect(await asJane("PATCH", `${path}/binding`, { metadata: { labels: { a: "b" } } })).toBe(
    `Forbidden: ${message}`,
  );
});
