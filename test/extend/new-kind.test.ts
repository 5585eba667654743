import { beforeEach, describe, expect, test } from "vitest";
import { column, integer } from "../../src/api/printing.ts";
import { type Bed, type Json, requestOf, startBed } from "../../src/apiserver/server.suite.ts";
import { invalid, root } from "../../src/meta/field-error.ts";
import { defineKind, type ObjectOf } from "../../src/meta/kind.ts";
import { decodeEnvelope, encodeEnvelope } from "../../src/meta/protobuf/envelope.ts";
import { int32, keyed, list, messages, optional, pointer, required, string } from "../../src/meta/schema.ts";
import { type Registration, serve, type Strategy } from "../../src/meta/strategy.ts";
import { ObjectMeta } from "../../src/meta/v1.ts";

/*
 * All of a new kind, step by step as docs/checklists/add-a-kind.md has it: a schema, an entry of what a schema cannot
 * say, and a line in the list of what is served.
 */
const message = messages("com.example.fleet.v1");

const Load = message("Load", "What a ship carries in one place.", {
  hold: required(1, string, "Where it is."),
  tons: optional(2, int32, "How much it is."),
});

const Ship = message("Ship", "A ship of the fleet.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(
    2,
    message("ShipSpec", "What a ship is to be.", {
      oars: pointer(1, int32, "How many rowers it has.", { default: 12 }),
      loads: optional(2, keyed(Load, "hold"), "What it carries.", { merge: "hold" }),
    }),
    "What the ship is to be.",
  ),
  status: optional(
    3,
    message("ShipStatus", "What a ship is.", { seenAt: optional(1, list(string), "Ports that saw it.") }),
    "What the ship is.",
  ),
});

const ships = defineKind(Ship, {
  group: "fleet.example.com",
  version: "v1",
  kind: "Ship",
  plural: "ships",
  namespaced: true,
  shortNames: ["sh"],
  status: true,
});

const strategy: Strategy<ObjectOf<typeof ships>> = {
  *validate({ spec: { oars = 0 } }) {
    if (oars % 2 !== 0) yield invalid(root.child("spec", "oars"), oars, "must be even");
  },
  generation: true,
  selectableFields: { "spec.oars": ({ spec }) => String(spec.oars) },
  columns: [
    integer("Oars", "How many rowers it has.", ({ spec }) => spec.oars ?? 0),
    column("Loads", "What it carries.", ({ spec }) => (spec.loads ?? []).map(({ hold }) => hold).join()),
  ],
};

const more: readonly Registration[] = [serve(ships, strategy)];

const url = "/apis/fleet.example.com/v1/namespaces/default/ships";
const as = (type: string) => ({ headers: { "content-type": `application/${type}` } });

let bed: Bed;
beforeEach(async () => {
  bed = await startBed({ more });
});

describe("a new kind", () => {
  test("is listed, described and explained", async () => {
    const { body: resources } = await bed.get("/apis/fleet.example.com/v1");
    expect(resources.resources.map(({ name }: Json) => name)).toEqual(["ships", "ships/status"]);
    expect(resources.resources[0].shortNames).toEqual(["sh"]);
    const { body: document } = await bed.get("/openapi/v3/apis/fleet.example.com/v1");
    const { schemas } = JSON.parse(document).components;
    expect(schemas["com.example.fleet.v1.ShipSpec"].properties.loads).toMatchObject({
      description: "What it carries.",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["hold"],
      "x-kubernetes-patch-merge-key": "hold",
    });
  });

  test("has defaults, generations, a status of its own, and its rules", async () => {
    const made = await bed.make(url, { metadata: { name: "a" }, spec: {}, status: { seenAt: ["x"] } });
    expect(made).toMatchObject({ metadata: { generation: 1 }, spec: { oars: 12 } });
    expect(made.status).toEqual({});
    await bed.patch(`${url}/a/status`, { status: { seenAt: ["Hedeby"] }, spec: { oars: 2 } });
    const { body: seen } = await bed.patch(`${url}/a`, { spec: { oars: 14 } });
    expect(seen).toMatchObject({ metadata: { generation: 2 }, status: { seenAt: ["Hedeby"] } });
    const { body: refused } = await bed.patch(`${url}/a`, { spec: { oars: 3 } });
    expect(refused).toMatchObject({
      code: 422,
      message: 'Ship.fleet.example.com "a" is invalid: spec.oars: Invalid value: 3: must be even',
    });
    const strict = await bed.post(`${url}?fieldValidation=Strict`, {
      metadata: { name: "b" },
      spec: { sails: 1 },
    });
    expect(strict.body.message).toContain('unknown field "spec.sails"');
  });

  test("is patched and applied by its keys, with owners", async () => {
    await bed.make(url, { metadata: { name: "a" }, spec: { loads: [{ hold: "fore", tons: 1 }] } });
    const merge = as("strategic-merge-patch+json");
    await bed.call("PATCH", `${url}/a`, { spec: { loads: [{ hold: "aft", tons: 2 }] } }, merge);
    const applied = {
      apiVersion: "fleet.example.com/v1",
      kind: "Ship",
      metadata: { name: "a" },
      spec: { loads: [{ hold: "aft", tons: 3 }] },
    };
    const apply = (query: string) =>
      bed.call("PATCH", `${url}/a?fieldManager=me${query}`, applied, as("apply-patch+yaml"));
    expect((await apply("")).body.message).toContain('.spec.loads[hold="aft"].tons');
    const { body } = await apply("&force=true");
    expect(body.spec.loads).toEqual([
      { hold: "aft", tons: 3 },
      { hold: "fore", tons: 1 },
    ]);
  });

  test("is selected, printed and sent in protobuf", async () => {
    const object = { metadata: { name: "a" }, spec: { oars: 20, loads: [{ hold: "fore" }] } };
    const bytes = encodeEnvelope(object, { ...ships, schema: Ship });
    const protobuf = "application/vnd.kubernetes.protobuf";
    const asked = requestOf("POST", url, "", { headers: { "content-type": protobuf, accept: protobuf } });
    const made = await bed.server.handle({
      ...asked,
      body: { type: "bytes", read: () => Promise.resolve(bytes) },
    });
    if (made.body.type !== "bytes") throw new Error(`the answer is a ${made.body.type}`);
    expect(decodeEnvelope(made.body.bytes, Ship)).toMatchObject({ kind: "Ship", spec: object.spec });
    await bed.make(url, { metadata: { name: "b" }, spec: { oars: 2 } });
    const { body: selected } = await bed.get(`${url}?fieldSelector=spec.oars%3D20`);
    expect(selected.items.map((one: Json) => one.metadata.name)).toEqual(["a"]);
    const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
    const { body: printed } = await bed.get(url, { headers: { accept: table } });
    expect(printed.rows.map(({ cells }: Json) => cells.slice(0, 3))).toEqual([
      ["a", 20, "fore"],
      ["b", 2, ""],
    ]);
  });
});
