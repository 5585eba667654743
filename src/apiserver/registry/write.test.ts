import { beforeEach, describe, expect, test } from "vitest";
import {
  addNamespace,
  type Bed,
  deploymentBody,
  inDefault,
  type Json,
  podBody,
  startBed,
} from "../server.suite.ts";

const configMaps = inDefault("configmaps");
const pods = inDefault("pods");
const deployments = inDefault("deployments", "apps/v1");

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

const body = async (answer: Promise<{ body: Json }>): Promise<Json> => (await answer).body;

test("a Job that is deleted without a policy leaves its Pods behind, with a warning", async () => {
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const containers = [{ name: "c", image: "example.com/c" }];
  const job = (name: string) => ({
    metadata: { name },
    spec: { template: { spec: { restartPolicy: "Never", containers } } },
  });
  await bed.make(jobs, job("a"));
  const { body, warnings } = await bed.delete(`${jobs}/a`);
  expect(body.metadata.finalizers).toEqual(["orphan"]);
  expect(warnings).toEqual([
    expect.stringContaining("child pods are preserved by default when jobs are deleted"),
  ]);
  await bed.make(jobs, job("b"));
  const gone = await bed.delete(`${jobs}/b`, { propagationPolicy: "Background" });
  expect(gone.body).toMatchObject({ kind: "Status", status: "Success" });
  expect(gone.warnings).toEqual([]);
});

describe("a create", () => {
  test("sets the identity itself", async () => {
    const made = await bed.make(configMaps, {
      metadata: {
        name: "a",
        uid: "mine",
        creationTimestamp: "2001-01-01T00:00:00Z",
        deletionTimestamp: "2001-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 5,
        generation: 7,
        selfLink: "/x",
      },
    });
    expect(made.metadata.uid).not.toBe("mine");
    expect(made.metadata.creationTimestamp).toBe("2026-01-01T00:00:00Z");
    for (const name of ["deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"])
      expect(made.metadata).not.toHaveProperty(name);
    expect(made.metadata).toMatchObject({ namespace: "default", resourceVersion: String(bed.revision) });
  });

  test("generates a name after a prefix of at most 58 characters", async () => {
    const first = await bed.make(configMaps, { metadata: { generateName: "job-" } });
    const second = await bed.make(configMaps, { metadata: { generateName: "job-" } });
    expect(first.metadata.name).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(second.metadata.name).not.toBe(first.metadata.name);
    const long = await bed.make(configMaps, { metadata: { generateName: "x".repeat(80) } });
    expect(long.metadata.name).toHaveLength(63);
    const named = await bed.make(configMaps, { metadata: { name: "given", generateName: "job-" } });
    expect(named.metadata.name).toBe("given");
  });

  test("of an existing name reports whether the existing object is terminating", async () => {
    await bed.make(configMaps, { metadata: { name: "a", finalizers: ["example.com/f"] } });
    const taken = await bed.post(configMaps, { metadata: { name: "a", generateName: "a" } });
    expect(taken.body).toMatchObject({
      reason: "AlreadyExists",
      message:
        'configmaps "a" already exists, the server was not able to generate a unique name for the object',
      details: { name: "a", kind: "configmaps", retryAfterSeconds: 1 },
    });
    await bed.delete(`${configMaps}/a`);
    expect((await bed.post(configMaps, { metadata: { name: "a" } })).body.message).toBe(
      'object is being deleted: configmaps "a" already exists',
    );
  });

  test("in a terminating namespace is refused with its cause", async () => {
    await addNamespace(bed, "going");
    await bed.delete("/api/v1/namespaces/going");
    const { body: status } = await bed.post("/api/v1/namespaces/going/configmaps", {
      metadata: { name: "a" },
    });
    expect(status).toMatchObject({
      code: 403,
      message:
        'configmaps "a" is forbidden: unable to create new content in namespace going because it is being terminated',
      details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] },
    });
  });

  test("as a dry run runs all steps and writes nothing", async () => {
    const before = bed.revision;
    const made = await bed.post(`${pods}?dryRun=All`, podBody("a"));
    expect(made.status).toBe(201);
    expect(made.body.spec.serviceAccountName).toBe("default");
    expect((await bed.post(`${pods}?dryRun=All`, podBody("A b"))).status).toBe(422);
    expect(bed.revision).toBe(before);
    expect((await bed.get(`${pods}/a`)).status).toBe(404);
  });

  test("by PUT is for a few kinds only", async () => {
    const lease = inDefault("leases", "coordination.k8s.io/v1");
    expect((await bed.put(`${lease}/l`, { metadata: { name: "l" } })).status).toBe(201);
    expect((await bed.put(`${configMaps}/a`, { metadata: { name: "a" } })).status).toBe(404);
  });
});

describe("an update", () => {
  test("keeps fields that no client may change", async () => {
    const made = await bed.make(pods, podBody("a"));
    const { uid, creationTimestamp } = made.metadata;
    const metadata = { ...made.metadata, generation: 9, creationTimestamp: null };
    const put = await body(bed.put(`${pods}/a`, { ...made, metadata }));
    expect(put.metadata).toMatchObject({ uid, creationTimestamp, generation: 1 });
  });

  test("leaves status to its endpoint, and the endpoint leaves the rest", async () => {
    await bed.make(deployments, deploymentBody("d"));
    const main = await body(
      bed.patch(`${deployments}/d`, { spec: { replicas: 2 }, status: { replicas: 9 } }),
    );
    expect(main).toMatchObject({ spec: { replicas: 2 }, metadata: { generation: 2 } });
    expect(main.status).not.toHaveProperty("replicas");
    const status = await body(
      bed.patch(`${deployments}/d/status`, { spec: { replicas: 5 }, status: { replicas: 2 } }),
    );
    expect(status).toMatchObject({
      spec: { replicas: 2 },
      status: { replicas: 2 },
      metadata: { generation: 2 },
    });
  });

  test.each<readonly [what: string, patch: object, generation: number]>([
    ["a label", { metadata: { labels: { a: "b" } } }, 1],
    ["the spec", { spec: { replicas: 3 } }, 2],
    ["nothing", { spec: { replicas: 1 } }, 1],
    ["an annotation, which ReplicaSets get as well", { metadata: { annotations: { a: "b" } } }, 2],
  ])("of %s in a Deployment changes its generation accordingly", async (_, patch, generation) => {
    await bed.make(deployments, deploymentBody("d"));
    expect((await body(bed.patch(`${deployments}/d`, patch))).metadata.generation).toBe(generation);
  });

  test("by patch is defaulted like any other", async () => {
    await bed.make(deployments, deploymentBody("d"));
    const container = { name: "side", image: "example.com/side", ports: [{ containerPort: 80 }] };
    const type = { headers: { "content-type": "application/strategic-merge-patch+json" } };
    const patched = await body(
      bed.patch(`${deployments}/d`, { spec: { template: { spec: { containers: [container] } } } }, type),
    );
    const side = patched.spec.template.spec.containers.find(({ name }: Json) => name === "side");
    expect(side).toMatchObject({
      imagePullPolicy: "Always",
      ports: [{ protocol: "TCP" }],
      terminationMessagePath: "/dev/termination-log",
    });
  });

  test("loses no increment with many concurrent writers", async () => {
    await bed.make(configMaps, { metadata: { name: "a", annotations: { count: "0" } } });
    const url = `${configMaps}/a`;
    const increment = async (): Promise<void> => {
      for (;;) {
        const { metadata } = await body(bed.get(url));
        const count = String(Number(metadata.annotations.count) + 1);
        const patch = { metadata: { resourceVersion: metadata.resourceVersion, annotations: { count } } };
        if ((await bed.patch(url, patch)).status === 200) return;
      }
    };
    await Promise.all(Array.from({ length: 20 }, increment));
    expect((await body(bed.get(url))).metadata.annotations.count).toBe("20");
  });

  test("by concurrent patches of different keys keeps them all, without a conflict", async () => {
    await bed.make(configMaps, { metadata: { name: "a" } });
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
    const answers = await Promise.all(
      keys.map((key) => bed.patch(`${configMaps}/a`, { data: { [key]: key } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
    expect((await body(bed.get(`${configMaps}/a`))).data).toEqual(
      Object.fromEntries(keys.map((key) => [key, key])),
    );
  });

  test("that removes the last finalizer of a terminating object deletes it", async () => {
    const finalizers = ["example.com/a", "example.com/b"];
    await bed.make(configMaps, { metadata: { name: "a", finalizers } });
    const marked = await bed.delete(`${configMaps}/a`);
    expect(marked).toMatchObject({
      status: 200,
      body: { kind: "ConfigMap", metadata: { finalizers, deletionGracePeriodSeconds: 0 } },
    });
    const added = await bed.patch(`${configMaps}/a`, {
      metadata: { finalizers: [...finalizers, "example.com/c"] },
    });
    expect(added).toMatchObject({ status: 422 });
    await bed.patch(`${configMaps}/a`, { metadata: { finalizers: ["example.com/b"] } });
    expect((await bed.get(`${configMaps}/a`)).status).toBe(200);
    const last = await bed.patch(`${configMaps}/a`, { metadata: { finalizers: [] } });
    expect(last.status).toBe(200);
    expect((await bed.get(`${configMaps}/a`)).status).toBe(404);
  });
});

describe("a delete", () => {
  test("answers with a Status, or with the object if its kind requires it", async () => {
    const { metadata } = await bed.make(configMaps, { metadata: { name: "a" } });
    expect(await body(bed.delete(`${configMaps}/a`))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", kind: "configmaps", uid: metadata.uid },
      code: 200,
    });
    await bed.make(pods, podBody("p"));
    expect(await body(bed.delete(`${pods}/p`))).toMatchObject({ kind: "Pod", metadata: { name: "p" } });
  });

  test.each<readonly [policy: object, finalizers: readonly string[] | undefined]>([
    [{ propagationPolicy: "Orphan" }, ["example.com/f", "orphan"]],
    [{ propagationPolicy: "Foreground" }, ["example.com/f", "foregroundDeletion"]],
    [{ propagationPolicy: "Background" }, ["example.com/f"]],
    [{ orphanDependents: true }, ["example.com/f", "orphan"]],
    [{ orphanDependents: false }, ["example.com/f"]],
    [{}, ["example.com/f", "orphan"]],
  ])("with %j marks a Deployment for the garbage collector", async (policy, finalizers) => {
    const made = deploymentBody("d");
    made.metadata.finalizers = ["example.com/f", "orphan"];
    await bed.make(deployments, made);
    const marked = await body(bed.delete(`${deployments}/d`, policy));
    expect(marked.metadata.finalizers).toEqual(finalizers);
    expect(marked.metadata).toMatchObject({
      generation: 2,
      deletionGracePeriodSeconds: 0,
      deletionTimestamp: "2026-01-01T00:00:00Z",
    });
  });

  test("with a policy keeps even an object without finalizers", async () => {
    await bed.make(configMaps, { metadata: { name: "a" } });
    const marked = await body(bed.delete(`${configMaps}/a`, { propagationPolicy: "Foreground" }));
    expect(marked.metadata.finalizers).toEqual(["foregroundDeletion"]);
    const background = await bed.delete(`${configMaps}/a`, { propagationPolicy: "Background" });
    expect(background.body.kind).toBe("Status");
    expect((await bed.get(`${configMaps}/a`)).status).toBe(404);
  });

  test("as a dry run deletes nothing", async () => {
    await bed.make(configMaps, { metadata: { name: "a" } });
    const before = bed.revision;
    for (const [query, options] of [
      ["?dryRun=All", undefined],
      ["", { dryRun: ["All"] }],
      ["", { dryRun: ["All"], propagationPolicy: "Foreground" }],
    ] as const)
      expect((await bed.delete(`${configMaps}/a${query}`, options)).status).toBe(200);
    expect(bed.revision).toBe(before);
  });

  test("succeeds when its preconditions hold", async () => {
    const { metadata } = await bed.make(configMaps, { metadata: { name: "a" } });
    const { uid, resourceVersion } = metadata;
    expect(
      (await bed.delete(`${configMaps}/a`, { preconditions: { uid, resourceVersion: "1" } })).status,
    ).toBe(409);
    expect((await bed.delete(`${configMaps}/a`, { preconditions: { uid, resourceVersion } })).status).toBe(
      200,
    );
  });
});

describe("the deletion of a Pod", () => {
  const remove = (options?: object) => bed.delete(`${pods}/p`, options);
  const make = (spec: object = { nodeName: "n1" }) => bed.make(pods, podBody("p", { spec }));

  test("waits for its grace period, counted from the request", async () => {
    await make({ nodeName: "n1", terminationGracePeriodSeconds: 45 });
    const { metadata } = await body(remove());
    expect(metadata).toMatchObject({
      deletionGracePeriodSeconds: 45,
      deletionTimestamp: "2026-01-01T00:00:45Z",
      generation: 2,
    });
  });

  test("may only be shortened, from the same beginning", async () => {
    await make();
    await remove();
    await bed.clock.advance(5000);
    const before = bed.revision;
    expect((await body(remove({ gracePeriodSeconds: 60 }))).metadata.deletionGracePeriodSeconds).toBe(30);
    expect((await body(remove())).metadata.deletionGracePeriodSeconds).toBe(30);
    expect(bed.revision).toBe(before);
    const hastened = await body(remove({ gracePeriodSeconds: 10 }));
    expect(hastened.metadata).toMatchObject({
      deletionGracePeriodSeconds: 10,
      deletionTimestamp: "2026-01-01T00:00:10Z",
      generation: 2,
    });
    const past = await body(remove({ gracePeriodSeconds: 2 }));
    expect(past.metadata).toMatchObject({
      deletionGracePeriodSeconds: 1,
      deletionTimestamp: "2026-01-01T00:00:05Z",
    });
    expect((await remove({ gracePeriodSeconds: 0 })).status).toBe(200);
    expect((await bed.get(`${pods}/p`)).status).toBe(404);
  });

  test("treats a negative period as the shortest", async () => {
    await make();
    expect((await body(remove({ gracePeriodSeconds: -5 }))).metadata.deletionGracePeriodSeconds).toBe(1);
  });

  test.each([
    ["is on no node", {}, {}],
    ["has succeeded", { nodeName: "n1" }, { phase: "Succeeded" }],
    ["has failed", { nodeName: "n1" }, { phase: "Failed" }],
  ])("that %s is immediate", async (_, spec, status) => {
    await make(spec);
    await bed.patch(`${pods}/p/status`, { status });
    await remove();
    expect((await bed.get(`${pods}/p`)).status).toBe(404);
  });

  test("waits for finalizers after its grace period", async () => {
    await bed.make(
      pods,
      podBody("p", { metadata: { finalizers: ["example.com/f"] }, spec: { nodeName: "n1" } }),
    );
    await remove();
    expect((await body(remove({ gracePeriodSeconds: 0 }))).metadata.deletionGracePeriodSeconds).toBe(0);
    await bed.patch(`${pods}/p`, { metadata: { finalizers: null } });
    expect((await bed.get(`${pods}/p`)).status).toBe(404);
  });

  test("does not end before its grace period, even without finalizers", async () => {
    await bed.make(
      pods,
      podBody("p", { metadata: { finalizers: ["example.com/f"] }, spec: { nodeName: "n1" } }),
    );
    await remove();
    await bed.patch(`${pods}/p`, { metadata: { finalizers: null } });
    expect((await bed.get(`${pods}/p`)).status).toBe(200);
  });
});

describe("a delete of a collection", () => {
  test("deletes the selected objects, and answers with them", async () => {
    for (const [name, tier] of Object.entries({ a: "web", b: "db", c: "web" }))
      await bed.make(configMaps, { metadata: { name, labels: { tier } } });
    const kept = await bed.delete(`${configMaps}?labelSelector=tier%3Dweb&dryRun=All`);
    expect(kept.body.items).toHaveLength(2);
    const { body: list } = await bed.delete(`${configMaps}?labelSelector=tier%3Dweb`);
    expect(list).toMatchObject({
      kind: "ConfigMapList",
      items: [{ metadata: { name: "a" } }, { metadata: { name: "c" } }],
    });
    expect((await body(bed.get(configMaps))).items).toHaveLength(1);
    await addNamespace(bed, "other");
    await bed.make("/api/v1/namespaces/other/configmaps", { metadata: { name: "x" } });
    await bed.delete(configMaps);
    expect((await body(bed.get("/api/v1/configmaps"))).items).toHaveLength(1);
  });
});

describe("the scale of a Deployment", () => {
  const scale = `${deployments}/d/scale`;
  beforeEach(() => bed.make(deployments, deploymentBody("d", 2)));

  test("shows and sets replicas", async () => {
    const shown = await body(bed.get(scale));
    expect(shown).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "d" },
      spec: { replicas: 2 },
      status: { selector: "app=d" },
    });
    const put = await bed.put(scale, { ...shown, spec: { replicas: 3 } });
    expect(put).toMatchObject({ status: 200, body: { kind: "Scale", spec: { replicas: 3 } } });
    const type = { headers: { "content-type": "application/strategic-merge-patch+json" } };
    expect((await body(bed.patch(scale, { spec: { replicas: 4 } }, type))).spec.replicas).toBe(4);
    const { spec, metadata } = await body(bed.get(`${deployments}/d`));
    expect([spec.replicas, metadata.generation]).toEqual([4, 3]);
    expect(metadata.managedFields.map(({ subresource }: Json) => subresource)).toContain("scale");
  });

  test("is refused when it is stale, for another object or negative", async () => {
    const shown = await body(bed.get(scale));
    await bed.patch(scale, { spec: { replicas: 5 } });
    const before = bed.revision;
    expect((await bed.put(scale, shown)).status).toBe(409);
    expect((await bed.put(scale, { metadata: { name: "e" }, spec: { replicas: 1 } })).status).toBe(400);
    const { body: negative } = await bed.patch(scale, { spec: { replicas: -1 } });
    expect(negative.message).toBe(
      'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    expect(bed.revision).toBe(before);
  });
});

describe("a binding", () => {
  const bind = (name: string, more: object = {}) =>
    bed.post(`${pods}/${name}/binding`, {
      metadata: { name, ...more },
      target: { kind: "Node", name: "n1" },
    });

  test("assigns a Pod to a node, once", async () => {
    const { metadata } = await bed.make(pods, podBody("p", { metadata: { labels: { a: "1", b: "1" } } }));
    await bed.patch(`${pods}/p/status`, { status: { nominatedNodeName: "n2" } });
    expect((await bind("p", { uid: "other" })).body.message).toContain(
      "Precondition failed: UID in precondition: other",
    );
    const more = { annotations: { a: "1" }, labels: { b: "2" } };
    const bound = await bind("p", { uid: metadata.uid, ...more });
    expect(bound).toMatchObject({ status: 201, body: { kind: "Status", status: "Success", code: 201 } });
    const pod = await body(bed.get(`${pods}/p`));
    expect(pod).toMatchObject({
      spec: { nodeName: "n1" },
      metadata: { annotations: { a: "1" }, labels: { a: "1", b: "2" }, generation: 1 },
      status: { conditions: [{ type: "PodScheduled", status: "True" }] },
    });
    expect(pod.status).not.toHaveProperty("nominatedNodeName");
    expect((await bind("p")).body).toMatchObject({
      code: 409,
      message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    });
  });

  test("of a gated or terminating Pod is refused", async () => {
    await bed.make(pods, podBody("gated", { spec: { schedulingGates: [{ name: "example.com/g" }] } }));
    expect((await bind("gated")).body.message).toContain("has non-empty .spec.schedulingGates");
    await bed.make(pods, podBody("ending", { metadata: { finalizers: ["example.com/f"] } }));
    await bed.delete(`${pods}/ending`);
    expect((await bind("ending")).body.message).toContain("is being deleted, cannot be assigned to a host");
  });

  test("by several schedulers at once succeeds for one", async () => {
    await bed.make(pods, podBody("p"));
    const answers = await Promise.all(Array.from({ length: 5 }, () => bind("p")));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
  });
});

describe("a namespace", () => {
  test("is deleted when finalize has removed its finalizers, and not before", async () => {
    await addNamespace(bed, "going");
    const url = "/api/v1/namespaces/going";
    const ending = await body(bed.delete(url));
    expect(ending).toMatchObject({ spec: { finalizers: ["kubernetes"] }, status: { phase: "Terminating" } });
    await bed.put(url, { ...ending, spec: {} });
    expect((await bed.get(url)).status).toBe(200);
    expect((await bed.put(`${url}/finalize`, { ...ending, spec: {} })).status).toBe(200);
    expect((await bed.get(url)).status).toBe(404);
  });

  test("that the cluster needs cannot be deleted", async () => {
    expect((await bed.delete("/api/v1/namespaces/default")).body.message).toBe(
      'namespaces "default" is forbidden: this namespace may not be deleted',
    );
  });
});

describe("addresses of Services", () => {
  const services = inDefault("services");
  const make = (name: string, spec: object = {}) =>
    bed.post(services, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

  test("are unique, even with many concurrent creates", async () => {
    const made = await Promise.all(Array.from({ length: 50 }, (_, i) => make(`s${i}`, { type: "NodePort" })));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect(new Set(made.map(({ body: { spec } }) => spec.clusterIP)).size).toBe(50);
    expect(new Set(made.map(({ body: { spec } }) => spec.ports[0].nodePort)).size).toBe(50);
    for (const { body: service } of made) {
      expect(service.spec.clusterIPs).toEqual([service.spec.clusterIP]);
      expect(service.spec.clusterIP).toMatch(/^10\.96\.\d+\.\d+$/);
    }
  });

  test("requested by two at once are assigned to one of them", async () => {
    const spec = { clusterIP: "10.96.0.50" };
    const answers = await Promise.all([make("a", spec), make("b", spec)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 422]));
  });

  test.each<[spec: object, message: string]>([
    [
      { clusterIP: "a b" },
      'spec.clusterIPs[0]: Invalid value: "a b": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      { clusterIPs: ["10.96.0.60"] },
      'spec.clusterIPs: Invalid value: ["10.96.0.60"]: must be empty when `clusterIP` is not specified',
    ],
    [
      { clusterIP: "10.96.0.60", ipFamilies: ["IPv6"] },
      'spec.clusterIPs[0]: Invalid value: "10.96.0.60": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
  ])("that are invalid are refused before they are allocated: %j", async (spec, message) => {
    const { status, body: answer } = await make("a", spec);
    expect([status, answer.message]).toEqual([422, `Service "a" is invalid: ${message}`]);
  });

  test("are released by a deletion, and kept by updates", async () => {
    const clusterIP = "10.96.0.50";
    await make("a", { clusterIP });
    const refused = await make("b", { clusterIP });
    expect(refused.body.message).toContain("provided IP is already allocated");
    const patched = await body(
      bed.patch(`${services}/a`, { spec: { clusterIP: null, clusterIPs: null, ports: [{ port: 81 }] } }),
    );
    expect(patched.spec.clusterIP).toBe(clusterIP);
    await bed.delete(`${services}/a`);
    expect((await make("b", { clusterIP })).status).toBe(201);
    expect((await make("c", { clusterIP: "192.0.2.1" })).body.message).toContain(
      'spec.clusterIPs: Invalid value: ["192.0.2.1"]: failed to allocate IP 192.0.2.1: the provided network does not match the current range',
    );
    const ports = [{ port: 80, nodePort: 80 }];
    expect((await make("c", { type: "NodePort", ports })).body.message).toContain(
      "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767",
    );
    expect((await body(make("d", { clusterIP: "None" }))).spec.clusterIPs).toEqual(["None"]);
    const external = { type: "ExternalName", externalName: "example.com", ports: undefined };
    expect((await body(make("e", external))).spec).not.toHaveProperty("clusterIP");
  });
});
