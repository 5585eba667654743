import { beforeEach, describe, expect, test } from "vitest";
import { type Bed, type Json, startBed } from "../server.suite.ts";
import { cron, crons, define, specOf, version } from "./definitions.suite.ts";

const schema = specOf({ at: { type: "string", default: "noon" }, runs: { type: "integer" } });
const columns = [{ name: "At", type: "string", jsonPath: ".spec.at" }];

let bed: Bed;
let url: string;
let answers: string[];
beforeEach(async () => {
  answers = [];
  bed = await startBed({
    sendHttps: ({ body }) => {
      const { request } = JSON.parse(body);
      answers.push(request.objects.map(({ metadata }: Json) => metadata.name).join());
      const convertedObjects = request.objects
        .filter(({ metadata }: Json) => metadata.name !== "broken")
        .map((object: Json) => ({ ...object, apiVersion: request.desiredAPIVersion }));
      const response = { uid: request.uid, convertedObjects, result: { status: "Success" } };
      const review = JSON.stringify({
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "ConversionReview",
        response,
      });
      return Promise.resolve({ status: 200, contentType: "application/json", body: review });
    },
  });
  url = await define(bed, {
    versions: [
      version("v1", { storage: true, schema, additionalPrinterColumns: columns }),
      version("v2", {
        schema: specOf({ at: { type: "string" } }),
        selectableFields: [{ jsonPath: ".spec.at" }],
      }),
    ],
  });
});

const watch = (apiVersion: string, query = "", accept = "application/json") =>
  bed.watch(`${crons("", apiVersion)}?watch=1&${query}`, { headers: { accept } });
const told = (lines: readonly Json[]) =>
  lines.map(({ type, object }) => [type, object.apiVersion, object.metadata.name, object.spec]);

describe("a watch", () => {
  test("shows objects in its version, in their present form", async () => {
    const [one, two] = [await watch("v1"), await watch("v2")];
    await bed.make(crons("", "v2"), cron("a", {}, "v2"));
    await bed.patch(crons("a"), { spec: { at: "one", runs: 5 } });
    await bed.delete(crons("a"));
    await bed.clock.settle();
    expect(told(one.lines)).toEqual([
      ["ADDED", "example.com/v1", "a", { at: "noon" }],
      ["MODIFIED", "example.com/v1", "a", { at: "one", runs: 5 }],
      ["DELETED", "example.com/v1", "a", { at: "one", runs: 5 }],
    ]);
    expect(told(two.lines)).toEqual([
      ["ADDED", "example.com/v2", "a", { at: "noon" }],
      ["MODIFIED", "example.com/v2", "a", { at: "one" }],
      ["DELETED", "example.com/v2", "a", { at: "one" }],
    ]);
  });

  test("selects by fields of its version", async () => {
    const noon = await watch("v2", "fieldSelector=spec.at%3Dnoon");
    await bed.make(crons(), cron("a", { at: "one" }));
    await bed.make(crons(), cron("b"));
    await bed.patch(crons("a"), { spec: { at: "noon" } });
    await bed.patch(crons("b"), { spec: { at: "two" } });
    await bed.clock.settle();
    expect(told(noon.lines)).toEqual([
      ["ADDED", "example.com/v2", "b", { at: "noon" }],
      ["ADDED", "example.com/v2", "a", { at: "noon" }],
      ["DELETED", "example.com/v2", "b", { at: "noon" }],
    ]);
  });

  test("can be of Tables and of metadata", async () => {
    const table = await watch("v1", "", "application/json;as=Table;v=v1;g=meta.k8s.io");
    const metadata = await watch("v2", "", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
    await bed.make(crons(), cron("a"));
    await bed.clock.settle();
    expect(table.lines[0].object.columnDefinitions.map(({ name }: Json) => name)).toEqual(["Name", "At"]);
    expect(table.lines[0].object.rows[0].cells).toEqual(["a", "noon"]);
    expect(metadata.lines[0].object).toMatchObject({
      kind: "PartialObjectMetadata",
      metadata: { name: "a" },
    });
    expect(metadata.lines[0].object).not.toHaveProperty("spec");
  });

  test("keeps large integers", async () => {
    const watching = await watch("v1");
    await bed.make(
      crons(),
      `{"apiVersion":"example.com/v1","kind":"Cron","metadata":{"name":"a"},"spec":{"runs":9007199254740993}}`,
    );
    await bed.clock.settle();
    expect(watching.lines[0].object.spec.runs).toBe(9007199254740993n);
  });
});

describe("the watches of a definition end", () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      "when its schema changes",
      () => bed.patch(url, [{ op: "remove", path: "/spec/versions/1/selectableFields" }]),
    ],
    ["when it is deleted", () => bed.delete(url)],
  ])("%s", async (_, change) => {
    const [one, two] = [await watch("v1"), await watch("v2")];
    await bed.make(crons(), cron("a"));
    await change();
    await bed.clock.settle();
    expect([one.ended, two.ended]).toEqual([true, true]);
    expect(told(one.lines)[0]?.slice(0, 3)).toEqual(["ADDED", "example.com/v1", "a"]);
  });

  test("but not when only its metadata or status change", async () => {
    const watching = await watch("v1");
    await bed.patch(url, { metadata: { labels: { a: "b" } } });
    await bed.patch(`${url}/status`, { status: { storedVersions: ["v1", "v2"] } });
    await bed.make(crons(), cron("a"));
    await bed.clock.settle();
    expect(watching.ended).toBe(false);
    expect(watching.lines).toHaveLength(1);
  });
});

describe("with a webhook that converts", () => {
  beforeEach(async () => {
    const clientConfig = { url: "https://hooks.example.com/" };
    const webhook = { conversionReviewVersions: ["v1"], clientConfig };
    await bed.patch(url, [
      { op: "replace", path: "/spec/conversion", value: { strategy: "Webhook", webhook } },
    ]);
    for (const name of ["a", "b", "c"]) await bed.make(crons(), cron(name));
  });

  test("a list is converted by one call, once", async () => {
    expect((await bed.get(crons("", "v2"))).body.items).toHaveLength(3);
    await bed.get(crons("", "v2"));
    await bed.get(crons("a", "v2"));
    await bed.get(crons());
    expect(answers).toEqual(["a,b,c"]);
  });

  test("objects that are stored in the requested version need no call", async () => {
    await bed.make(crons("", "v2"), cron("d", {}, "v2"));
    expect(answers).toEqual(["d", "d"]);
  });

  test("an object that cannot be converted ends a watch", async () => {
    const watching = await watch("v2");
    await bed.make(crons(), cron("broken"));
    await bed.clock.settle();
    const { type, object } = watching.lines.at(-1);
    expect(type).toBe("ERROR");
    const webhook = "conversion webhook for example.com/v1, Kind=Cron";
    expect(object).toMatchObject({ code: 500, message: `${webhook} returned 0 objects, expected 1` });
    expect(watching.ended).toBe(true);
  });
});
