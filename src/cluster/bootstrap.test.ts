import { uncovered } from "../apiserver/authz/covers.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { type Bed, type Json, startBed } from "../apiserver/server.suite.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process.ts";
import { controllers } from "../controllers/controllers.ts";
import { bindings } from "./bootstrap-policy/bindings.ts";
import { clusterRoles } from "./bootstrap-policy/cluster-roles.ts";
import { controllerRoles } from "./bootstrap-policy/controller-roles.ts";
import { namespaceRoles } from "./bootstrap-policy/namespace-roles.ts";
import { bootstrap, type WellKnownServices } from "./bootstrap.ts";
import { identities } from "./identities.ts";

const wellKnown: WellKnownServices = {
  apiServer: { clusterIP: "10.96.0.1", address: "192.0.2.10", port: 6443 },
  dns: "10.96.0.10",
  serviceCIDR: "10.96.0.0/24",
};

let bed: Bed;
let client: Client;
beforeEach(async () => {
  bed = await startBed();
  client = new Client(new InProcessTransport(bed.server.handle, identities.bootstrap));
});
const start = (more: Partial<WellKnownServices> = {}) =>
  bootstrap(client, { ...wellKnown, ...more }, { clientCa: "the authority", now: bed.clock.now() });
const get = async (url: string): Promise<Json> => (await bed.get(url)).body;
const namesOf = async (url: string): Promise<readonly string[]> =>
  (await get(url)).items.map(({ metadata }: Json) => metadata.name);

const rbac = "/apis/rbac.authorization.k8s.io/v1";

describe("a cluster's first start", () => {
  test("makes the namespaces, classes, ConfigMaps and Services that every cluster has", async () => {
    await start();
    expect(await namesOf("/api/v1/namespaces")).toEqual(
      expect.arrayContaining(["default", "kube-node-lease", "kube-public", "kube-system"]),
    );
    expect(await namesOf("/apis/scheduling.k8s.io/v1/priorityclasses")).toEqual([
      "system-cluster-critical",
      "system-node-critical",
    ]);
    expect((await get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes")).spec.cidrs).toEqual([
      "10.96.0.0/24",
    ]);
    expect(await namesOf("/api/v1/namespaces/kube-system/configmaps")).toEqual([
      "extension-apiserver-authentication",
      "kube-apiserver-legacy-service-account-token-tracking",
    ]);
    expect((await get("/api/v1/namespaces/default/services/kubernetes")).spec).toMatchObject({
      clusterIP: "10.96.0.1",
      ports: [{ name: "https", port: 443, targetPort: 6443 }],
    });
    expect((await get("/api/v1/namespaces/kube-system/services/kube-dns")).spec.clusterIP).toBe("10.96.0.10");
  });

  test("gives Services addresses before any controller runs, and records them", async () => {
    await start();
    const { status } = await get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes");
    expect(status.conditions).toMatchObject([
      { type: "Ready", status: "True", message: "Kubernetes default Service CIDR is ready" },
    ]);
    expect(await namesOf("/apis/networking.k8s.io/v1/ipaddresses")).toEqual(["10.96.0.1", "10.96.0.10"]);
  });

  test("leaves out the Services that nothing is behind", async () => {
    await start({ apiServer: undefined, dns: undefined });
    expect(await namesOf("/api/v1/services")).toEqual([]);
    expect(await namesOf("/apis/discovery.k8s.io/v1/endpointslices")).toEqual([]);
  });
});

describe("a cluster's next start", () => {
  const addresses = async () => ({
    slice: (await get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes")).endpoints[0]
      .addresses,
    endpoints: (await get("/api/v1/namespaces/default/endpoints/kubernetes")).subsets[0].addresses,
  });

  test("changes nothing of what is as it should be", async () => {
    await start();
    const before = bed.revision;
    await start();
    expect(bed.revision).toBe(before);
  });

  test("says where the API server is now", async () => {
    await start();
    await start({ apiServer: { clusterIP: "10.96.0.1", address: "192.0.2.20", port: 7443 } });
    expect(await addresses()).toEqual({ slice: ["192.0.2.20"], endpoints: [{ ip: "192.0.2.20" }] });
    const { ports } = await get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes");
    expect(ports).toMatchObject([{ name: "https", port: 7443 }]);
  });

  test("makes again what was deleted, and leaves what a user has changed", async () => {
    await start();
    await bed.delete(`${rbac}/clusterroles/view`);
    await bed.delete(`${rbac}/clusterrolebindings/system:discovery`);
    await bed.delete("/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical");
    await bed.patch(`${rbac}/clusterroles/edit`, { metadata: { labels: { mine: "true" } } });
    await bed.clock.settle();
    await start();
    expect((await get(`${rbac}/clusterroles/edit`)).metadata.labels.mine).toBe("true");
    for (const url of [
      `${rbac}/clusterroles/view`,
      `${rbac}/clusterrolebindings/system:discovery`,
      "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
    ])
      expect([url, (await bed.get(url)).status]).toEqual([url, 200]);
  });
});

describe("a start with roles and bindings that were changed", () => {
  const scheduler = `${rbac}/clusterroles/system:kube-scheduler`;
  const discovery = `${rbac}/clusterrolebindings/system:discovery`;
  const own = { verbs: ["get"], apiGroups: ["example.com"], resources: ["things"] };

  test("adds the rules and subjects that they lack, and keeps those that a user has added", async () => {
    await start();
    const { rules } = await get(scheduler);
    const { subjects } = await get(discovery);
    const mine = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "me" };
    await bed.patch(scheduler, { rules: [own] });
    await bed.patch(discovery, { subjects: [mine] });
    await bed.clock.settle();
    await start();
    const changed = await get(scheduler);
    expect(changed.rules[0]).toEqual(own);
    expect(uncovered(changed.rules, rules)).toEqual([]);
    expect((await get(discovery)).subjects).toEqual([mine, ...subjects]);
    const { revision } = bed;
    await start();
    expect(bed.revision).toBe(revision);
  });

  test("leaves them alone when their annotation says so", async () => {
    await start();
    const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
    await bed.patch(scheduler, { metadata: { annotations }, rules: [own] });
    await bed.patch(discovery, { metadata: { annotations }, subjects: null });
    await bed.clock.settle();
    await start();
    expect((await get(scheduler)).rules).toEqual([own]);
    expect((await get(discovery)).subjects).toBeUndefined();
  });
});

describe("the bootstrap policy", () => {
  const roles = [...clusterRoles, ...controllerRoles, ...namespaceRoles];
  const id = ({ name, namespace }: { readonly name: string; readonly namespace: string }) =>
    `${namespace}/${name}`;

  test("names each role and each binding once, and binds roles that there are", () => {
    for (const all of [roles, bindings]) {
      const ids = all.map(id);
      expect(ids).toEqual([...new Set(ids)]);
    }
    const known = new Set(roles.map(id));
    const dangling = bindings.filter(
      ({ role, namespace }) =>
        !known.has(id({ name: role.name, namespace: role.kind === "Role" ? namespace : "" })),
    );
    expect(dangling).toEqual([]);
  });

  test("gives each controller its role by the ServiceAccount of its name, and nobody else", () => {
    for (const { name } of controllerRoles) {
      const own = bindings.filter(({ role }) => role.name === name);
      const account = name.replace("system:controller:", "");
      expect(own.map(({ subjects }) => subjects)).toEqual([
        [{ kind: "ServiceAccount", name: account, namespace: "kube-system" }],
      ]);
    }
  });

  test("has a role for each controller that runs", () => {
    const made = controllers({
      rootCertificate: "",
      signToken: () => Promise.resolve(""),
      signing: { certificate: "", sign: () => Promise.resolve("") },
    });
    const missing = made
      .map(({ name }) => name)
      .filter((name) => name !== "tokens-controller")
      .filter((name) => !controllerRoles.some((role) => role.name === `system:controller:${name}`));
    expect(missing).toEqual([]);
  });

  test("starts with roles that have gathered all that is gathered for them", async () => {
    await start();
    const rulesOf = async (name: string) => (await get(`${rbac}/clusterroles/${name}`)).rules;
    const [admin, edit, view] = [await rulesOf("admin"), await rulesOf("edit"), await rulesOf("view")];
    expect(admin).toEqual(expect.arrayContaining(edit));
    expect(edit).toEqual(expect.arrayContaining(view));
    const own = await rulesOf("system:aggregate-to-view");
    expect(view).toEqual([...own, ...(await rulesOf("system:aggregated-metrics-reader"))]);
    expect(JSON.stringify(view)).not.toContain('"secrets"');
  });
});

test("a later start records addresses that are not recorded, and forgets those without a Service", async () => {
  await start();
  const addresses = "/apis/networking.k8s.io/v1/ipaddresses";
  const { body: record } = await bed.get(`${addresses}/10.96.0.10`);
  await bed.delete(`${addresses}/10.96.0.10`);
  const { labels } = record.metadata;
  const parentRef = { group: "example.com", resource: "gateways", name: "a" };
  await bed.make(addresses, { metadata: { name: "10.96.0.77", labels }, spec: record.spec });
  await bed.make(addresses, { metadata: { name: "10.96.0.78" }, spec: { parentRef } });
  await start();
  expect(await namesOf(addresses)).toEqual(["10.96.0.1", "10.96.0.10", "10.96.0.78"]);
  expect((await get(`${addresses}/10.96.0.10`)).spec).toEqual(record.spec);
});
