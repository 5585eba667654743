import { describe, expect, test } from "vitest";
import type { AdmissionPlugin } from "./admission/plugin.ts";
import { cron, crons, define, specOf, version } from "./crd/definitions.suite.ts";
import { deploymentBody, inDefault, type Json, podBody, startBed } from "./server.suite.ts";

const pods = inDefault("pods");
const configMaps = inDefault("configmaps");

const ownersOf = ({ metadata }: Json): Json[] => metadata.managedFields ?? [];

describe("ownership of fields", () => {
  test("fields from admission have no owner", async () => {
    const bed = await startBed();
    const pod = await bed.make(`${pods}?fieldManager=me`, podBody("web"));
    expect(pod.spec.serviceAccountName).toBe("default");
    expect(pod.spec.tolerations).toHaveLength(2);
    const [entry] = ownersOf(pod);
    expect(entry).toMatchObject({ manager: "me", operation: "Update" });
    expect(Object.keys(entry.fieldsV1["f:spec"])).toContain("f:containers");
    expect(Object.keys(entry.fieldsV1["f:spec"])).not.toContain("f:serviceAccountName");
    expect(Object.keys(entry.fieldsV1["f:spec"])).not.toContain("f:tolerations");
  });

  test("fields that admission adds to an update have no owner", async () => {
    const label: AdmissionPlugin = {
      name: "Label",
      mutate({ operation, object }) {
        if (operation === "UPDATE" && object !== undefined)
          object.metadata.labels = { ...object.metadata.labels, admitted: "yes" };
      },
    };
    const bed = await startBed({ admission: [label] });
    await bed.make(configMaps, { metadata: { name: "a" } });
    const { body } = await bed.patch(`${configMaps}/a?fieldManager=me`, { data: { k: "v" } });
    expect(body.metadata.labels).toEqual({ admitted: "yes" });
    expect(JSON.stringify(ownersOf(body))).not.toContain("admitted");
  });

  test("fields are in upstream's order: numbers as numbers, and as text in custom resources", async () => {
    const bed = await startBed();
    const ports = [443, 80].map((port) => ({ port, name: `p${port}` }));
    const properties = { port: { type: "integer" }, name: { type: "string" } };
    const keyed = {
      type: "array",
      items: { type: "object", properties, required: ["port"] },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port"],
    };
    await define(bed, { versions: [version("v1", { schema: specOf({ ports: keyed }), storage: true })] });
    const custom = await bed.make(crons(), cron("a", { ports }));
    const [entry] = ownersOf(custom);
    expect(Object.keys(entry.fieldsV1["f:spec"]["f:ports"])).toEqual([
      ".",
      'k:{"port":443}',
      'k:{"port":80}',
    ]);
    const service = { metadata: { name: "a" }, spec: { selector: { a: "b" }, ports } };
    const apply = { headers: { "content-type": "application/apply-patch+yaml" } };
    const whole = { apiVersion: "v1", kind: "Service", ...service };
    const { body } = await bed.call("PATCH", `${inDefault("services")}/a?fieldManager=m`, whole, apply);
    expect(Object.keys(ownersOf(body)[0]["fieldsV1"]["f:spec"]["f:ports"])).toEqual([
      'k:{"port":80,"protocol":"TCP"}',
      'k:{"port":443,"protocol":"TCP"}',
    ]);
  });

  test("a Pod's node has no owner", async () => {
    const bed = await startBed();
    await bed.make(pods, podBody("web"));
    await bed.post(`${pods}/web/binding`, {
      metadata: { name: "web" },
      target: { kind: "Node", name: "n1" },
    });
    const { body } = await bed.get(`${pods}/web`);
    expect(body.spec.nodeName).toBe("n1");
    expect(JSON.stringify(ownersOf(body))).not.toContain("f:nodeName");
  });

  test.each([
    ["an empty list", []],
    ["one empty entry", [{}]],
  ])("%s of managers clears them", async (_, managedFields) => {
    const bed = await startBed();
    await bed.make(configMaps, { metadata: { name: "a" }, data: { k: "v" } });
    const cleared = await bed.patch(`${configMaps}/a`, { metadata: { managedFields } });
    expect(cleared.body.metadata).not.toHaveProperty("managedFields");
    const later = await bed.patch(`${configMaps}/a`, { data: { k: "w" } });
    expect(later.body.metadata).not.toHaveProperty("managedFields");
  });

  test("a write that changes nothing keeps the revision, for any writer at any time", async () => {
    const bed = await startBed();
    const made = await bed.make(configMaps, { metadata: { name: "a" }, data: { k: "v" } });
    const before = bed.revision;
    await bed.clock.advance(5000);
    const { metadata, ...rest } = made;
    await bed.put(`${configMaps}/a`, made);
    await bed.put(`${configMaps}/a?fieldManager=other`, { ...rest, metadata: { name: metadata.name } });
    await bed.patch(`${configMaps}/a?fieldManager=third`, { data: { k: "v" } });
    const apply = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } };
    const headers = { "content-type": "application/apply-patch+yaml" };
    await bed.patch(`${configMaps}/a?fieldManager=applier`, apply, { headers });
    const applied = bed.revision;
    expect(applied).toBe(before + 1);
    await bed.clock.advance(5000);
    const { body } = await bed.patch(`${configMaps}/a?fieldManager=applier`, apply, { headers });
    expect(bed.revision).toBe(applied);
    expect(body.metadata.resourceVersion).toBe(String(applied));
  });

  test("a write that admission reverts keeps the revision every time", async () => {
    const undo: AdmissionPlugin = {
      name: "Undo",
      mutate({ object }) {
        delete object?.metadata.labels;
      },
    };
    const bed = await startBed({ admission: [undo] });
    await bed.make(configMaps, { metadata: { name: "a" }, data: { k: "v" } });
    const write = () => bed.patch(`${configMaps}/a?fieldManager=me`, { metadata: { labels: { l: "1" } } });
    await write();
    const before = bed.revision;
    await bed.clock.advance(5000);
    expect((await write()).status).toBe(200);
    expect(bed.revision).toBe(before);
  });

  test("a duplicate owner reference is kept once, with a warning", async () => {
    const bed = await startBed();
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u-1" };
    const { body, warnings } = await bed.post(configMaps, {
      metadata: { name: "a", ownerReferences: [owner, owner, { ...owner, uid: "u-2" }] },
    });
    expect(body.metadata.ownerReferences.map(({ uid }: Json) => uid)).toEqual(["u-1", "u-2"]);
    expect(warnings).toEqual([expect.stringContaining("duplicate UID(s) observed: u-1")]);
  });
});

describe("a status write", () => {
  const status = { conditions: [{ type: "Special", status: "True" }] };

  test("may change a Pod's labels and annotations, but neither its spec nor its owners", async () => {
    const bed = await startBed();
    const made = await bed.make(pods, podBody("web"));
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u-1" };
    const { body } = await bed.put(`${pods}/web/status?fieldManager=agent`, {
      ...made,
      metadata: { ...made.metadata, labels: { l: "1" }, annotations: { a: "1" }, ownerReferences: [owner] },
      spec: { ...made.spec, containers: [{ ...made.spec.containers[0], image: "other" }] },
      status: { ...made.status, ...status },
    });
    expect(body.metadata).toMatchObject({ labels: { l: "1" }, annotations: { a: "1" } });
    expect(body.metadata).not.toHaveProperty("ownerReferences");
    expect(body.spec).toEqual(made.spec);
    expect(body.metadata.generation).toBe(1);
    const mine = ownersOf(body).find(({ manager }) => manager === "agent");
    expect(mine.subresource).toBe("status");
    expect(Object.keys(mine.fieldsV1)).toEqual(["f:metadata", "f:status"]);
  });

  test("does not change a Deployment's labels", async () => {
    const bed = await startBed();
    const url = inDefault("deployments", "apps/v1");
    await bed.make(url, deploymentBody("web"));
    const { body } = await bed.patch(`${url}/web/status`, {
      metadata: { labels: { l: "1" }, annotations: { a: "1" } },
      spec: { replicas: 9 },
      status: { replicas: 1 },
    });
    expect(body.metadata).not.toHaveProperty("labels");
    expect(body.metadata.annotations).toEqual({ a: "1" });
    expect(body).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1 } });
  });

  test("has its metadata validated", async () => {
    const bed = await startBed();
    await bed.make(pods, podBody("web"));
    const before = bed.revision;
    const { status: code, body } = await bed.patch(`${pods}/web/status`, {
      metadata: { labels: { "a b": "" } },
    });
    expect(code).toBe(422);
    expect(body.message).toContain("metadata.labels");
    expect(bed.revision).toBe(before);
  });

  test("of a Namespace keeps its spec, and of a Node accepts labels", async () => {
    const bed = await startBed();
    await bed.make("/api/v1/nodes", { metadata: { name: "n1" } });
    const node = await bed.patch("/api/v1/nodes/n1/status", {
      metadata: { labels: { zone: "a" } },
      spec: { unschedulable: true },
    });
    expect(node.body.metadata.labels).toEqual({ zone: "a" });
    expect(node.body.spec).not.toHaveProperty("unschedulable");
    const namespace = await bed.patch("/api/v1/namespaces/default/status", {
      metadata: { labels: { team: "x" } },
      spec: { finalizers: [] },
    });
    expect(namespace.body.metadata.labels).toMatchObject({ team: "x" });
    expect(namespace.body.spec.finalizers).toEqual(["kubernetes"]);
  });

  test("does not change stored objects", async () => {
    const bed = await startBed();
    const before = JSON.stringify((await bed.get("/api/v1/namespaces/default")).body.spec);
    await bed.patch("/api/v1/namespaces/default/status", { status: { phase: "Active" } });
    expect(JSON.stringify((await bed.get("/api/v1/namespaces/default")).body.spec)).toBe(before);
  });
});

describe("pods/ephemeralcontainers", () => {
  const container = { name: "debug", image: "example.com/debug" };

  test("adds ephemeral containers and nothing else", async () => {
    const bed = await startBed();
    const made = await bed.make(pods, podBody("web"));
    const url = `${pods}/web/ephemeralcontainers`;
    const headers = { "content-type": "application/strategic-merge-patch+json" };
    const patch = {
      metadata: { labels: { l: "1" } },
      spec: { ephemeralContainers: [container], activeDeadlineSeconds: 5 },
    };
    const { status, body } = await bed.patch(`${url}?fieldManager=debugger`, patch, { headers });
    expect(status).toBe(200);
    expect(body.spec.ephemeralContainers).toMatchObject([container]);
    expect({ ...body.spec, ephemeralContainers: undefined }).toEqual(made.spec);
    expect(body.metadata).not.toHaveProperty("labels");
    expect(body.metadata.generation).toBe(2);
    const mine = ownersOf(body).find(({ manager }) => manager === "debugger");
    expect(mine.subresource).toBe("ephemeralcontainers");
    expect(Object.keys(mine.fieldsV1)).toEqual(["f:spec"]);
    expect((await bed.get(url)).body.spec).toEqual(body.spec);
  });

  test("refuses to change or remove them", async () => {
    const bed = await startBed();
    const made = await bed.make(pods, podBody("web"));
    const url = `${pods}/web/ephemeralcontainers`;
    await bed.put(url, { ...made, spec: { ...made.spec, ephemeralContainers: [container] } });
    const changed = await bed.patch(url, {
      spec: { ephemeralContainers: [{ ...container, image: "other" }] },
    });
    expect(changed.body.message).toContain('existing ephemeral containers "debug" may not be changed');
    const removed = await bed.patch(url, { spec: { ephemeralContainers: null } });
    expect(removed).toMatchObject({ status: 422, body: { reason: "Invalid" } });
    expect(removed.body.message).toContain('existing ephemeral containers "debug" may not be removed');
  });
});
