import { describe, expect, test } from "vitest";
import { inDefault, type Json, startBed } from "../../../src/apiserver/server.suite.ts";
import { maxValues } from "../../../src/meta/json.ts";

const configMaps = inDefault("configmaps");
const many = <T>(count: number, one: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => one(index));
const yaml = { headers: { "content-type": "application/yaml" } };

describe("a body", () => {
  test("of more than the allowed number of values is too large, in JSON and in YAML", async () => {
    const bed = await startBed();
    const lists = `[${many(maxValues, () => "1").join(",")}]`;
    const { status, body } = await bed.post(configMaps, `{"metadata":{"name":"a"},"x":${lists}}`);
    expect(status).toBe(413);
    expect(body.message).toBe(`Request entity too large: limit is ${maxValues} values`);
    const inYaml = await bed.post(configMaps, `metadata: {name: a}\nx: ${lists}`, yaml);
    expect(inYaml.body.message).toBe(body.message);
  });

  test("of one long string may be as large as before", async () => {
    const bed = await startBed();
    const data = { a: "x".repeat(900_000) };
    expect((await bed.post(configMaps, { metadata: { name: "a" }, data })).status).toBe(201);
  });

  test("in long YAML gives the same answers as in short YAML", async () => {
    const bed = await startBed();
    const lines = many(2_000, (i) => `  k${i}: v${i}`).join("\n");
    const made = await bed.post(configMaps, `metadata: {name: a}\ndata:\n${lines}\n  k7: twice`, yaml);
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({ k1999: "v1999", k7: "twice" });
    expect(made.warnings).toEqual([expect.stringContaining(`key \\"k7\\" already set in map`)]);
    const broken = await bed.post(configMaps, `${lines}\n]`, yaml);
    expect(broken.body.message).toMatch(/^error converting YAML to JSON: yaml: line /);
    const answer = await bed.get(`${configMaps}/a`, { headers: { accept: "application/yaml" } });
    expect(answer.body).toContain("\n  k1999: v1999\n");
  });

  test("that is nested too deeply is refused, as an object or a patch", async () => {
    const bed = await startBed();
    const deep = `${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`;
    expect((await bed.post(configMaps, `{"metadata":{"name":"a"},"x":${deep}}`)).status).toBe(400);
    await bed.make(configMaps, { metadata: { name: "a" } });
    for (const type of ["merge-patch", "strategic-merge-patch"]) {
      const headers = { "content-type": `application/${type}+json` };
      expect((await bed.call("PATCH", `${configMaps}/a`, deep, { headers })).status).toBe(400);
    }
  });
});

describe("an answer", () => {
  test("names a hundred unknown fields, in the order of the text", async () => {
    const bed = await startBed();
    const fields = many(300, (i) => [`z${i}`, 1]);
    const body = { metadata: { name: "a", inner: 1 }, ...Object.fromEntries(fields) };
    const { body: status } = await bed.post(`${configMaps}?fieldValidation=Strict`, body);
    const told = [...(status.message as string).matchAll(/unknown field "([^"]+)"/g)].map(([, name]) => name);
    expect(told).toEqual(["metadata.inner", ...many(99, (i) => `z${i}`)]);
  });

  test("lists a thousand issues, and says that there are more", async () => {
    const bed = await startBed();
    const finalizers = many(3_000, (i) => `!${i}`);
    const { status, body } = await bed.post(configMaps, { metadata: { name: "a", finalizers } });
    expect(status).toBe(422);
    expect(body.details.causes).toHaveLength(1_000);
    expect(body.message).toMatch(/, and more\]$/);
  });

  test("does not show a long list once for each of its items", async () => {
    const bed = await startBed();
    const owner = (i: number) => ({
      apiVersion: "v1",
      kind: "Pod",
      name: `p${i}`,
      uid: `u${i}`,
      controller: true,
    });
    const { status, body } = await bed.post(configMaps, {
      metadata: { name: "a", ownerReferences: many(3_000, owner) },
    });
    expect(status).toBe(422);
    expect(body.message.length).toBeLessThan(4 * 1024 * 1024);
  });
});

test("a quantity of very many digits is invalid", async () => {
  const bed = await startBed();
  const requests = { cpu: "9".repeat(100_000) };
  const containers = [{ name: "c", image: "i", resources: { requests } }];
  const { status, body } = await bed.post(inDefault("pods"), {
    metadata: { name: "a" },
    spec: { containers },
  });
  expect(status).toBe(400);
  expect(body.message).toContain("unable to parse numeric part of quantity");
});

describe("names of properties that every JavaScript object has", () => {
  const names = ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"];

  test.each(names)("%s is no existing subresource, kind, verb, field or label", async (name) => {
    const bed = await startBed();
    await bed.make(configMaps, { metadata: { name: "a" } });
    for (const path of [`/api/${name}`, `/apis/${name}/v1/x`, inDefault(name), `${configMaps}/a/${name}`])
      expect((await bed.get(path)).status).toBe(404);
    expect((await bed.get(`${configMaps}/${name}`)).status).toBe(404);
    expect((await bed.call(name, configMaps)).status).toBeLessThan(500);
    expect((await bed.get(`${configMaps}?fieldSelector=${name}=a`)).status).toBe(400);
    expect((await bed.get(`${configMaps}?labelSelector=${name}=a`)).body.items ?? []).toEqual([]);
    expect((await bed.get(`${configMaps}?labelSelector=!a`)).body.items).not.toEqual([]);
  });

  test("paths of a definition's scale do not leave the object", async () => {
    const bed = await startBed();
    const scale = { specReplicasPath: ".spec.__proto__.polluted", statusReplicasPath: ".status.replicas" };
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await bed.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "things.x.io" },
      spec: {
        group: "x.io",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [{ name: "v1", served: true, storage: true, schema, subresources: { scale } }],
      },
    });
    await bed.clock.settle();
    const things = inDefault("things", "x.io/v1");
    await bed.make(things, { apiVersion: "x.io/v1", kind: "Thing", metadata: { name: "a" }, spec: {} });
    await bed.put(`${things}/a/scale`, { metadata: { name: "a" }, spec: { replicas: 3 } });
    expect(({} as Json)["polluted"]).toBeUndefined();
  });
});

test("an applied configuration whose apiVersion is no string is of no kind", async () => {
  const bed = await startBed();
  const headers = { "content-type": "application/apply-patch+yaml" };
  const body = '{"apiVersion":["v1"],"kind":{},"metadata":{"name":"a"}}';
  const answer = await bed.call("PATCH", `${configMaps}/a?fieldManager=m`, body, { headers });
  expect(answer.status).toBe(400);
  expect(answer.body.message).toBe("invalid object type: /, Kind=");
});
