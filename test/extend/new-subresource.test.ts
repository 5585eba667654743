import { beforeEach, describe, expect, test } from "vitest";
import { about, type AdmissionPlugin } from "../../src/apiserver/admission/plugin.ts";
import { decodeBody, readBody } from "../../src/apiserver/rest/body.ts";
import { dryRun, fieldManager } from "../../src/apiserver/rest/options.ts";
import { respondObject } from "../../src/apiserver/rest/respond.ts";
import { update } from "../../src/apiserver/registry/write.ts";
import { type Bed, type Json, startBed } from "../../src/apiserver/server.suite.ts";
import type { Handle, SubresourceEndpoint } from "../../src/apiserver/subresources/endpoints.ts";
import { invalid, root } from "../../src/meta/field-error.ts";
import { defineKind, type KubeObject, type ObjectOf } from "../../src/meta/kind.ts";
import { int32, messages, optional, required, string } from "../../src/meta/schema.ts";
import type { Draft } from "../../src/meta/schema.ts";
import { errors } from "../../src/meta/status.ts";
import { serve, type Strategy } from "../../src/meta/strategy.ts";
import { ObjectMeta } from "../../src/meta/v1.ts";

/*
 * All of two new subresources, as docs/checklists/add-a-subresource.md has it. The kind declares both. `mooring` writes a
 * part of the object: an entry of `parts`. `launch` does something of its own: an entry of the list of endpoints.
 */
const message = messages("com.example.fleet.v1");
const group = "fleet.example.com";

const Ship = message("Ship", "A ship of the fleet.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(
    2,
    message("ShipSpec", "The desired state of a ship.", {
      oars: optional(1, int32, "The number of rowers."),
    }),
    "The desired state.",
  ),
  mooring: optional(
    3,
    message("Mooring", "The place of a ship.", { berth: optional(1, string, "The berth.") }),
    "The place of the ship.",
  ),
  voyage: optional(
    4,
    message("Voyage", "The voyage of a ship.", { crew: optional(1, int32, "The number of sailors.") }),
    "The voyage that the ship is on.",
  ),
});

const Launch = message("Launch", "A request to launch a ship.", {
  metadata: optional(1, ObjectMeta, "The ship's name."),
  crew: required(2, int32, "The number of sailors."),
});

const launches = defineKind(Launch, {
  group,
  version: "v1",
  kind: "Launch",
  plural: "launches",
  namespaced: true,
  verbs: [],
});

const ships = defineKind(Ship, {
  group,
  version: "v1",
  kind: "Ship",
  plural: "ships",
  namespaced: true,
  subresources: {
    mooring: { kind: { group, version: "v1", kind: "Ship" }, verbs: ["get", "patch", "update"] },
    launch: { kind: launches, verbs: ["create"] },
  },
});
type Ship = ObjectOf<typeof ships>;

const strategy: Strategy<Ship> = {
  *validate({ spec: { oars = 0 } }) {
    if (oars < 0) yield invalid(root.child("spec", "oars"), oars, "must not be negative");
  },
  /** The plain endpoint writes neither part. */
  prepareForUpdate(draft, old, { subresource }) {
    if (subresource !== "") return;
    draft.mooring = { ...old.mooring };
    draft.voyage = { ...old.voyage };
  },
  parts: {
    mooring: {
      *validate({ mooring: { berth }, voyage }) {
        if (voyage.crew !== undefined && voyage.crew > 0 && berth !== undefined)
          yield invalid(root.child("mooring", "berth"), berth, "must be empty at sea");
      },
    },
  },
};

const launch: Handle = async (context, target) => {
  const { crew } = decodeBody(launches, await readBody(context, launches), context);
  const depart = (old: KubeObject) => {
    const ship = old as Ship;
    if ((ship.mooring.berth ?? "") === "")
      throw errors.conflict(target.resource.name, target.name, "it is at sea");
    const draft = structuredClone(ship) as Draft<Ship>;
    draft.mooring = {};
    draft.voyage = { crew };
    return draft;
  };
  const options = { dryRun: dryRun(context), fieldManager: fieldManager(context) };
  const written = await update(context, target, depart, options);
  return respondObject(context, target.resource, written, 201);
};

const subresources: readonly SubresourceEndpoint[] = [{ kind: ships, name: "launch", handle: launch }];

/** Proves that admission meets the endpoint: no ship is launched with too few sailors. */
const fullCrew: AdmissionPlugin = {
  name: "FullCrew",
  validate(attributes) {
    const { object, resource, name } = about(ships, attributes, "launch") ?? {};
    if (object === undefined || resource === undefined || name === undefined) return;
    const { crew = 0 } = object.voyage;
    if (crew < (object.spec.oars ?? 0)) throw errors.forbidden(resource.name, name, "a rower is missing");
  },
};

const url = `/apis/${group}/v1/namespaces/default/ships`;
const ship = `${url}/a`;
const rowing = { metadata: { name: "a" }, spec: { oars: 2 } };
const launchOf = (crew: number) => ({ crew });

let bed: Bed;
let made: Json;
beforeEach(async () => {
  bed = await startBed({ more: [serve(ships, strategy)], subresources, admission: [fullCrew] });
  made = await bed.make(url, { ...rowing, mooring: { berth: "north" } });
});

/** The fields that each endpoint owns, by the endpoint's name. */
const ownersOf = ({ metadata }: Json): Json =>
  Object.fromEntries(
    metadata.managedFields.map(({ subresource = "", fieldsV1 }: Json) => [
      subresource,
      Object.keys(fieldsV1),
    ]),
  );

describe("a new subresource", () => {
  test("is listed and described, with its verbs and the kind that it takes", async () => {
    const { body } = await bed.get(`/apis/${group}/v1`);
    const listed = body.resources.map(({ name, kind, verbs }: Json) => [name, kind, verbs.join()]);
    expect(listed.slice(1)).toEqual([
      ["ships/launch", "Launch", "create"],
      ["ships/mooring", "Ship", "get,patch,update"],
    ]);
    const { body: document } = await bed.get(`/openapi/v3/apis/${group}/v1`);
    const { paths } = JSON.parse(document);
    const path = `/apis/${group}/v1/namespaces/{namespace}/ships/{name}`;
    expect(Object.keys(paths[`${path}/launch`])).toEqual(["post", "parameters"]);
    expect(Object.keys(paths[`${path}/mooring`])).toEqual(["get", "patch", "put", "parameters"]);
  });

  test.each([
    ["launch", "GET"],
    ["launch", "PUT"],
    ["launch", "DELETE"],
    ["mooring", "POST"],
    ["mooring", "DELETE"],
  ])("%s does not answer %s", async (name, method) => {
    const { status, body } = await bed.call(method, `${ship}/${name}`, method === "GET" ? undefined : made);
    expect([status, body.reason]).toEqual([405, "MethodNotAllowed"]);
  });

  test("needs a permission of its own", async () => {
    const user = { name: "alice", groups: [] };
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const metadata = { name: "sailor" };
    const rules = [{ apiGroups: [group], resources: ["ships", "ships/mooring"], verbs: ["*"] }];
    await bed.make(`${rbac}/clusterroles`, { metadata, rules });
    await bed.make(`${rbac}/clusterrolebindings`, {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "sailor" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" }],
    });
    await bed.clock.settle();
    expect((await bed.get(`${ship}/mooring`, { user })).status).toBe(200);
    const { body } = await bed.post(`${ship}/launch`, launchOf(2), { user });
    expect(body.message).toContain('User "alice" cannot create resource "ships/launch"');
  });
});

describe("a subresource that writes a part of its object", () => {
  test("writes the part and nothing else, and owns it under its name", async () => {
    const sent = { mooring: { berth: "south" }, spec: { oars: 9 } };
    const { body } = await bed.patch(`${ship}/mooring?fieldManager=pilot`, sent);
    expect(body).toMatchObject({ spec: { oars: 2 }, mooring: { berth: "south" } });
    expect(ownersOf(body)).toEqual({ "": ["f:spec"], mooring: ["f:mooring"] });
    const { body: plain } = await bed.patch(ship, { mooring: { berth: "west" } });
    expect(plain.mooring).toEqual({ berth: "south" });
  });

  test("is refused by the rules of the part, and by those of the kind", async () => {
    await bed.make(`${ship}/launch`, launchOf(2));
    const { body } = await bed.patch(`${ship}/mooring`, { mooring: { berth: "south" } });
    expect(body).toMatchObject({
      code: 422,
      message: `Ship.${group} "a" is invalid: mooring.berth: Invalid value: "south": must be empty at sea`,
    });
  });

  test("refuses a write that was made for another revision", async () => {
    const sent = { ...made, mooring: { berth: "south" } };
    await bed.patch(ship, { spec: { oars: 1 } });
    expect((await bed.put(`${ship}/mooring`, sent)).body).toMatchObject({ code: 409, reason: "Conflict" });
  });
});

describe("a subresource that does something of its own", () => {
  test("does it, and owns what it wrote under its name", async () => {
    const { status, body } = await bed.post(`${ship}/launch?fieldManager=pilot`, launchOf(3));
    expect(status).toBe(201);
    expect(body).toMatchObject({ spec: { oars: 2 }, mooring: {}, voyage: { crew: 3 } });
    expect(ownersOf(body)).toEqual({ "": ["f:spec"], launch: ["f:voyage"] });
    expect((await bed.post(`${ship}/launch`, launchOf(3))).body).toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on ships.${group} "a": it is at sea`,
    });
  });

  test("meets admission, with nothing stored of what is refused or dry", async () => {
    const before = bed.revision;
    const { body } = await bed.post(`${ship}/launch`, launchOf(1));
    expect(body.message).toBe(`ships.${group} "a" is forbidden: a rower is missing`);
    expect((await bed.post(`${ship}/launch?dryRun=All`, launchOf(2))).body.voyage).toEqual({ crew: 2 });
    expect(bed.revision).toBe(before);
  });

  test("checks the fields of what it takes, and finds no object that is not there", async () => {
    const strict = await bed.post(`${ship}/launch?fieldValidation=Strict`, { crew: 2, sails: 1 });
    expect(strict.body.message).toContain('unknown field "sails"');
    const { body } = await bed.post(`${url}/b/launch`, launchOf(2));
    expect(body.message).toBe(`ships.${group} "b" not found`);
  });
});
