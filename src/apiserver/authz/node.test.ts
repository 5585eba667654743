import { beforeEach, describe, expect, test } from "vitest";
import type { UserInfo } from "../../meta/exchange.ts";
import { addNamespace, type Bed, inDefault, podBody, startBed } from "../server.suite.ts";

const agent = (name: string): { user: UserInfo } => ({
  user: { name: `system:node:${name}`, groups: ["system:nodes", "system:authenticated"] },
});
const [one, two] = [agent("n1"), agent("n2")];
const secrets = inDefault("secrets");
const pods = inDefault("pods");
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
  await addNamespace(bed, "kube-node-lease");
  for (const name of ["n1", "n2"]) await bed.make("/api/v1/nodes", { metadata: { name } });
});

const runOn = (node: string, name: string, spec: object = {}) =>
  bed.make(pods, podBody(name, { spec: { nodeName: node, ...spec } }));

describe("a node agent reads Secrets and ConfigMaps", () => {
  const container = { name: "main", image: "example.com/main" };
  const uses: Readonly<Record<string, object>> = {
    "a volume": { volumes: [{ name: "v", secret: { secretName: "s" } }] },
    "a projected volume": { volumes: [{ name: "v", projected: { sources: [{ secret: { name: "s" } }] } }] },
    "an image pull secret": { imagePullSecrets: [{ name: "s" }] },
    "an environment variable": {
      containers: [
        { ...container, env: [{ name: "E", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] },
      ],
    },
    "an init container's environment": {
      initContainers: [{ ...container, name: "init", envFrom: [{ secretRef: { name: "s" } }] }],
    },
  };
  test.each(Object.entries(uses))("that its Pods reference by %s, and no others", async (_, spec) => {
    for (const name of ["s", "t"]) await bed.make(secrets, { metadata: { name } });
    expect((await bed.get(`${secrets}/s`, one)).status).toBe(403);
    await runOn("n1", "web", spec);
    await bed.clock.settle();
    expect((await bed.get(`${secrets}/s`, one)).status).toBe(200);
    expect((await bed.get(`${secrets}?fieldSelector=metadata.name%3Ds`, one)).status).toBe(200);
    expect((await bed.get(`${secrets}/t`, one)).status).toBe(403);
    expect((await bed.get(`${secrets}/s`, two)).status).toBe(403);
    expect((await bed.get(secrets, one)).status).toBe(403);
    expect((await bed.patch(`${secrets}/s`, { data: {} }, one)).status).toBe(403);
  });

  test("as long as such a Pod exists", async () => {
    await bed.make(secrets, { metadata: { name: "s" } });
    for (const name of ["a", "b"]) await runOn("n1", name, { imagePullSecrets: [{ name: "s" }] });
    await bed.clock.settle();
    for (const [name, status] of [
      ["a", 200],
      ["b", 403],
    ] as const) {
      await bed.delete(`${pods}/${name}?gracePeriodSeconds=0`);
      await bed.clock.settle();
      expect((await bed.get(`${secrets}/s`, one)).status).toBe(status);
    }
  });

  test("also through a watch of one name", async () => {
    await runOn("n1", "web", { imagePullSecrets: [{ name: "s" }] });
    await bed.clock.settle();
    const url = `${secrets}?watch=1&fieldSelector=metadata.name%3Ds`;
    const watching = await bed.watch(url, one);
    await bed.make(secrets, { metadata: { name: "s" } });
    await bed.clock.settle();
    expect(watching.events.map(({ type }) => type)).toEqual(["ADDED"]);
    expect((await bed.get(url, two)).status).toBe(403);
  });
});

describe("a node agent", () => {
  test("reads its own Pods, and lists them by its own name only", async () => {
    await runOn("n1", "web");
    expect((await bed.get(`${pods}/web`, one)).status).toBe(200);
    expect((await bed.get(`${pods}/web`, two)).status).toBe(403);
    expect((await bed.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1", one)).status).toBe(200);
    expect((await bed.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1", two)).status).toBe(403);
    expect((await bed.get("/api/v1/pods", one)).status).toBe(403);
  });

  test("is authorized in reviews by their field selector", async () => {
    const url = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const allowed = async (fieldSelector?: object) => {
      const resourceAttributes = { verb: "list", version: "v1", resource: "pods", fieldSelector };
      const { name, groups } = one.user;
      return (await bed.make(url, { spec: { user: name, groups, resourceAttributes } })).status.allowed;
    };
    const key = "spec.nodeName";
    expect(await allowed()).toBe(false);
    expect(await allowed({ rawSelector: `${key}=n1` })).toBe(true);
    expect(await allowed({ rawSelector: `${key}=n2` })).toBe(false);
    expect(await allowed({ rawSelector: "constructor" })).toBe(false);
    expect(await allowed({ requirements: [{ key, operator: "In", values: ["n1"] }] })).toBe(true);
    expect(await allowed({ requirements: [{ key, operator: "NotIn", values: ["n1"] }] })).toBe(false);
    expect(await allowed({ requirements: [{ key, operator: "Exists" }] })).toBe(false);
  });

  test("reports and deletes its own Pods only", async () => {
    await runOn("n1", "web");
    const report = { status: { phase: "Running" } };
    expect((await bed.patch(`${pods}/web/status`, report, one)).status).toBe(200);
    const refused = await bed.patch(`${pods}/web/status`, report, two);
    expect(refused.body).toMatchObject({
      code: 403,
      message:
        'pods "web" is forbidden: node "n2" can only update pod status for pods with spec.nodeName set to itself',
    });
    const relabelled = await bed.patch(`${pods}/web/status`, { metadata: { labels: { l: "1" } } }, one);
    expect(relabelled.body.message).toContain('node "n1" cannot update labels through pod status');
    expect((await bed.patch(`${pods}/web`, { metadata: { labels: { l: "1" } } }, one)).status).toBe(403);
    expect((await bed.delete(`${pods}/web`, undefined, two)).status).toBe(403);
    expect((await bed.delete(`${pods}/web?gracePeriodSeconds=0`, undefined, one)).status).toBe(200);
  });

  test("reads nothing through mirror Pods, which it could create itself", async () => {
    const metadata = { annotations: { "kubernetes.io/config.mirror": "h" } };
    const volumes = [{ name: "v", configMap: { name: "c" } }];
    await bed.make(inDefault("configmaps"), { metadata: { name: "c" } });
    await bed.make(pods, podBody("mirror", { metadata, spec: { nodeName: "n1", volumes } }));
    await bed.clock.settle();
    expect((await bed.get(`${pods}/mirror`, one)).status).toBe(200);
    expect((await bed.get(`${inDefault("configmaps")}/c`, one)).status).toBe(403);
  });

  test("writes only its own Node and Lease", async () => {
    const nodes = "/api/v1/nodes";
    expect((await bed.patch(`${nodes}/n1/status`, { status: {} }, one)).status).toBe(200);
    expect((await bed.patch(`${nodes}/n2/status`, { status: {} }, one)).body.message).toBe(
      'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    );
    expect((await bed.patch(`${nodes}/n1`, { spec: { taints: [] } }, one)).body.message).toContain(
      "is not allowed to modify taints",
    );
    expect((await bed.get(`${nodes}/n1`, one)).status).toBe(200);
    expect((await bed.get(`${nodes}/n2`, one)).status).toBe(403);
    expect((await bed.get(nodes, one)).status).toBe(403);
    expect((await bed.delete(`${nodes}/n1`, undefined, one)).status).toBe(403);
    expect((await bed.post(leases, { metadata: { name: "n1" } }, one)).status).toBe(201);
    expect((await bed.post(leases, { metadata: { name: "n2" } }, one)).status).toBe(403);
    expect((await bed.get(`${leases}/n1`, two)).status).toBe(403);
    expect(
      (await bed.post(inDefault("leases", "coordination.k8s.io/v1"), { metadata: { name: "n1" } }, one))
        .status,
    ).toBe(403);
  });

  test("gets tokens of its Pods' accounts, bound to those Pods", async () => {
    const { metadata } = await runOn("n1", "web");
    await runOn("n2", "other", { serviceAccountName: "default" });
    await bed.clock.settle();
    const url = `${inDefault("serviceaccounts")}/default/token`;
    const bound = (name: string, uid?: string) => ({
      spec: { audiences: [], boundObjectRef: { kind: "Pod", apiVersion: "v1", name, uid } },
    });
    expect((await bed.post(url, bound("web", metadata.uid), one)).status).toBe(201);
    expect((await bed.post(url, { spec: { audiences: [] } }, one)).body.message).toContain(
      "node requested token not bound to a pod",
    );
    expect((await bed.post(url, bound("web"), one)).body.message).toContain("without a uid");
    expect((await bed.post(url, bound("web", metadata.uid), two)).body.message).toContain(
      "node requested token bound to a pod scheduled on a different node",
    );
    expect((await bed.post(url, bound("web", metadata.uid), agent("n3"))).status).toBe(403);
  });

  test("has the permissions of all nodes, by rules that no ClusterRole changes", async () => {
    await bed.make("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
      metadata: { name: "system:node" },
      rules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    });
    await bed.clock.settle();
    expect((await bed.get("/api/v1/services", one)).status).toBe(200);
    expect((await bed.get("/api/v1/endpoints", one)).status).toBe(403);
    const impostor = { user: { name: "system:node:n1", groups: [] } };
    expect((await bed.get("/api/v1/services", impostor)).status).toBe(403);
  });
});

describe("a node agent reads what its Pods' volumes and devices need", () => {
  const spec = {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    claimRef: { namespace: "default", name: "claim" },
  };
  const secret = (name: string) => ({ namespace: "default", name });
  const mountClaim = { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "claim" } }] };
  const volumes = "/api/v1/persistentvolumes";

  test("the volume of a claim, and the Secrets that mount it", async () => {
    const csi = {
      driver: "d.example.com",
      volumeHandle: "h",
      nodePublishSecretRef: secret("node"),
      controllerPublishSecretRef: secret("controller"),
    };
    await bed.make(volumes, { metadata: { name: "pv" }, spec: { ...spec, csi } });
    for (const name of ["node", "controller"]) await bed.make(secrets, { metadata: { name } });
    await runOn("n1", "web", mountClaim);
    await bed.clock.settle();
    expect((await bed.get(`${volumes}/pv`, one)).status).toBe(200);
    expect((await bed.get(`${secrets}/node`, one)).status).toBe(200);
    expect((await bed.get(`${secrets}/controller`, one)).status).toBe(403);
    for (const url of [`${volumes}/pv`, `${secrets}/node`])
      expect((await bed.get(url, two)).status).toBe(403);
    await bed.patch(`${volumes}/pv`, { metadata: { finalizers: null } });
    await bed.delete(`${volumes}/pv`);
    await bed.clock.settle();
    expect((await bed.get(`${secrets}/node`, one)).status).toBe(403);
  });

  test("the Secret of an Azure share, in the claim's namespace unless it names one", async () => {
    const azureFile = { shareName: "s", secretName: "azure" };
    await bed.make(volumes, { metadata: { name: "pv" }, spec: { ...spec, azureFile } });
    await bed.make(secrets, { metadata: { name: "azure" } });
    await runOn("n1", "web", mountClaim);
    await bed.clock.settle();
    expect((await bed.get(`${secrets}/azure`, one)).status).toBe(200);
    expect((await bed.get(`${secrets}/azure`, two)).status).toBe(403);
  });

  test("its own VolumeAttachments", async () => {
    const attachments = "/apis/storage.k8s.io/v1/volumeattachments";
    const attachment = { attacher: "d.example.com", source: { persistentVolumeName: "pv" }, nodeName: "n1" };
    await bed.make(attachments, { metadata: { name: "a" }, spec: attachment });
    expect((await bed.get(`${attachments}/a`, one)).status).toBe(200);
    expect((await bed.get(`${attachments}/a`, two)).status).toBe(403);
    expect((await bed.get(attachments, one)).status).toBe(403);
  });

  test("ResourceClaims that its Pods name, including those made from templates", async () => {
    const claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
    for (const name of ["direct", "made"]) await bed.make(claims, { metadata: { name }, spec: {} });
    const resourceClaims = [
      { name: "a", resourceClaimName: "direct" },
      { name: "b", resourceClaimTemplateName: "t" },
    ];
    await runOn("n1", "web", { resourceClaims });
    await bed.clock.settle();
    expect((await bed.get(`${claims}/direct`, one)).status).toBe(200);
    expect((await bed.get(`${claims}/direct`, two)).status).toBe(403);
    expect((await bed.get(`${claims}/made`, one)).status).toBe(403);
    const status = { resourceClaimStatuses: [{ name: "b", resourceClaimName: "made" }] };
    expect((await bed.patch(`${pods}/web/status`, { status })).status).toBe(200);
    await bed.clock.settle();
    expect((await bed.get(`${claims}/made`, one)).status).toBe(200);
  });

  test("its own ResourceSlices, and others not at all", async () => {
    const slices = "/apis/resource.k8s.io/v1/resourceslices";
    const slice = (name: string, nodeName: string) => ({
      metadata: { name },
      spec: {
        driver: "d.example.com",
        nodeName,
        pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
      },
    });
    expect((await bed.post(slices, slice("s1", "n1"), one)).status).toBe(201);
    await bed.make(slices, slice("s2", "n2"));
    expect((await bed.get(`${slices}/s1`, one)).status).toBe(200);
    expect((await bed.get(`${slices}/s2`, one)).status).toBe(403);
    expect((await bed.get(slices, one)).status).toBe(403);
    const own = `${slices}?fieldSelector=spec.nodeName%3Dn1`;
    expect((await bed.get(own, two)).status).toBe(403);
    expect((await bed.get(own, one)).body.items).toHaveLength(1);
    expect((await bed.delete(slices, undefined, one)).status).toBe(403);
    expect((await bed.delete(own, undefined, one)).status).toBe(200);
    expect((await bed.get(slices)).body.items).toMatchObject([{ metadata: { name: "s2" } }]);
  });

  test("its own CSINode", async () => {
    const csiNodes = "/apis/storage.k8s.io/v1/csinodes";
    for (const name of ["n1", "n2"]) await bed.make(csiNodes, { metadata: { name }, spec: { drivers: [] } });
    expect((await bed.get(`${csiNodes}/n1`, one)).status).toBe(200);
    expect((await bed.get(`${csiNodes}/n2`, one)).status).toBe(403);
    expect((await bed.get(csiNodes, one)).status).toBe(403);
  });
});
