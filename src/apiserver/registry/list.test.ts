import { beforeEach, describe, expect, test } from "vitest";
import { addNamespace, type Bed, inDefault, type Json, podBody, startBed } from "../server.suite.ts";

const configMaps = inDefault("configmaps");
const names = ({ items }: Json): string[] => items.map(({ metadata }: Json) => metadata.name);

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

const make = (name: string, labels: object = {}) => bed.make(configMaps, { metadata: { name, labels } });
const makeAll = async (...all: string[]) => {
  for (const name of all) await make(name);
};
const list = async (query = "") => (await bed.get(`${configMaps}?${query}`)).body;
const compact = () => bed.store.compact(bed.revision);

describe("a list in pages", () => {
  test("shows every page at the revision of the first", async () => {
    await makeAll("a", "b", "c", "d", "e");
    const first = await list("limit=2");
    expect(names(first)).toEqual(["a", "b"]);
    expect(first.metadata.remainingItemCount).toBe(3);
    await bed.delete(`${configMaps}/c`);
    await make("bb");
    const second = await list(`limit=2&continue=${first.metadata.continue}`);
    expect(names(second)).toEqual(["c", "d"]);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    const third = await list(`limit=2&continue=${second.metadata.continue}`);
    expect(names(third)).toEqual(["e"]);
    expect(third.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  });

  test("counts the remaining objects only without selectors", async () => {
    for (const name of ["a", "b", "c", "d"]) await make(name, name === "b" ? {} : { kept: "yes" });
    const first = await list("limit=2&labelSelector=kept");
    expect(names(first)).toEqual(["a", "c"]);
    expect(first.metadata).not.toHaveProperty("remainingItemCount");
    const second = await list(`limit=2&labelSelector=kept&continue=${first.metadata.continue}`);
    expect(names(second)).toEqual(["d"]);
    expect(second.metadata).not.toHaveProperty("continue");
  });

  test("continues from a fresh token when its revision was compacted", async () => {
    await makeAll("a", "b", "c");
    const first = await list("limit=1");
    await make("d");
    await compact();
    const expired = await list(`limit=1&continue=${first.metadata.continue}`);
    expect(expired).toMatchObject({ kind: "Status", code: 410, reason: "Expired" });
    expect(expired.message).toMatch(
      /^The provided continue parameter is too old to display a consistent list result\./,
    );
    const rest = await list(`continue=${expired.metadata.continue}`);
    expect(names(rest)).toEqual(["b", "c", "d"]);
    expect(rest.metadata.resourceVersion).toBe(String(bed.revision));
  });

  test("of all namespaces is in the order of keys", async () => {
    await addNamespace(bed, "other");
    await makeAll("a", "z");
    await bed.make("/api/v1/namespaces/other/configmaps", { metadata: { name: "m" } });
    const first = (await bed.get("/api/v1/configmaps?limit=2")).body;
    const rest = (await bed.get(`/api/v1/configmaps?continue=${first.metadata.continue}`)).body;
    expect([...names(first), ...names(rest)]).toEqual(["a", "z", "m"]);
  });

  test("refuses a token together with a revision, or one that leaves the prefix", async () => {
    await makeAll("a", "b");
    const { metadata } = await list("limit=1");
    expect(await list(`continue=${metadata.continue}&resourceVersion=5`)).toMatchObject({
      code: 400,
      message: "specifying resource version is not allowed when using continue",
    });
    const climbing = { v: "meta.k8s.io/v1", rv: 1, start: "../secrets/x" };
    const token = Buffer.from(JSON.stringify(climbing)).toString("base64url");
    expect(await list(`continue=${token}`)).toMatchObject({ code: 400 });
  });
});

describe("a list's revision", () => {
  test.each<readonly [query: string, code: number, found: readonly string[] | string]>([
    ["", 200, ["a", "b"]],
    ["resourceVersion=0", 200, ["a", "b"]],
    ["resourceVersion=OLD", 200, ["a", "b"]],
    ["resourceVersion=OLD&resourceVersionMatch=NotOlderThan", 200, ["a", "b"]],
    ["resourceVersion=0&resourceVersionMatch=NotOlderThan", 200, ["a", "b"]],
    ["resourceVersion=OLD&resourceVersionMatch=Exact", 200, ["a"]],
    ["resourceVersion=OLD&limit=5", 200, ["a"]],
    ["resourceVersion=OLD&limit=5&resourceVersionMatch=NotOlderThan", 200, ["a", "b"]],
    [
      "resourceVersion=0&resourceVersionMatch=Exact",
      422,
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      "resourceVersionMatch=Exact",
      422,
      "resourceVersionMatch is forbidden unless resourceVersion is provided",
    ],
    [
      "resourceVersion=OLD&resourceVersionMatch=Exact&continue=x",
      422,
      "resourceVersionMatch is forbidden when continue is provided",
    ],
    ["sendInitialEvents=true", 422, "sendInitialEvents is forbidden for list"],
    ["resourceVersion=999999", 504, "Timeout: Too large resource version: 999999, current: "],
    ["resourceVersion=999999&resourceVersionMatch=Exact", 504, "Too large resource version"],
  ])("?%s", async (query, code, found) => {
    await make("a");
    const old = bed.revision;
    await make("b");
    const { status, body } = await bed.get(`${configMaps}?${query.replace("OLD", String(old))}`);
    expect(status).toBe(code);
    if (typeof found === "string") expect(body.message).toContain(found);
    else expect(names(body)).toEqual(found);
    // Only an exact list shows the past, and has the past revision.
    if (code === 200 && found.length === 1) expect(body.metadata.resourceVersion).toBe(String(old));
  });

  test("that is in the future makes the client retry", async () => {
    const { body, headers } = await bed.get(`${configMaps}?resourceVersion=999999`);
    expect(body.details).toEqual({
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    });
    expect(headers["retry-after"]).toBe("1");
  });

  test("that was compacted is gone", async () => {
    await make("a");
    const old = bed.revision;
    await make("b");
    await compact();
    expect(await list(`resourceVersion=${old}&resourceVersionMatch=Exact`)).toMatchObject({
      code: 410,
      reason: "Expired",
      message: "The resourceVersion for the provided list is too old.",
      metadata: {},
    });
  });
});

describe("selectors", () => {
  test.each<readonly [selector: string, found: readonly string[]]>([
    ["labelSelector=tier%3Dweb", ["a"]],
    ["labelSelector=tier%21%3Dweb", ["b", "c"]],
    ["labelSelector=tier%20in%20(web,db)", ["a", "b"]],
    ["labelSelector=tier%20notin%20(web)", ["b", "c"]],
    ["labelSelector=%21tier", ["c"]],
    ["labelSelector=tier", ["a", "b"]],
    ["fieldSelector=metadata.name%3Db", ["b"]],
    ["fieldSelector=metadata.name%21%3Db", ["a", "c"]],
    ["fieldSelector=metadata.namespace%3Dother", []],
    ["fieldSelector=metadata.name%3Da&labelSelector=tier%3Ddb", []],
    ["fieldSelector=metadata.name%3D..%2Fx", []],
  ])("?%s", async (selector, found) => {
    await make("a", { tier: "web" });
    await make("b", { tier: "db" });
    await make("c");
    expect(names(await list(selector))).toEqual(found);
    expect(names((await bed.get(`/api/v1/configmaps?${selector}`)).body)).toEqual(found);
  });

  test("on a Pod's fields", async () => {
    const pods = inDefault("pods");
    await bed.make(pods, podBody("on", { spec: { nodeName: "n1" } }));
    await bed.make(pods, podBody("off"));
    const by = async (selector: string) =>
      names((await bed.get(`${pods}?fieldSelector=${encodeURIComponent(selector)}`)).body);
    expect(await by("spec.nodeName=n1")).toEqual(["on"]);
    expect(await by("spec.nodeName=,status.phase!=Failed")).toEqual(["off"]);
  });
});

describe("forms of a list", () => {
  const accept = (type: string) => ({
    headers: { accept: `application/json;as=${type};v=v1;g=meta.k8s.io` },
  });

  test("as a Table of the page", async () => {
    await makeAll("a", "b", "c");
    const { body } = await bed.get(`${configMaps}?limit=2`, accept("Table"));
    expect(body).toMatchObject({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: { remainingItemCount: 1 },
    });
    expect(body.columnDefinitions.map(({ name }: Json) => name)).toEqual(["Name", "Data", "Age"]);
    expect(body.rows.map(({ cells }: Json) => cells)).toEqual([
      ["a", 0, "0s"],
      ["b", 0, "0s"],
    ]);
    expect(body.rows[0].object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
    const whole = await bed.get(`${configMaps}?includeObject=Object`, accept("Table"));
    expect(whole.body.rows[0].object.kind).toBe("ConfigMap");
    const none = await bed.get(`${configMaps}?includeObject=None`, accept("Table"));
    expect(none.body.rows[0]).not.toHaveProperty("object");
  });

  test("as metadata alone, in the kind that fits", async () => {
    await make("a");
    const { body } = await bed.get(configMaps, accept("PartialObjectMetadataList"));
    expect(body.kind).toBe("PartialObjectMetadataList");
    expect(body.items[0]).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
    expect((await bed.get(configMaps, accept("PartialObjectMetadata"))).status).toBe(406);
    expect((await bed.get(`${configMaps}/a`, accept("PartialObjectMetadata"))).body.kind).toBe(
      "PartialObjectMetadata",
    );
  });

  test("has items even when it is empty", async () => {
    expect(await list()).toEqual({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: String(bed.revision) },
      items: [],
    });
  });
});
