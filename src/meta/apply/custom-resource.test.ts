import { describe, expect, test } from "vitest";
import { decode } from "../decode.ts";
import { defineKind, type KubeObject } from "../kind.ts";
import { int32, keyed, messages, optional, required, string } from "../schema.ts";
import { fieldsOf } from "../../util/is-object.ts";
import { ObjectMeta } from "../v1.ts";
import { applyConfiguration } from "./apply-configuration.ts";
import { things } from "./thing.suite.ts";
import { updateManagedFields } from "./update-managed-fields.ts";

/** A custom resource whose schema preserves unknown fields, as `apiserver/crd` translates it. */
const message = messages("io.test.v1");
const Port = message("BoatPort", "An item.", {
  port: required(1, int32, "A key."),
  name: optional(2, string, "A value."),
});
const Boat = {
  ...message("Boat", "A kind.", {
    metadata: optional(0, ObjectMeta, "Metadata."),
    ports: optional(0, keyed(Port, "port"), "A declared list."),
  }),
  open: true,
  foreign: { decode: (value: unknown) => ({ ...fieldsOf(value) }), openApi: undefined },
};
const info = { group: "test.io", version: "v1", kind: "Boat", plural: "boats", namespaced: true };
const boats = defineKind(Boat, { ...info, status: true });
const simpleBoats = defineKind({ ...Boat }, info);

const boat = (fields: object, metadata: object = {}) => ({
  apiVersion: "test.io/v1",
  kind: "Boat",
  metadata: { name: "x", ...metadata },
  ...fields,
});

function apply(
  kind: typeof boats,
  live: KubeObject | undefined,
  config: object,
  now = 0,
  subresource = "",
): KubeObject {
  return applyConfiguration(kind, live, config, {
    manager: "m",
    force: false,
    subresource,
    now,
  }) as KubeObject;
}

const ownersOf = ({ metadata }: KubeObject) => metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1);
const timesOf = ({ metadata }: KubeObject) => metadata.managedFields?.map(({ time }) => time);

describe("undeclared fields", () => {
  test("are owned, part by part; apiVersion and kind never are", () => {
    const config = boat({ hull: { length: 3, masts: ["a"] }, ports: [{ port: 1 }], status: { sunk: true } });
    const hull = { ".": {}, "f:length": {}, "f:masts": {} };
    const ports = { 'k:{"port":1}': { ".": {}, "f:port": {} } };
    expect(ownersOf(apply(boats, undefined, config))).toEqual([{ "f:hull": hull, "f:ports": ports }]);
    // Without a subresource, the status is a field like others.
    expect(ownersOf(apply(simpleBoats, undefined, config))).toEqual([
      { "f:hull": hull, "f:ports": ports, "f:status": { ".": {}, "f:sunk": {} } },
    ]);
  });

  test("belong to the updater who writes them", () => {
    const writer = { manager: "m", subresource: "", now: 0 };
    const made = updateManagedFields(boats, undefined, boat({ hull: { length: 3 } }), writer);
    expect(made?.map(({ fieldsV1 }) => fieldsV1)).toEqual([{ "f:hull": { ".": {}, "f:length": {} } }]);
  });

  test("are removed when they are no longer applied", () => {
    const live = apply(boats, undefined, boat({ hull: { length: 3, color: "red" }, crew: 2 }));
    expect(apply(boats, live, boat({ hull: { length: 4 } }))).toMatchObject({ hull: { length: 4 } });
    expect(apply(boats, live, boat({ hull: { length: 4 } }))).not.toHaveProperty("crew");
    expect(apply(boats, live, boat({ hull: { length: 4 } }))["hull" as keyof KubeObject]).toEqual({
      length: 4,
    });
  });

  test("a status is written at its own endpoint only", () => {
    const live = apply(boats, undefined, boat({ hull: { length: 3 } }));
    const next = apply(boats, live, boat({ status: { sunk: true }, hull: { length: 9 } }), 0, "status");
    expect(next).toMatchObject({ hull: { length: 3 } });
  });
});

describe.each([
  ["an open kind", boats, (value: number) => ({ hull: { length: value } })],
  ["a closed kind", things, (value: number) => ({ spec: { replicas: value } })],
])("the time of an owner of %s", (_, kind, fields) => {
  const second = (now: number) => `1970-01-01T00:00:0${now}Z`;
  const write = (live: KubeObject | undefined, value: number, label: string, now: number) => {
    const config = { ...boat(fields(value), { labels: { a: label } }), kind: kind.kind };
    const applied = apply(kind, live, config, now * 1000);
    return { apiVersion: kind.apiVersion, kind: kind.kind, ...decode(kind.schema, applied) } as KubeObject;
  };

  test("is that of the last application that changed something", () => {
    const first = write(undefined, 1, "x", 1);
    const same = write(first, 1, "x", 2);
    const changed = write(same, 2, "x", 3);
    const labelled = write(changed, 2, "y", 4);
    expect([first, same, changed, labelled, write(labelled, 2, "y", 5)].map(timesOf)).toEqual(
      [1, 1, 3, 4, 4].map((now) => [second(now)]),
    );
  });
});
