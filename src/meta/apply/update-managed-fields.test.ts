import { describe, expect, it } from "vitest";
import type { KubeObject } from "../kind.ts";
import { stored, thing, things } from "./thing.suite.ts";
import { updateManagedFields } from "./update-managed-fields.ts";

const start = 1e12;

function write(
  old: KubeObject | undefined,
  fields: Parameters<typeof thing>[0],
  { manager = "m", subresource = "", now = start } = {},
): KubeObject {
  const next = stored(thing(fields));
  const managedFields = updateManagedFields(things, old, next, { manager, subresource, now });
  return {
    ...next,
    metadata: { ...next.metadata, ...(managedFields === undefined ? {} : { managedFields }) },
  };
}

const entriesOf = ({ metadata }: KubeObject) => metadata.managedFields ?? [];
const ownersOf = (object: KubeObject) =>
  Object.fromEntries(entriesOf(object).map(({ manager, fieldsV1 }) => [manager, fieldsV1]));

describe("managed fields of updates", () => {
  it("belong to the creator, except for fields without owners", () => {
    const object = write(undefined, {
      metadata: { namespace: "d", uid: "u", resourceVersion: "1", labels: { a: "1" }, finalizers: ["f"] },
      spec: { ports: [{ port: 1 }], selector: { a: "1" } },
      status: { ready: 1 },
    });
    expect(entriesOf(object)).toEqual([
      {
        manager: "m",
        operation: "Update",
        apiVersion: "test.io/v1",
        time: "2001-09-09T01:46:40Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": {
            "f:labels": { ".": {}, "f:a": {} },
            "f:finalizers": { ".": {}, 'v:"f"': {} },
          },
          "f:spec": {
            "f:ports": {
              ".": {},
              'k:{"port":1,"protocol":"TCP"}': { ".": {}, "f:port": {}, "f:protocol": {} },
            },
            "f:selector": {},
          },
        },
      },
    ]);
  });

  it("move to the manager that changes them; managers without fields are removed", () => {
    const old = write(undefined, { spec: { replicas: 1 } });
    const next = write(old, { spec: { replicas: 2 } }, { manager: "n", now: start + 1000 });
    expect(ownersOf(next)).toEqual({ n: { "f:spec": { "f:replicas": {} } } });
  });

  it("are removed with the field", () => {
    const old = write(undefined, { spec: { replicas: 1, tags: ["a", "b"] } });
    const next = write(old, { spec: { tags: ["b"] } }, { manager: "n" });
    expect(ownersOf(next)).toEqual({ m: { "f:spec": { "f:tags": { ".": {}, 'v:"b"': {} } } } });
  });

  it("remain the same values if nothing changes", () => {
    const old = write(undefined, { spec: { replicas: 1, ports: [{ port: 1 }] } });
    const next = write(
      old,
      { spec: { replicas: 1, ports: [{ port: 1 }] } },
      { manager: "n", now: start + 1000 },
    );
    expect(next.metadata.managedFields).toBe(old.metadata.managedFields);
  });

  it("keep the times of managers that lost nothing", () => {
    const old = write(undefined, { spec: { replicas: 1, tags: ["a"] } });
    const next = write(old, { spec: { replicas: 2, tags: ["a"] } }, { manager: "n", now: start + 1000 });
    expect(entriesOf(next).map(({ time }) => time)).toEqual(["2001-09-09T01:46:40Z", "2001-09-09T01:46:41Z"]);
  });

  it("of a subresource have an entry of their own", () => {
    const old = write(undefined, { spec: { replicas: 1 } });
    const next = write(old, { spec: { replicas: 1 }, status: { ready: 1 } }, { subresource: "status" });
    expect(entriesOf(next)).toMatchObject([
      { manager: "m", fieldsV1: { "f:spec": {} } },
      { manager: "m", subresource: "status", fieldsV1: { "f:status": { "f:ready": {} } } },
    ]);
  });

  it("treat items with the same keys as one value", () => {
    const old = write(undefined, { spec: { ports: [{ port: 1, name: "a" }] } });
    const next = write(
      old,
      {
        spec: {
          ports: [
            { port: 1, name: "a" },
            { port: 1, name: "b" },
          ],
        },
      },
      { manager: "n" },
    );
    expect(ownersOf(next)["n"]).toEqual({
      "f:spec": { "f:ports": { 'k:{"port":1,"protocol":"TCP"}': {} } },
    });
  });

  it("treat items with the same keys as one value also when only one of them changes", () => {
    const old = write(undefined, {
      spec: {
        ports: [
          { port: 1, name: "a" },
          { port: 1, name: "b" },
        ],
      },
    });
    const next = write(
      old,
      {
        spec: {
          ports: [
            { port: 1, name: "a" },
            { port: 1, name: "c" },
          ],
        },
      },
      { manager: "n" },
    );
    expect(ownersOf(next)["n"]).toEqual({
      "f:spec": { "f:ports": { 'k:{"port":1,"protocol":"TCP"}': {} } },
    });
  });

  it.each([[[{}]], [[]]])("are cleared by %j, and not tracked any more", (managedFields) => {
    const old = write(undefined, { spec: { replicas: 1 } });
    const sent = { ...old, metadata: { ...old.metadata, managedFields } };
    const writer = { manager: "m", subresource: "", now: start };
    expect(updateManagedFields(things, old, sent, writer)).toBeUndefined();
    const cleared = stored(thing({ spec: { replicas: 1 } }));
    expect(updateManagedFields(things, cleared, sent, writer)).toBeUndefined();
  });

  it("can be replaced by the client, with elements in any notation", () => {
    const old = write(undefined, { spec: { ports: [{ port: 1 }] } });
    const fieldsV1 = { "f:spec": { "f:ports": { 'k:{ "protocol": "TCP", "port": 1 }': {}, "x:y": {} } } };
    const managedFields = [{ ...entriesOf(old)[0], manager: "other", fieldsV1 }];
    const next = write(old, { metadata: { managedFields }, spec: { ports: [{ port: 1 }] } });
    expect(ownersOf(next)).toEqual({
      other: { "f:spec": { "f:ports": { 'k:{"port":1,"protocol":"TCP"}': {} } } },
    });
  });

  it.each([
    [{ operation: "Jump" }],
    [{ apiVersion: "" }],
    [{ fieldsType: "FieldsV2" }],
    [{ fieldsV1: { nonsense: {} } }],
    [{ fieldsV1: { "f:spec": "x" } }],
    [{ fieldsV1: { "k:{": {} } }],
  ])("keep the stored entries if the client sends %j", (fields) => {
    const old = write(undefined, { spec: { replicas: 1 } });
    const managedFields = [{ ...entriesOf(old)[0], ...fields }];
    const next = write(old, { metadata: { managedFields }, spec: { replicas: 1 } });
    expect(entriesOf(next)).toEqual(entriesOf(old));
  });

  it("of more than ten updaters are merged, the oldest first", () => {
    const letters = "abcdefghijkl".split("");
    let object = write(undefined, {});
    letters.forEach((letter, index) => {
      const data = Object.fromEntries(letters.slice(0, index + 1).map((key) => [key, "1"]));
      object = write(
        object.metadata.managedFields === undefined ? undefined : object,
        { spec: { data } },
        {
          manager: letter,
          now: start + index * 1000,
        },
      );
    });
    expect(entriesOf(object).map(({ manager }) => manager)).toEqual([
      "ancient-changes",
      ..."defghijkl".split(""),
    ]);
    expect(ownersOf(object)["ancient-changes"]).toEqual({
      "f:spec": { "f:data": { ".": {}, "f:a": {}, "f:b": {}, "f:c": {} } },
    });
  });

  it("are shared by objects that the same writer wrote in the same way, unless there are many", () => {
    const setOf = (labels: Record<string, string>, by = "m") =>
      entriesOf(write(undefined, { metadata: { namespace: "d", labels } }, { manager: by }))[0]?.fieldsV1;
    const first = setOf({ a: "1", b: "2" });
    expect(setOf({ b: "3", a: "4" })).toBe(first);
    expect(setOf({ a: "1", b: "2" }, "other")).not.toBe(first);
    expect(setOf({ a: "1" })).toEqual({ "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } });
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`l${i}`, ""]));
    expect(setOf(many)).not.toBe(setOf(many));
  });
});
