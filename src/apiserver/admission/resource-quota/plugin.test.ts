import { beforeEach, describe, expect, test, vi } from "vitest";
import { type Bed, inDefault, type Json, podBody, startBed } from "../../server.suite.ts";

const quotas = inDefault("resourcequotas");
const pods = inDefault("pods");
const configMaps = inDefault("configmaps");
const services = inDefault("services");

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

type Amounts = Readonly<Record<string, string>>;

/** Makes a quota with a status, as the controller does. */
async function limit(name: string, hard: Amounts, spec: object = {}, used: Amounts = {}): Promise<void> {
  const made = await bed.make(quotas, { metadata: { name }, spec: { hard, ...spec } });
  const none = Object.fromEntries(Object.keys(hard).map((one) => [one, "0"]));
  await bed.put(`${quotas}/${name}/status`, { ...made, status: { hard, used: { ...none, ...used } } });
}
const usedOf = async (name: string) => (await bed.get(`${quotas}/${name}`)).body.status.used;
const podWith = (name: string, resources: object = {}, spec: object = {}) =>
  podBody(name, { spec: { containers: [{ name: "main", image: "example.com/c", resources }], ...spec } });
const cpu = (amount: string) => ({ requests: { cpu: amount } });
const aMap = (name: string) => ({ metadata: { name } });

async function refusal(request: Promise<Json>): Promise<string> {
  const { status, body } = await request;
  expect(status).toBe(403);
  expect(body.reason).toBe("Forbidden");
  return body.message;
}

describe("a create", () => {
  test("within the quota adds its usage", async () => {
    await limit("q", { cpu: "2", pods: "3", "limits.cpu": "9" });
    await bed.make(pods, podWith("a", { requests: { cpu: "500m" }, limits: { cpu: "1" } }));
    await bed.make(pods, podWith("b", { requests: { cpu: "1500m" }, limits: { cpu: "1500m" } }));
    expect(await usedOf("q")).toEqual({ cpu: "2", "limits.cpu": "2500m", pods: "2" });
  });

  test("beyond the quota is refused, with nothing stored", async () => {
    await limit("q", { "requests.cpu": "2", "requests.memory": "1Gi", pods: "5" });
    const resources = { requests: { cpu: "1500m", memory: "512Mi" } };
    await bed.make(pods, podWith("a", resources));
    const before = bed.revision;
    expect(await refusal(bed.post(pods, podWith("b", resources)))).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=1500m, used: requests.cpu=1500m, limited: requests.cpu=2',
    );
    const more = { requests: { cpu: "1", memory: "1Gi" } };
    expect(await refusal(bed.post(pods, podWith("b", more)))).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=1,requests.memory=1Gi, used: requests.cpu=1500m,requests.memory=512Mi, limited: requests.cpu=2,requests.memory=1Gi',
    );
    expect(bed.revision).toBe(before);
  });

  test("without a limited amount is refused, by resource and container", async () => {
    await limit("q", { "limits.cpu": "2", "requests.memory": "1Gi", "limits.ephemeral-storage": "1Gi" });
    const initContainers = [{ name: "first", image: "example.com/c" }];
    expect(await refusal(bed.post(pods, podWith("a", cpu("1"), { initContainers })))).toBe(
      'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: first,main; requests.memory for: first,main',
    );
  });

  test("is refused while the usage is unknown", async () => {
    const made = await bed.make(quotas, { metadata: { name: "q" }, spec: { hard: { pods: "1" } } });
    await bed.put(`${quotas}/q/status`, { ...made, status: { hard: { pods: "1", "count/pods": "2" } } });
    expect(await refusal(bed.post(pods, podWith("a")))).toBe(
      'pods "a" is forbidden: status unknown for quota: q, resources: count/pods,pods',
    );
  });

  test("must be within all quotas, and the first one by name refuses", async () => {
    await limit("z", { "count/configmaps": "0" });
    await limit("a", { configmaps: "1", "count/configmaps": "9" });
    await limit("other", { secrets: "0" });
    const refused = await refusal(bed.post(configMaps, aMap("m")));
    expect(refused).toBe(
      'configmaps "m" is forbidden: exceeded quota: z, requested: count/configmaps=1, used: count/configmaps=0, limited: count/configmaps=0',
    );
    expect(await usedOf("a")).toEqual({ configmaps: "0", "count/configmaps": "0" });
  });

  test("of a custom resource counts under its group", async () => {
    await bed.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "boats.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "boats", kind: "Boat" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    });
    await bed.clock.advance(60_000);
    await limit("q", { "count/boats.example.com": "1" });
    const boats = inDefault("boats", "example.com/v1");
    const boat = (name: string) => ({ apiVersion: "example.com/v1", kind: "Boat", metadata: { name } });
    await bed.make(boats, boat("a"));
    expect(await refusal(bed.post(boats, boat("b")))).toBe(
      'boats.example.com "b" is forbidden: exceeded quota: q, requested: count/boats.example.com=1, used: count/boats.example.com=1, limited: count/boats.example.com=1',
    );
  });

  test("of a cluster-scoped object, an Event or a subresource uses no quota", async () => {
    await limit("q", { "count/events": "0", "count/nodes": "0", "count/serviceaccounts": "0" });
    await bed.make("/api/v1/nodes", { metadata: { name: "n" } });
    await bed.make(inDefault("events"), {
      metadata: { name: "e" },
      involvedObject: { namespace: "default" },
      type: "Normal",
    });
    const token = await bed.post(`${inDefault("serviceaccounts")}/default/token`, { spec: {} });
    expect(token.status).toBe(201);
  });

  test("as a dry run is checked and reserves nothing", async () => {
    await limit("q", { configmaps: "1" });
    await bed.make(`${configMaps}?dryRun=All`, aMap("a"));
    expect(await usedOf("q")).toEqual({ configmaps: "0" });
    await bed.make(configMaps, aMap("a"));
    await refusal(bed.post(`${configMaps}?dryRun=All`, aMap("b")));
  });

  test("records the API server as the owner of the usage", async () => {
    await limit("q", { configmaps: "1" });
    await bed.make(configMaps, aMap("a"));
    const { metadata } = (await bed.get(`${quotas}/q`)).body;
    const owner = metadata.managedFields.find(({ manager }: Json) => manager === "kube-apiserver");
    expect(owner).toMatchObject({
      subresource: "status",
      fieldsV1: { "f:status": { "f:used": { "f:configmaps": {} } } },
    });
  });
});

describe("racing creates", () => {
  test("never exceed a quota", async () => {
    await limit("q", { configmaps: "20" });
    await limit("wide", { "count/configmaps": "30" });
    const names = Array.from({ length: 50 }, (_, i) => `m${i}`);
    const answers = await Promise.all(names.map((name) => bed.post(configMaps, aMap(name))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(30);
    expect(await usedOf("q")).toEqual({ configmaps: "20" });
    expect(await usedOf("wide")).toEqual({ "count/configmaps": "20" });
    expect((await bed.get(configMaps)).body.items).toHaveLength(20);
  });

  test("reserve again after another client's write of the quota", async () => {
    await limit("q", { configmaps: "40" });
    await limit("wide", { "count/configmaps": "40" });
    const commit = bed.store.commit.bind(bed.store);
    const interrupted = vi.spyOn(bed.store, "commit").mockImplementationOnce(async (...write) => {
      await bed.patch(`${quotas}/q`, { metadata: { labels: { changed: "yes" } } });
      return commit(...write);
    });
    const names = Array.from({ length: 30 }, (_, i) => `m${i}`);
    const answers = await Promise.all(names.map((name) => bed.post(configMaps, aMap(name))));
    interrupted.mockRestore();
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
    expect(await usedOf("q")).toEqual({ configmaps: "30" });
    expect(await usedOf("wide")).toEqual({ "count/configmaps": "30" });
    expect((await bed.get(`${quotas}/q`)).body.metadata.labels).toEqual({ changed: "yes" });
  });
});

describe("an update", () => {
  const service = (spec: object) => ({ metadata: { name: "s" }, spec: { ports: [{ port: 80 }], ...spec } });

  test("is charged by the difference", async () => {
    await limit("q", { services: "1", "services.nodeports": "1", "services.loadbalancers": "1" });
    const made = await bed.make(services, service({ type: "ClusterIP" }));
    expect(await usedOf("q")).toEqual({
      services: "1",
      "services.loadbalancers": "0",
      "services.nodeports": "0",
    });
    const exposed = { ...made, spec: { ...made.spec, type: "NodePort" } };
    expect((await bed.put(`${services}/s`, exposed)).status).toBe(200);
    expect(await usedOf("q")).toEqual({
      services: "1",
      "services.loadbalancers": "0",
      "services.nodeports": "1",
    });
    const ports = [
      { port: 80, name: "a" },
      { port: 81, name: "b" },
    ];
    expect(await refusal(bed.patch(`${services}/s`, { spec: { ports } }))).toBe(
      'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1',
    );
  });

  test("that lowers the usage is accepted beyond the quota", async () => {
    await bed.make(services, service({ type: "NodePort" }));
    await limit(
      "q",
      { "services.nodeports": "0", services: "0" },
      {},
      { "services.nodeports": "1", services: "1" },
    );
    expect((await bed.patch(`${services}/s`, { spec: { type: "ClusterIP" } })).status).toBe(200);
    expect(await usedOf("q")).toEqual({ services: "1", "services.nodeports": "1" });
  });

  test("of a claim's storage is charged by the difference", async () => {
    const claims = inDefault("persistentvolumeclaims");
    await limit("q", {
      "requests.storage": "10Gi",
      "gold.storageclass.storage.k8s.io/requests.storage": "4Gi",
    });
    const claim = (storage: string) => ({
      metadata: { name: "c" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "gold",
        resources: { requests: { storage } },
      },
    });
    await bed.make(claims, claim("3Gi"));
    expect(await refusal(bed.post(claims, { ...claim("2Gi"), metadata: { name: "d" } }))).toContain(
      "requested: gold.storageclass.storage.k8s.io/requests.storage=2Gi, used: gold.storageclass.storage.k8s.io/requests.storage=3Gi, limited: gold.storageclass.storage.k8s.io/requests.storage=4Gi",
    );
  });

  test("that moves a Pod into a scope is charged as a whole", async () => {
    await bed.make(pods, podWith("a"));
    await limit("q", { pods: "0" }, { scopes: ["Terminating"] });
    expect(await refusal(bed.patch(`${pods}/a`, { spec: { activeDeadlineSeconds: 5 } }))).toBe(
      'pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    );
  });

  test("by resize is charged by the difference", async () => {
    await limit("q", { "requests.cpu": "2" });
    await bed.make(pods, podWith("a", cpu("1"), { nodeName: "n" }));
    const resize = (amount: string) =>
      bed.patch(
        `${pods}/a/resize`,
        { spec: { containers: [{ name: "main", resources: cpu(amount) }] } },
        {
          headers: { "content-type": "application/strategic-merge-patch+json" },
        },
      );
    expect(await refusal(resize("3"))).toBe(
      'pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=1, limited: requests.cpu=2',
    );
    expect((await resize("1500m")).status).toBe(200);
    expect(await usedOf("q")).toEqual({ "requests.cpu": "1500m" });
  });
});

test("a quota with scopes limits only the Pods in them", async () => {
  await limit("q", { pods: "0" }, { scopes: ["BestEffort"] });
  const matchExpressions = [{ scopeName: "PriorityClass", operator: "In", values: ["system-node-critical"] }];
  await limit("urgent", { pods: "0" }, { scopeSelector: { matchExpressions } });
  await bed.make(pods, podWith("a", cpu("1")));
  expect(await refusal(bed.post(pods, podWith("b")))).toContain("exceeded quota: q, requested: pods=1");
  expect(await usedOf("urgent")).toEqual({ pods: "0" });
});

test("a quota limits its own namespace", async () => {
  await limit("q", { configmaps: "0" });
  expect((await bed.post("/api/v1/namespaces", { metadata: { name: "other" } })).status).toBe(201);
  await bed.make("/api/v1/namespaces/other/configmaps", aMap("a"));
});
