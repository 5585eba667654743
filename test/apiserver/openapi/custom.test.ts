import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Json, startBed } from "../../../src/apiserver/server.suite.ts";
import { definitionFacts, differences, type Facts } from "./facts.ts";

/** Custom resources of many kinds, and their definitions as upstream's server publishes them. */
const fixture = JSON.parse(
  readFileSync(new URL("../../fixtures/openapi/custom.json", import.meta.url), "utf8"),
) as { definitions: Json[]; v2: Json; v3: Json };

function factsOf(definitions: Readonly<Record<string, Json>>): Map<string, Facts> {
  const custom = Object.entries(definitions).filter(([name]) => name.startsWith("com.example."));
  return new Map(custom.map(([name, schema]) => [name, definitionFacts(schema)]));
}

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

test("custom resources are described as upstream does, for as long as they are served", async () => {
  const bed = await startBed();
  const document = async (path: string): Promise<Json> => {
    const { status, body } = await bed.get(`/openapi/${path}`);
    return status === 200 ? JSON.parse(body) : { components: {} };
  };
  const publish = async () => ({
    v2: factsOf((await document("v2")).definitions),
    v3: factsOf((await document("v3/apis/example.com/v1")).components.schemas ?? {}),
  });
  const none = { v2: new Map(), v3: new Map() };
  expect(await publish()).toEqual(none);
  for (const definition of fixture.definitions) await bed.make(crds, definition);
  await bed.clock.settle();
  const { v2, v3 } = await publish();
  expect(differences(v2, factsOf(fixture.v2))).toEqual([
    // Objects that may have any fields are not compared inside.
    'com.example.v1.Widget .spec.raw required: "apiVersion kind", none',
  ]);
  const lists = ["com.example.v1.BlobList", "com.example.v1.WidgetList"];
  const both = lists.flatMap((name) => [`${name} .metadata`, `${name} .items[]`]);
  // The same as for lists of other kinds.
  expect(differences(v3, factsOf(fixture.v3)).sort()).toEqual(
    both.map((place) => `${place} default: {}, none`).sort(),
  );
  for (const { metadata } of fixture.definitions) await bed.delete(`${crds}/${metadata.name}`);
  await bed.clock.settle();
  expect(await publish()).toEqual(none);
});
