import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../kind.ts";
import { applyConfiguration, ApplyConflictsError } from "./apply-configuration.ts";
import { ownedFields } from "./owned-fields.ts";
import { shapeOf } from "./shape.ts";
import { specs, stored, thing, things } from "./thing.suite.ts";
import { updateManagedFields } from "./update-managed-fields.ts";

const start = 1e12;

function apply(
  live: KubeObject | undefined,
  config: object,
  { manager = "m", force = false, subresource = "", now = start } = {},
): KubeObject {
  return stored(applyConfiguration(things, live, config, { manager, force, subresource, now }));
}

function update(live: KubeObject, fields: object, manager: string, now = start): KubeObject {
  const next = stored({ ...live, ...fields });
  const managedFields = updateManagedFields(things, live, next, { manager, subresource: "", now });
  return stored({ ...next, metadata: { ...next.metadata, managedFields } });
}

const specOf = (object: object) => (object as { spec?: unknown }).spec;
const ownersOf = ({ metadata }: KubeObject) =>
  Object.fromEntries((metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1]));

function conflictOf(act: () => unknown): ApplyConflictsError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApplyConflictsError) return error;
    throw error;
  }
  throw new TypeError("there was no conflict");
}

describe("server-side apply", () => {
  it("owns the applied fields and nothing else", () => {
    const config = thing({
      metadata: { labels: { a: "1" }, uid: "u" },
      spec: {
        ports: [{ port: 80 }],
        tags: ["t"],
        args: ["x"],
        selector: { a: "1" },
        free: { deep: { x: [1] } },
      },
      status: { ready: 1 },
    });
    expect(ownersOf(apply(undefined, config))).toEqual({
      m: {
        "f:metadata": { "f:labels": { "f:a": {} } },
        "f:spec": {
          "f:args": {},
          "f:free": { "f:deep": { ".": {}, "f:x": {} } },
          "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } },
          "f:selector": {},
          "f:tags": { 'v:"t"': {} },
        },
      },
    });
  });

  it("removes fields and list items that its manager no longer applies", () => {
    const live = apply(
      undefined,
      thing({ spec: { ports: [{ port: 1 }, { port: 2 }], data: { a: "1", b: "1" } } }),
    );
    const next = apply(live, thing({ spec: { ports: [{ port: 2 }], data: { b: "1" } } }));
    expect(specOf(next)).toEqual({ ports: [{ port: 2, protocol: "TCP" }], data: { b: "1" } });
  });

  it("keeps fields that other managers own, even if the applier no longer applies them", () => {
    const config = thing({ spec: { replicas: 1, tags: ["a"] } });
    const both = apply(apply(undefined, config), config, { manager: "n" });
    const next = apply(both, thing({ spec: { tags: ["b"] } }));
    expect(specOf(next)).toEqual({ replicas: 1, tags: ["a", "b"] });
  });

  it("identifies items of a keyed list by a key's default if the key is absent", () => {
    const live = apply(undefined, thing({ spec: { ports: [{ port: 1, name: "a" }] } }));
    const next = apply(live, thing({ spec: { ports: [{ port: 1, protocol: "TCP", name: "b" }] } }));
    expect(specOf(next)).toEqual({ ports: [{ port: 1, protocol: "TCP", name: "b" }] });
  });

  it("reports the one field that another manager owns", () => {
    const live = apply(undefined, thing({ spec: { replicas: 1 } }));
    const error = conflictOf(() => apply(live, thing({ spec: { replicas: 2 } }), { manager: "n" }));
    expect(error.message).toBe('Apply failed with 1 conflict: conflict with "m": .spec.replicas');
    expect(error.causes).toEqual([
      { reason: "FieldManagerConflict", message: 'conflict with "m"', field: ".spec.replicas" },
    ]);
  });

  it("lists conflicts by manager, with the version of those that update", () => {
    const live = apply(undefined, thing({ spec: { ports: [{ port: 80, name: "a" }] } }));
    const updated = update(live, { spec: { ...(specOf(live) as object), replicas: 1, tags: ["t"] } }, "u");
    const config = thing({ spec: { replicas: 2, ports: [{ port: 80, name: "b" }], args: [] } });
    const error = conflictOf(() => apply(updated, config, { manager: "n" }));
    expect(error.message).toBe(
      [
        'Apply failed with 2 conflicts: conflicts with "m":',
        '- .spec.ports[port=80,protocol="TCP"].name',
        'conflicts with "u" using test.io/v1:',
        "- .spec.replicas",
      ].join("\n"),
    );
  });

  it("removes forced fields from their other owners", () => {
    const live = apply(undefined, thing({ spec: { replicas: 1, tags: ["a"] } }));
    const next = apply(live, thing({ spec: { replicas: 2 } }), { manager: "n", force: true });
    expect(specOf(next)).toMatchObject({ replicas: 2 });
    expect(ownersOf(next)).toEqual({
      m: { "f:spec": { "f:tags": { 'v:"a"': {} } } },
      n: { "f:spec": { "f:replicas": {} } },
    });
  });

  it("keeps the object, its owners and their times if nothing changes", () => {
    const config = thing({ spec: { replicas: 1, data: { a: "1" } } });
    const live = apply(undefined, config);
    expect(apply(live, config, { now: start + 60_000 })).toEqual(live);
  });

  it("assigns the fields of an object without managers to before-first-apply", () => {
    const live = stored(thing({ spec: { replicas: 1 } }));
    const error = conflictOf(() => apply(live, thing({ spec: { replicas: 2 } })));
    expect(error.message).toContain('conflict with "before-first-apply" using test.io/v1: .spec.replicas');
    expect(Object.keys(ownersOf(apply(live, thing({ spec: { tags: ["a"] } }))))).toEqual([
      "m",
      "before-first-apply",
    ]);
  });

  it("owns only the status through the status subresource", () => {
    const live = apply(undefined, thing({ spec: { replicas: 1 } }));
    const config = thing({ spec: { replicas: 9 }, status: { ready: 1 } });
    const next = apply(live, config, { manager: "ctl", subresource: "status" });
    expect(next).toMatchObject({ spec: { replicas: 1 }, status: { ready: 1 } });
    expect(next.metadata.managedFields?.[0]).toMatchObject({
      manager: "ctl",
      subresource: "status",
      fieldsV1: { "f:status": { "f:ready": {} } },
    });
    const error = conflictOf(() => apply(next, thing({ status: { ready: 2 } }), { subresource: "status" }));
    expect(error.message).toContain('conflict with "ctl" with subresource "status": .status.ready');
  });

  it.each([
    [{ spec: { bogus: 1 } }, ".spec.bogus: field not declared in schema"],
    [{ spec: { tags: ["a", "a"] } }, '.spec.tags: duplicate entries for key [="a"]'],
    [
      { spec: { ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] } },
      '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
  ])("refuses %j", (fields, why) => {
    expect(() => apply(undefined, thing(fields))).toThrow(
      `failed to create typed patch object (/x; test.io/v1, Kind=Thing): ${why}`,
    );
  });
});

describe("server-side apply by kubectl after client-side apply", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const config = thing({ spec: { replicas: 1, tags: ["a"] } });
  const live = () => {
    const object = thing({
      ...config,
      metadata: { annotations: { [annotation]: JSON.stringify(config) } },
    });
    return update(stored(thing({ metadata: { managedFields: [] } })), object, "x");
  };
  const clientSide = () => {
    const object = live();
    const writer = { manager: "kubectl-client-side-apply", subresource: "", now: start };
    const managedFields = updateManagedFields(things, undefined, object, writer);
    return stored({ ...object, metadata: { ...object.metadata, managedFields } });
  };

  it("takes over unchanged fields of client-side apply, and updates the annotation", () => {
    const next = apply(clientSide(), thing({ spec: { replicas: 2 } }), { manager: "kubectl" });
    expect(specOf(next)).toMatchObject({ replicas: 2 });
    expect(JSON.parse(next.metadata.annotations?.[annotation] ?? "")).toEqual(
      thing({ spec: { replicas: 2 } }),
    );
  });

  it("still reports conflicts about fields that were changed since, and for every other manager", () => {
    const scaled = update(clientSide(), { spec: { replicas: 5, tags: ["a"] } }, "hpa");
    const change = thing({ spec: { replicas: 2 } });
    expect(conflictOf(() => apply(scaled, change, { manager: "kubectl" })).message).toContain('"hpa"');
    expect(conflictOf(() => apply(clientSide(), change, { manager: "m" })).causes).toHaveLength(1);
  });
});

describe("server-side apply of arbitrary configurations", () => {
  const some = specs(["a", "b"]);

  it("is idempotent", () => {
    fc.assert(
      fc.property(some, some, (first, second) => {
        const live = apply(apply(undefined, thing({ spec: first })), thing({ spec: second }), {
          manager: "n",
          force: true,
        });
        const once = apply(live, thing({ spec: first }), { force: true, now: start + 10_000 });
        expect(apply(once, thing({ spec: first }), { now: start + 20_000 })).toEqual(once);
      }),
    );
  });

  it("commutes for managers that share no field", () => {
    const asSets = (object: object) =>
      JSON.parse(JSON.stringify(object), (_, value: unknown) =>
        Array.isArray(value) ? value.map((item) => JSON.stringify(item)).sort() : value,
      ) as unknown;
    fc.assert(
      fc.property(some, specs(["x", "y"]), (first, second) => {
        const mine = thing({ spec: first });
        const other = thing({ spec: second });
        const oneWay = apply(apply(undefined, mine), other, { manager: "n" });
        const otherWay = apply(apply(undefined, other, { manager: "n" }), mine);
        expect(asSets(specOf(oneWay) ?? {})).toEqual(asSets(specOf(otherWay) ?? {}));
        expect(ownersOf(oneWay)).toEqual(ownersOf(otherWay));
      }),
    );
  });

  it("results in the applied object if there is one manager", () => {
    fc.assert(
      fc.property(some, some, (first, second) => {
        const live = apply(apply(undefined, thing({ spec: first })), thing({ spec: second }));
        expect(specOf(live)).toEqual(specOf(stored(thing({ spec: second }))));
        expect(ownersOf(live)["m"] ?? {}).toEqual(ownedFields(shapeOf(things.schema), { spec: second }));
      }),
    );
  });
});
