import { beforeEach, describe, expect, test } from "vitest";
import { Bed, type Json, startBed } from "../server.suite.ts";
import { conditionsOf, cron, crons, define, definitionsUrl, version } from "./definitions.suite.ts";

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

const status = async (url: string): Promise<number> => (await bed.get(url)).status;

/** Returns the groups and resources in both forms of discovery, and OpenAPI's documents. */
async function published(group: string): Promise<Json> {
  const aggregated = {
    headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
  };
  const { body: groups } = await bed.get("/apis");
  const { body: all } = await bed.get("/apis", aggregated);
  const { body: documents } = await bed.get("/openapi/v3");
  const found = all.items.find(({ metadata }: Json) => metadata.name === group);
  return {
    legacy: groups.groups
      .find(({ name }: Json) => name === group)
      ?.versions.map(({ version }: Json) => version),
    aggregated: found?.versions.map(({ version, resources }: Json) => [
      version,
      ...resources.map(({ resource }: Json) => resource),
    ]),
    openApi: Object.keys(documents.paths).filter((path) => path.startsWith(`apis/${group}`)),
  };
}

describe("a definition", () => {
  test("is served as soon as clients can see that it is established", async () => {
    const watching = await bed.watch(`${definitionsUrl}?watch=1`);
    const seen: unknown[] = [];
    const url = await define(bed);
    expect(await conditionsOf(bed, url)).toEqual({
      NamesAccepted: "True NoConflicts",
      Established: "True InitialNamesAccepted",
    });
    for (const { object } of watching.lines) seen.push(object.status.conditions.length);
    expect(seen).toEqual([0, 2]);
    expect((await bed.post(crons(), cron("one"))).status).toBe(201);
    expect(await status(crons("one"))).toBe(200);
  });

  test("is served from its creation to its deletion", async () => {
    expect(await status(crons())).toBe(404);
    const url = await define(bed);
    expect(await published("example.com")).toEqual({
      legacy: ["v1"],
      aggregated: [["v1", "crons"]],
      openApi: ["apis/example.com/v1"],
    });
    await bed.delete(url);
    await bed.clock.settle();
    expect(await status(url)).toBe(404);
    expect(await status(crons())).toBe(404);
    const nothing = { legacy: undefined, aggregated: undefined, openApi: [] };
    expect(await published("example.com")).toEqual(nothing);
  });

  test("serves its served versions", async () => {
    const versions = [version("v1", { storage: true }), version("v2"), version("v3beta1", { served: false })];
    const url = await define(bed, { versions });
    await bed.make(crons(), cron("one"));
    expect(await Promise.all(["v1", "v2", "v3beta1"].map((one) => status(crons("one", one))))).toEqual([
      200, 200, 404,
    ]);
    expect((await published("example.com")).legacy).toEqual(["v2", "v1"]);
    await bed.patch(url, [
      { op: "replace", path: "/spec/versions/0/served", value: false },
      { op: "replace", path: "/spec/versions/2/served", value: true },
    ]);
    expect(await Promise.all(["v1", "v2", "v3beta1"].map((one) => status(crons("one", one))))).toEqual([
      404, 200, 200,
    ]);
    expect((await published("example.com")).legacy).toEqual(["v2", "v3beta1"]);
  });

  test("changes the documents that describe it, and no others", async () => {
    const url = await define(bed);
    const hashes = async (): Promise<Json> => (await bed.get("/openapi/v3")).body.paths;
    const before = await hashes();
    await bed.patch(url, [{ op: "add", path: "/spec/names/shortNames", value: ["cr"] }]);
    expect(await hashes()).toEqual(before);
    const schema = "/spec/versions/0/schema/openAPIV3Schema";
    await bed.patch(url, [{ op: "add", path: `${schema}/description`, value: "Says when." }]);
    const after = await hashes();
    const changed = Object.keys(after).filter(
      (path) => after[path].serverRelativeURL !== before[path].serverRelativeURL,
    );
    expect(changed).toEqual(["apis/example.com/v1"]);
  });
});

test("a server serves stored definitions before its first request", async () => {
  await define(bed);
  await bed.make(crons(), cron("one", { a: 1 }));
  const again = new Bed({ store: bed.store });
  expect((await again.get(crons("one"))).body.spec).toEqual({ a: 1 });
});

describe("names", () => {
  const second = { names: { plural: "timers", kind: "Timer", shortNames: ["cr", "tm"] } };

  test("belong to the first definition, until it releases them", async () => {
    const first = await define(bed, { names: { shortNames: ["cr"], singular: "cron" } });
    const url = await define(bed, second);
    expect(await conditionsOf(bed, url)).toEqual({
      NamesAccepted: "False ShortNamesConflict",
      Established: "False NotAccepted",
    });
    const timers = "/apis/example.com/v1/namespaces/default/timers";
    expect(await status(timers)).toBe(404);
    expect((await bed.get(url)).body.status.acceptedNames).toEqual({
      plural: "timers",
      singular: "timer",
      kind: "Timer",
      listKind: "TimerList",
    });
    await bed.delete(first);
    await bed.clock.settle();
    expect(await conditionsOf(bed, url)).toMatchObject({
      NamesAccepted: "True NoConflicts",
      Established: "True InitialNamesAccepted",
    });
    expect(await status(timers)).toBe(200);
  });

  test("that are refused later leave the accepted ones in place", async () => {
    await define(bed, { names: { shortNames: ["cr"] } });
    const url = await define(bed, { names: { plural: "timers", kind: "Timer", shortNames: ["tm"] } });
    await bed.patch(url, { spec: { names: { shortNames: ["cr"], categories: ["all"] } } });
    await bed.clock.settle();
    expect(await conditionsOf(bed, url)).toEqual({
      NamesAccepted: "False ShortNamesConflict",
      Established: "True InitialNamesAccepted",
    });
    const { resources } = (await bed.get("/apis/example.com/v1")).body;
    const timers = resources.find(({ name }: Json) => name === "timers");
    expect(timers).toMatchObject({ shortNames: ["tm"], categories: ["all"] });
  });

  test("of built-in resources cannot be taken", async () => {
    const group = "networking.k8s.io";
    const approval = "https://github.com/kubernetes/kubernetes/pull/1";
    await define(
      bed,
      { group, names: { plural: "ingresses", kind: "Ingress" } },
      { annotations: { "api-approved.kubernetes.io": approval } },
    );
    const { body } = await bed.post(`/apis/${group}/v1/namespaces/default/ingresses`, {
      metadata: { name: "i" },
    });
    expect(body.message).toMatch(/either `defaultBackend` or `rules` must be specified/);
  });
});
