import { beforeEach, describe, expect, test } from "vitest";
import { signingRequest } from "../../../api/certificates/certificate-signing-request/request.suite.ts";
import type { UserInfo } from "../../../meta/exchange.ts";
import {
  addNamespace,
  type Answer,
  type Bed,
  inDefault,
  type Json,
  podBody,
  startBed,
} from "../../server.suite.ts";

const agent = (name: string): { user: UserInfo } => ({
  user: { name: `system:node:${name}`, groups: ["system:nodes", "system:authenticated"] },
});
const one = agent("n1");
const nodes = "/api/v1/nodes";
const pods = inDefault("pods");
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const csiNodes = "/apis/storage.k8s.io/v1/csinodes";
const slices = "/apis/resource.k8s.io/v1/resourceslices";
const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const claims = inDefault("persistentvolumeclaims");
const tokens = `${inDefault("serviceaccounts")}/default/token`;

let bed: Bed;
let uid: string;
beforeEach(async () => {
  bed = await startBed();
  await addNamespace(bed, "kube-node-lease");
  for (const name of ["n1", "n2"]) {
    const { metadata } = await bed.make(nodes, { metadata: { name } });
    if (name === "n1") ({ uid } = metadata);
  }
});

const refused = (answer: Answer, message: string): void => {
  expect(answer.body).toMatchObject({ kind: "Status", code: 403, reason: "Forbidden", message });
};
const runOn = (node: string, name: string, spec: object = {}): Promise<Json> =>
  bed.make(pods, podBody(name, { spec: { nodeName: node, ...spec } }));

const reserved = ["node-restriction.kubernetes.io/a", "node-role.kubernetes.io/control-plane", "x.k8s.io/a"];
const free = [
  "example.com/a",
  "kubernetes.io/hostname",
  "node.kubernetes.io/a",
  "sub.kubelet.kubernetes.io/a",
  "topology.kubernetes.io/zone",
];
const labelled = (key: string) => ({ metadata: { labels: { [key]: "v" } } });

describe("a node registers itself", () => {
  const register = (metadata: object, spec: object = {}) =>
    bed.post(nodes, { metadata: { name: "n3", ...metadata }, spec }, agent("n3"));

  test.each([...reserved, "a.node-restriction.kubernetes.io/b"])("without the label %s", async (key) => {
    refused(
      await register({ labels: { [key]: "v" } }),
      `nodes "n3" is forbidden: node "n3" is not allowed to set the following labels: ${key}`,
    );
  });
  test.each(free)("with the label %s", async (key) => {
    expect((await register({ labels: { [key]: "v" } })).status).toBe(201);
  });
  test("with taints, but without a configSource", async () => {
    refused(
      await register(
        {},
        { configSource: { configMap: { namespace: "a", name: "b", kubeletConfigKey: "c" } } },
      ),
      'nodes "n3" is forbidden: node "n3" is not allowed to create pods with a non-nil configSource',
    );
    expect((await register({}, { taints: [{ key: "k", effect: "NoSchedule" }] })).status).toBe(201);
  });
  test("under its own name", async () => {
    refused(
      await bed.post(nodes, { metadata: { name: "n3" } }, one),
      'nodes "n3" is forbidden: node "n1" is not allowed to modify node "n3"',
    );
  });
});

describe.each(["", "/status"])("a node changes its Node at n1%s", (subresource) => {
  const change = (patch: object, node = "n1") => bed.patch(`${nodes}/${node}${subresource}`, patch, one);

  test.each(reserved)("but not its label %s", async (key) => {
    const message = `nodes "n1" is forbidden: is not allowed to modify labels: ${key}`;
    refused(await change(labelled(key)), message);
    await bed.patch(`${nodes}/n1`, labelled(key));
    refused(await change({ metadata: { labels: { [key]: null } } }), message);
  });
  test.each(free)("and its label %s", async (key) => {
    expect((await change(labelled(key))).status).toBe(200);
  });
  test("but not its owners", async () => {
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: "n2", uid: "u" }];
    refused(
      await change({ metadata: { ownerReferences } }),
      'nodes "n1" is forbidden: node "n1" is not allowed to modify ownerReferences',
    );
  });
  test("and no other Node", async () => {
    refused(
      await change({ metadata: { labels: { a: "b" } } }, "n2"),
      'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    );
  });
});

describe("a node changes its Node's spec", () => {
  test("but not its taints", async () => {
    refused(
      await bed.patch(`${nodes}/n1`, { spec: { taints: null } }, one),
      'nodes "n1" is forbidden: node "n1" is not allowed to modify taints',
    );
  });
  test("but not its configSource", async () => {
    const configSource = { configMap: { namespace: "a", name: "b", kubeletConfigKey: "c" } };
    refused(
      await bed.patch(`${nodes}/n1`, { spec: { configSource } }, one),
      'nodes "n1" is forbidden: node "n1" is not allowed to update configSource to a new non-nil configSource',
    );
  });
});

describe("a node creates Pods", () => {
  const owner = (more: object = {}) => ({
    apiVersion: "v1",
    kind: "Node",
    name: "n1",
    uid,
    controller: true,
    ...more,
  });
  const create = (spec: object = {}, metadata: object = {}) => {
    const annotations = { "kubernetes.io/config.mirror": "h" };
    return bed.post(
      pods,
      podBody("m", {
        metadata: { annotations, ownerReferences: [owner()], ...metadata },
        spec: { nodeName: "n1", ...spec },
      }),
      one,
    );
  };
  const message = (why: string) => `pods "m" is forbidden: ${why}`;
  const container = { name: "main", image: "example.com/main" };
  const projected = (source: object) => ({ volumes: [{ name: "v", projected: { sources: [source] } }] });
  const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });
  const cannot = (what: string) => `node "n1" can not create pods that reference ${what}`;

  test("that mirror its static Pods", async () => {
    expect((await create(volume({ hostPath: { path: "/" } }))).status).toBe(201);
    refused(
      await create({}, { annotations: {} }),
      message(
        'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
      ),
    );
  });
  test("on itself", async () => {
    refused(
      await create({ nodeName: "n2" }),
      message('node "n1" can only create pods with spec.nodeName set to itself'),
    );
  });

  test.each<readonly [string, () => object[], string]>([
    ["one owner", () => [owner(), owner({ uid: "u" })], "a single owner reference set to itself"],
    ["an owner", () => [], "an owner reference set to itself"],
    ["itself as owner", () => [owner({ name: "n2" })], "an owner reference set to itself"],
    ["a Node as owner", () => [owner({ kind: "Pod" })], "an owner reference set to itself"],
    [
      "a controller as owner",
      () => [owner({ controller: false })],
      "a controller owner reference set to itself",
    ],
  ])("that have %s", async (_, ownerReferences, why) => {
    refused(
      await create({}, { ownerReferences: ownerReferences() }),
      message(`node "n1" can only create pods with ${why}`),
    );
  });
  test("that do not block its deletion", async () => {
    refused(
      await create({}, { ownerReferences: [owner({ blockOwnerDeletion: true })] }),
      message('node "n1" must not set blockOwnerDeletion on an owner reference'),
    );
  });
  test("that name its own uid", async () => {
    refused(
      await create({}, { ownerReferences: [owner({ uid: "u" })] }),
      message(`node n1 UID mismatch: expected u got ${uid}`),
    );
  });

  test.each<readonly [string, object, string]>([
    ["an account", { serviceAccountName: "default" }, "a mirror pod may not reference service accounts"],
    ["image pull secrets", { imagePullSecrets: [{ name: "s" }] }, "a mirror pod may not reference secrets"],
    ["a Secret", volume({ secret: { secretName: "s" } }), "a mirror pod may not reference secrets"],
    ["a projected Secret", projected({ secret: { name: "s" } }), "a mirror pod may not reference secrets"],
    [
      "a Secret in the environment",
      { containers: [{ ...container, envFrom: [{ secretRef: { name: "s" } }] }] },
      "a mirror pod may not reference secrets",
    ],
    [
      "a token",
      projected({ serviceAccountToken: { path: "t" } }),
      "a mirror pod may not use ServiceAccountToken volume projections",
    ],
    ["a ConfigMap", volume({ configMap: { name: "c" } }), cannot("configmaps")],
    ["a projected ConfigMap", projected({ configMap: { name: "c" } }), cannot("configmaps")],
    ["a claim", volume({ persistentVolumeClaim: { claimName: "c" } }), cannot("persistentvolumeclaims")],
    [
      "an ephemeral claim",
      volume({
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
          },
        },
      }),
      cannot("persistentvolumeclaims (via ephemeral volumes)"),
    ],
    ["a CSI driver", volume({ csi: { driver: "d.example.com" } }), cannot("csidrivers (via CSI volumes)")],
    [
      "endpoints",
      volume({ glusterfs: { endpoints: "e", path: "p" } }),
      cannot("endpoints (via glusterFS volumes)"),
    ],
    [
      "a ResourceClaim",
      { resourceClaims: [{ name: "c", resourceClaimName: "c" }] },
      cannot("resourceclaims"),
    ],
    [
      "trust anchors",
      projected({ clusterTrustBundle: { name: "b", path: "p" } }),
      cannot("clustertrustbundles"),
    ],
  ])("that reference no API objects, such as %s", async (_, spec, why) => {
    refused(await create(spec), message(why));
  });
});

describe("a node and other nodes' Pods", () => {
  test("it does not report, evict or delete them", async () => {
    await runOn("n2", "web");
    refused(
      await bed.patch(`${pods}/web/status`, { status: {} }, one),
      'pods "web" is forbidden: node "n1" can only update pod status for pods with spec.nodeName set to itself',
    );
    refused(
      await bed.post(
        `${pods}/web/eviction`,
        { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "web" } },
        one,
      ),
      'pods "web" is forbidden: node n1 can only evict pods with spec.nodeName set to itself',
    );
    refused(
      await bed.delete(`${pods}/web`, undefined, one),
      'pods "web" is forbidden: node "n1" can only delete pods with spec.nodeName set to itself',
    );
  });
  test("of its own Pods it changes neither labels nor ResourceClaim statuses", async () => {
    await runOn("n1", "web");
    const report = (patch: object) => bed.patch(`${pods}/web/status`, patch, one);
    expect((await report({ status: { phase: "Running" } })).status).toBe(200);
    const start = 'pods "web" is forbidden: node "n1" cannot update';
    refused(await report({ metadata: { labels: { a: "b" } } }), `${start} labels through pod status`);
    refused(
      await report({ status: { resourceClaimStatuses: [{ name: "a", resourceClaimName: "b" }] } }),
      `${start} resource claim statues`,
    );
    refused(
      await report({
        status: { extendedResourceClaimStatus: { resourceClaimName: "b", requestMappings: [] } },
      }),
      `${start} extended resource claim status`,
    );
  });
});

describe("a node requests tokens", () => {
  const ask = (pod: Json, spec: object = {}, ref: object = {}) => {
    const { name } = pod.metadata;
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name, uid: pod.metadata.uid, ...ref };
    return bed.post(tokens, { spec: { audiences: [], boundObjectRef, ...spec } }, one);
  };
  const message = (why: string) => `serviceaccounts "default" is forbidden: ${why}`;
  const withToken = (audience: string) => ({
    volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { audience, path: "t" } }] } }],
  });
  const run = async (spec: object = {}): Promise<Json> => {
    const pod = await runOn("n1", "web", spec);
    await bed.clock.settle();
    return pod;
  };

  test("that are bound to Pods", async () => {
    const pod = await run();
    const unbound = message("node requested token not bound to a pod");
    refused(await ask(pod, { boundObjectRef: undefined }), unbound);
    refused(await ask(pod, {}, { kind: "Secret", name: "s" }), unbound);
    refused(await ask(pod, {}, { apiVersion: "v2" }), unbound);
    refused(
      await ask(pod, {}, { uid: undefined }),
      message("node requested token with a pod binding without a uid"),
    );
    refused(
      await ask(pod, {}, { uid: "u" }),
      message(
        "the UID in the bound object reference (u) does not match the UID in record. The object might have been deleted and then recreated",
      ),
    );
    expect((await ask(pod, {}, { name: "none" })).body).toMatchObject({
      code: 404,
      message: 'pod "none" not found',
    });
  });
  test("that are bound to its own Pods", async () => {
    await run();
    refused(
      await ask(await runOn("n2", "other")),
      message("node requested token bound to a pod scheduled on a different node"),
    );
  });
  test("for the audiences of a Pod's volumes", async () => {
    const pod = await run(withToken("vault"));
    expect((await ask(pod, { audiences: ["vault"] })).status).toBe(201);
    expect((await ask(pod)).status).toBe(201);
    refused(await ask(pod, { audiences: ["vault", "b"] }), message("node may only request 0 or 1 audiences"));
    const not =
      'audience "other" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience';
    refused(await ask(pod, { audiences: ["other"] }), message(not));
  });
  test("for audiences that it may request by RBAC", async () => {
    const pod = await run();
    const apiGroup = "rbac.authorization.k8s.io";
    const metadata = { name: "audience" };
    const verbs = ["request-serviceaccounts-token-audience"];
    const rules = [{ verbs, apiGroups: [""], resources: ["other"], resourceNames: ["default"] }];
    await bed.make(`/apis/${apiGroup}/v1/clusterroles`, { metadata, rules });
    const subjects = [{ apiGroup, kind: "User", name: "system:node:n1" }];
    const roleRef = { apiGroup, kind: "ClusterRole", name: "audience" };
    await bed.make(inDefault("rolebindings", `${apiGroup}/v1`), { metadata, roleRef, subjects });
    await bed.clock.settle();
    expect((await ask(pod, { audiences: ["other"] })).status).toBe(201);
  });
  test("for the audiences of the CSI drivers of a Pod's volumes", async () => {
    const driver = { metadata: { name: "d.example.com" }, spec: { tokenRequests: [{ audience: "csi" }] } };
    await bed.make("/apis/storage.k8s.io/v1/csidrivers", driver);
    const spec = {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1" } },
      volumeName: "pv",
    };
    await bed.make(claims, { metadata: { name: "c" }, spec });
    await bed.make("/api/v1/persistentvolumes", {
      metadata: { name: "pv" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1" },
        csi: { driver: "d.example.com", volumeHandle: "h" },
      },
    });
    const audiences = ["csi"];
    const claimed = await runOn("n1", "a", {
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }],
    });
    const inline = await runOn("n1", "b", { volumes: [{ name: "v", csi: { driver: "d.example.com" } }] });
    const lost = await runOn("n1", "c", { volumes: [{ name: "v", csi: { driver: "none.example.com" } }] });
    await bed.clock.settle();
    for (const pod of [claimed, inline]) expect((await ask(pod, { audiences })).status).toBe(201);
    refused(
      await ask(lost, { audiences }),
      message('error validating audience "csi": csidriver.storage.k8s.io "none.example.com" not found'),
    );
  });
});

describe("a node writes its own objects", () => {
  test("its Lease, in the right namespace", async () => {
    const lease = (name: string) => ({ metadata: { name } });
    expect((await bed.post(leases, lease("n1"), one)).status).toBe(201);
    refused(
      await bed.post(leases, lease("n2"), one),
      'leases.coordination.k8s.io "n2" is forbidden: can only access node lease with the same name as the requesting node',
    );
  });
  test("its CSINode", async () => {
    const csiNode = (name: string) => ({ metadata: { name }, spec: { drivers: [] } });
    expect((await bed.post(csiNodes, csiNode("n1"), one)).status).toBe(201);
    refused(
      await bed.post(csiNodes, csiNode("n2"), one),
      'csinodes.storage.k8s.io "n2" is forbidden: can only access CSINode with the same name as the requesting node',
    );
  });
  test("its ResourceSlices", async () => {
    const slice = (nodeName?: string) => ({
      metadata: { name: "s" },
      spec: {
        driver: "d.example.com",
        ...(nodeName === undefined ? { allNodes: true } : { nodeName }),
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      },
    });
    const message =
      'resourceslices.resource.k8s.io "s" is forbidden: can only create ResourceSlice with the same NodeName as the requesting node';
    refused(await bed.post(slices, slice("n2"), one), message);
    refused(await bed.post(slices, slice(), one), message);
    expect((await bed.post(slices, slice("n1"), one)).status).toBe(201);
  });
  test("the growth of its claims' volumes", async () => {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } };
    await bed.make(claims, { metadata: { name: "c" }, spec });
    await runOn("n1", "web", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] });
    await bed.clock.settle();
    const report = (patch: object) => bed.patch(`${claims}/c/status`, patch, one);
    expect((await report({ status: { capacity: { storage: "2" } } })).status).toBe(200);
    const start =
      'persistentvolumeclaims "c" is forbidden: node "n1" is not allowed to update fields other than status.quantity and status.conditions';
    refused(await report({ status: { phase: "Bound" } }), start);
    refused(await report({ metadata: { finalizers: ["example.com/f"] } }), start);
  });
  test("its certificates", async () => {
    const request = (commonName: string, signerName: string) => ({
      metadata: { name: "r" },
      spec: {
        request: signingRequest([{ type: "commonName", text: commonName }]),
        signerName,
        usages: ["digital signature"],
      },
    });
    for (const signer of ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"]) {
      refused(
        await bed.post(requests, request("system:node:n2", signer), one),
        'certificatesigningrequests.certificates.k8s.io "r" is forbidden: can only create a node CSR with CN=system:node:n1',
      );
      expect((await bed.post(`${requests}?dryRun=All`, request("system:node:n1", signer), one)).status).toBe(
        201,
      );
    }
    expect((await bed.post(requests, request("system:node:n2", "example.com/s"), one)).status).toBe(201);
  });
});

test("an agent without a node name is denied everything", async () => {
  const everything = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
  const apiGroup = "rbac.authorization.k8s.io";
  const metadata = { name: "all" };
  await bed.make(`/apis/${apiGroup}/v1/clusterroles`, { metadata, rules: everything });
  await bed.make(`/apis/${apiGroup}/v1/clusterrolebindings`, {
    metadata,
    roleRef: { apiGroup, kind: "ClusterRole", name: "all" },
    subjects: [{ apiGroup, kind: "Group", name: "system:nodes" }],
  });
  await bed.clock.settle();
  refused(
    await bed.post(inDefault("configmaps"), { metadata: { name: "c" } }, agent("")),
    'configmaps "c" is forbidden: could not determine node from user "system:node:"',
  );
});
