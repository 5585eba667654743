import { expect, test } from "vitest";
import { parseYamlDocument } from "../../meta/yaml.ts";
import { cron, crons, define } from "../crd/definitions.suite.ts";
import { type Json, startBed } from "../server.suite.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const map = (name: string): Json => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

const names = (items: readonly Json[]) =>
  items.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]);

test("items of built-in kinds have no type in lists, as upstream, and custom resources have one", async () => {
  const bed = await startBed();
  await define(bed);
  for (const name of ["a", "b"]) await bed.make(configMaps, map(name));
  await bed.make(crons(), cron("c"));
  const { body } = await bed.get(configMaps);
  expect(body).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
  expect(names(body.items)).toEqual([
    [undefined, undefined, "a"],
    [undefined, undefined, "b"],
  ]);
  expect((await bed.get(`${configMaps}/a`)).body).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    ...body.items[0],
  });
  const yaml = await bed.get(configMaps, { headers: { accept: "application/yaml" } });
  expect(parseYamlDocument(yaml.body)).toEqual(body);
  expect(names((await bed.get(crons())).body.items)).toEqual([["example.com/v1", "Cron", "c"]]);
});
