import { beforeAll, describe, expect, test } from "vitest";
import type { UserInfo } from "../../meta/exchange.ts";
import { addNamespace, type Bed, type Json, startBed } from "../server.suite.ts";

/** The messages are those of upstream's server. */
const group = "resource.k8s.io";
const rbac = "rbac.authorization.k8s.io";
const serviceAccount = "system:serviceaccount:default:driver";
const stranger = "system:serviceaccount:default:stranger";
const node = "authentication.kubernetes.io/node-name";

const userOf = (name: string, nodeName?: string): UserInfo => ({
  name,
  groups: ["system:authenticated"],
  ...(nodeName === undefined ? {} : { extra: { [node]: [nodeName] } }),
});

/** Every user writes claims; some have another permission. */
const permissions: Readonly<Record<string, object | undefined>> = {
  jane: undefined,
  [stranger]: undefined,
  binder: { apiGroups: [group], resources: ["resourceclaims/binding"], verbs: ["update"] },
  driver: { apiGroups: [group], resources: ["resourceclaims/driver"], verbs: ["arbitrary-node:update"] },
  [serviceAccount]: {
    apiGroups: [group],
    resources: ["resourceclaims/driver"],
    verbs: ["associated-node:update"],
  },
};

async function start(): Promise<Bed> {
  const bed = await startBed();
  const own = { apiGroups: [group], resources: ["*"], verbs: ["create", "update"] };
  const claims = { ...own, resources: ["resourceclaims", "resourceclaims/status", "resourceclaimtemplates"] };
  for (const [i, [name, more]] of Object.entries(permissions).entries()) {
    const metadata = { name: `role-${i}` };
    const rules = more === undefined ? [claims] : [claims, more];
    await bed.make(`/apis/${rbac}/v1/clusterroles`, { metadata, rules });
    await bed.make(`/apis/${rbac}/v1/clusterrolebindings`, {
      metadata,
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: metadata.name },
      subjects: [{ kind: "User", apiGroup: rbac, name }],
    });
  }
  await addNamespace(bed, "admins");
  await bed.patch("/api/v1/namespaces/admins", {
    metadata: { labels: { "resource.kubernetes.io/admin-access": "true" } },
  });
  return bed;
}

const spec = (adminAccess?: boolean) => ({
  devices: {
    requests: [{ name: "a", exactly: { deviceClassName: "gpu", allocationMode: "All", adminAccess } }],
  },
});
const place = (namespace: string, plural = "resourceclaims") =>
  `/apis/${group}/v1/namespaces/${namespace}/${plural}`;
const problems = ({ body }: { readonly body: Json }): unknown =>
  body.details?.causes?.map(({ field, message }: Json) => `${field}: ${message}`) ?? [];

const needsLabel = (path: string) =>
  `${path}: Forbidden: admin access to devices requires the \`resource.kubernetes.io/admin-access: true\` label on the containing namespace`;

test("admin access to devices requires a label on the namespace", async () => {
  const bed = await start();
  const as = { user: userOf("jane") };
  const claim = { metadata: { name: "a" }, spec: spec(true) };
  const template = { metadata: { name: "a" }, spec: { spec: spec(true) } };
  const refused = [needsLabel("spec.devices.requests[0].adminAccess")];
  expect(problems(await bed.post(place("default"), claim, as))).toEqual(refused);
  expect(problems(await bed.post(place("default"), claim))).toEqual(refused);
  expect(problems(await bed.post(place("default", "resourceclaimtemplates"), template, as))).toEqual(refused);
  await bed.make(place("default"), { ...claim, spec: spec(false) }, as);
  await bed.make(place("admins"), claim, as);
  await bed.make(place("admins", "resourceclaimtemplates"), template, as);
});

describe("the status of a claim", () => {
  const allocation = (adminAccess?: boolean) => ({
    devices: { results: [{ request: "a", driver: "d.example.com", pool: "p", device: "x", adminAccess }] },
    nodeSelector: {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }],
    },
  });
  const devices = [
    { driver: "d.example.com", pool: "p", device: "x", networkData: { interfaceName: "eth0" } },
  ];
  const other = [{ ...devices[0], networkData: { interfaceName: "eth1" } }];
  const url = `${place("default")}/a/status`;
  const refusal = (
    who: string,
    verb: string,
    part: string,
    name = "",
    scope = `in the namespace "default"`,
  ) =>
    `resourceclaims.${group} ${name}is forbidden: User "${who}" cannot ${verb} resource "resourceclaims/${part}" in API group "${group}" ${scope}`;
  const binding = (who: string) =>
    `status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission: ${refusal(who, "update", "binding", "", "at the cluster scope")}`;
  const driver = (who: string, ...verbs: readonly string[]) =>
    `status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(" ")}]" permission: ${refusal(who, verbs[0] ?? "", "driver", `"d.example.com" `)}`;
  const [associated, arbitrary] = ["associated-node:update", "arbitrary-node:update"];

  let bed: Bed;
  let claim: Json;
  beforeAll(async () => {
    bed = await start();
    claim = await bed.make(place("default"), { metadata: { name: "a" }, spec: spec() });
  });
  const write = (status: object, user?: UserInfo) =>
    bed.put(url, { ...claim, metadata: { name: "a" }, status }, user && { user });

  test.each<[what: string, before: object, after: object, user: UserInfo, found: readonly string[]]>([
    [
      "only a user with the binding permission allocates",
      {},
      { allocation: allocation() },
      userOf("jane"),
      [binding("jane")],
    ],
    ["a binder allocates", {}, { allocation: allocation() }, userOf("binder"), []],
    [
      "a binder needs the label too",
      {},
      { allocation: allocation(true) },
      userOf("binder"),
      [needsLabel("status.allocation.devices.results[0].adminAccess")],
    ],
    [
      "a user without permission cannot write a driver's status",
      { allocation: allocation() },
      { allocation: allocation(), devices },
      userOf("binder"),
      [driver("binder", arbitrary)],
    ],
    [
      "a driver speaks",
      { allocation: allocation() },
      { allocation: allocation(), devices },
      userOf("driver"),
      [],
    ],
    [
      "a driver changes its mind",
      { allocation: allocation(), devices },
      { allocation: allocation(), devices: other },
      userOf("driver"),
      [],
    ],
    [
      "a user without permission cannot remove a driver's status",
      { allocation: allocation(), devices },
      { allocation: allocation() },
      userOf("jane"),
      [driver("jane", arbitrary)],
    ],
    [
      "a ServiceAccount speaks from the node",
      { allocation: allocation() },
      { allocation: allocation(), devices },
      userOf(serviceAccount, "n1"),
      [],
    ],
    [
      "a ServiceAccount does not speak from another node",
      { allocation: allocation() },
      { allocation: allocation(), devices },
      userOf(serviceAccount, "n2"),
      [driver(serviceAccount, arbitrary)],
    ],
    [
      "the error for a ServiceAccount on the node names both sufficient verbs",
      { allocation: allocation() },
      { allocation: allocation(), devices },
      userOf(stranger, "n1"),
      [driver(stranger, associated, arbitrary)],
    ],
    [
      "another user cannot write the status for the node",
      { allocation: allocation() },
      { allocation: allocation(), devices },
      userOf("jane", "n1"),
      [driver("jane", arbitrary)],
    ],
    [
      "unchanged fields need no permission",
      { allocation: allocation(), devices },
      { allocation: allocation(), devices },
      userOf("jane"),
      [],
    ],
  ])("%s", async (_, before, after, user, found) => {
    expect((await write({})).status).toBe(200);
    expect((await write(before)).status).toBe(200);
    expect(problems(await write(after, user))).toEqual(found);
  });
});
