import { beforeEach, describe, expect, test } from "vitest";
import { configMaps } from "../../src/api/core/config-map/schema.ts";
import { namespaces } from "../../src/api/core/namespace/schema.ts";
import { about, type AdmissionPlugin } from "../../src/apiserver/admission/plugin.ts";
import { type Bed, inDefault, type Json, startBed } from "../../src/apiserver/server.suite.ts";
import { errors } from "../../src/meta/status.ts";

/*
 * All of a new admission plugin, as docs/checklists/add-an-admission-plugin.md has it: one object, and one entry of the
 * list of plugins. ConfigMaps get their namespace's team and a number that is unique in the cluster; one without a team
 * is refused.
 */
const team = "example.com/team";
const number = "example.com/number";

function numberedConfigMaps(): AdmissionPlugin {
  /** The numbers that writes under way hold, by the UID of their object. */
  const held = new Map<string, number>();
  return {
    name: "NumberedConfigMaps",
    mutate(attributes, { reader }) {
      const { object } = about(configMaps, attributes) ?? {};
      const given = reader.get(namespaces, "", attributes.namespace)?.metadata.labels?.[team];
      if (object === undefined || given === undefined) return;
      object.metadata.labels = { [team]: given, ...object.metadata.labels };
    },
    allocate(attributes, { reader }) {
      const { operation, object } = about(configMaps, attributes) ?? {};
      if (object === undefined || operation !== "CREATE") return;
      const stored = reader.list(configMaps).map(({ metadata }) => Number(metadata.annotations?.[number]));
      const taken = new Set([...stored, ...held.values()]);
      let free = 1;
      while (taken.has(free)) free++;
      object.metadata.annotations = { ...object.metadata.annotations, [number]: String(free) };
      if (!attributes.dryRun) held.set(object.metadata.uid ?? "", free);
    },
    release: ({ object }) => void held.delete(object?.metadata.uid ?? ""),
    validate(attributes) {
      const { object, resource, name } = about(configMaps, attributes) ?? {};
      if (object === undefined || resource === undefined || name === undefined) return;
      if (object.metadata.labels?.[team] !== undefined) return;
      throw errors.forbidden(resource.name, name, `it must have the label ${team}`);
    },
  };
}

/** A plugin that runs later than the one above: it removes the label of ConfigMaps that have the data `anonymous`. */
const anonymous: AdmissionPlugin = {
  name: "Anonymous",
  mutate(attributes) {
    const { object } = about(configMaps, attributes) ?? {};
    if (object?.data?.["anonymous"] !== undefined) delete object.metadata.labels;
  },
};

const url = inDefault("configmaps");
const aMap = (name: string, more: object = {}) => ({ metadata: { name }, ...more });

let bed: Bed;
beforeEach(async () => {
  bed = await startBed({ admission: [numberedConfigMaps(), anonymous] });
});

const join = (name: string | null) =>
  bed.patch("/api/v1/namespaces/default", { metadata: { labels: { [team]: name } } });

describe("a new admission plugin", () => {
  test("changes what is created and updated, and nobody owns what it adds", async () => {
    await join("harbor");
    const made = await bed.make(`${url}?fieldManager=me`, aMap("a", { data: { key: "1" } }));
    expect(made.metadata).toMatchObject({ labels: { [team]: "harbor" }, annotations: { [number]: "1" } });
    expect(made.metadata.managedFields).toMatchObject([
      { manager: "me", fieldsV1: { "f:data": { ".": {}, "f:key": {} } } },
    ]);
    expect(made.metadata.managedFields[0].fieldsV1).not.toHaveProperty("f:metadata");
    const { body } = await bed.patch(`${url}/a`, { metadata: { labels: null } });
    expect(body.metadata.labels).toEqual({ [team]: "harbor" });
  });

  test("refuses what does not hold, with nothing stored", async () => {
    const before = bed.revision;
    const { status, body } = await bed.post(url, aMap("a"));
    expect(status).toBe(403);
    expect(body.message).toBe(`configmaps "a" is forbidden: it must have the label ${team}`);
    expect(bed.revision).toBe(before);
  });

  test("validates what all plugins have made of the object, also those that run later", async () => {
    await join("harbor");
    const { body } = await bed.post(url, aMap("a", { data: { anonymous: "1" } }));
    expect(body.message).toBe(`configmaps "a" is forbidden: it must have the label ${team}`);
  });

  test("holds what it gives out until the write has ended, and no longer", async () => {
    await join("harbor");
    const numberOf = ({ metadata }: Json) => Number(metadata.annotations[number]);
    const names = ["a", "b", "c", "d"];
    const made = await Promise.all(names.map((name) => bed.make(url, aMap(name))));
    expect(new Set(made.map(numberOf))).toEqual(new Set([1, 2, 3, 4]));
    expect((await bed.post(url, aMap("e", { data: { anonymous: "1" } }))).status).toBe(403);
    expect(numberOf(await bed.make(`${url}?dryRun=All`, aMap("f")))).toBe(5);
    expect(numberOf(await bed.make(url, aMap("g")))).toBe(5);
  });

  test("sees only the kind that it is about", async () => {
    const secret = await bed.make(inDefault("secrets"), aMap("a"));
    expect(secret.metadata).not.toHaveProperty("annotations");
  });
});
