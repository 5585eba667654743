import { describe, expect, test } from "vitest";
import { atOnce } from "../../util/steps.ts";
import type { ManagedFieldsEntry } from "../v1.ts";
import type { FieldSet } from "./field-set.ts";
import { capUpdaters, identityOf, newEntry, sortEntries, startingEntries, takeFrom } from "./managers.ts";
import { things } from "./thing.suite.ts";

const fields: FieldSet = { "f:spec": { "f:replicas": {} } };
const entry = (more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: "m",
  operation: "Update",
  apiVersion: "test.io/v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: fields,
  ...more,
});

const timeless = ({ time: _, ...rest }: ManagedFieldsEntry): ManagedFieldsEntry => rest;

describe("the identity of a manager", () => {
  const identity = (more: Partial<ManagedFieldsEntry>) => identityOf(entry(more));
  test.each<[what: string, more: Partial<ManagedFieldsEntry>, isSame: boolean]>([
    ["time and fields", { time: "2027-01-01T00:00:00Z", fieldsV1: {} }, true],
    ["an empty subresource", { subresource: "" }, true],
    ["another subresource", { subresource: "status" }, false],
    ["another name", { manager: "n" }, false],
    ["another operation", { operation: "Apply" }, false],
    ["another version", { apiVersion: "test.io/v2" }, false],
  ])("with %s", (_, more, isSame) => {
    expect(identity(more) === identity({})).toBe(isSame);
  });

  test("an applier's does not include the version", () => {
    expect(identity({ operation: "Apply", apiVersion: "test.io/v2" })).toBe(identity({ operation: "Apply" }));
  });
});

test("a writer without a name is unknown; only a subresource is named", () => {
  const made = (manager: string, subresource: string) =>
    newEntry(things, { manager, subresource, now: 0 }, "Update", fields);
  expect(made("", "")).toEqual(entry({ manager: "unknown", time: "1970-01-01T00:00:00Z" }));
  expect(made("m", "status")).toEqual(entry({ subresource: "status", time: "1970-01-01T00:00:00Z" }));
});

test("fields are taken from each manager; those without any leave", () => {
  const [kept, cut, gone, empty] = [
    entry({ manager: "kept" }),
    entry({ manager: "cut", fieldsV1: { "f:a": {}, "f:b": {} } }),
    entry({ manager: "gone", fieldsV1: { "f:b": {} } }),
    entry({ manager: "empty", fieldsV1: {} }),
  ];
  const taken = takeFrom([kept, cut, gone, empty], ({ "f:b": b, ...others }) =>
    b === undefined ? fields : others,
  );
  expect(taken).toEqual([kept, { ...cut, fieldsV1: { "f:a": {} } }, entry({ manager: "empty" })]);
  expect(takeFrom([kept, empty], (set) => set)).toEqual([kept]);
  expect(takeFrom([kept], (set) => set)[0]).toBe(kept);
});

test("entries are sorted by operation, time, manager, version and subresource; stored ones stay as they are", () => {
  const ordered = [
    entry({ manager: "z", operation: "Apply", time: "2027-01-01T00:00:00Z" }),
    timeless(entry({ manager: "y" })),
    entry({ manager: "x", time: "2025-01-01T00:00:00Z" }),
    entry({ manager: "a" }),
    entry({ apiVersion: "test.io/v0" }),
    entry(),
    entry({ subresource: "scale" }),
    entry({ subresource: "status" }),
  ];
  const sorted = atOnce(sortEntries(things, ordered.toReversed(), ordered));
  expect(sorted).toEqual(ordered);
  expect(sorted.every((one, i) => one === ordered[i])).toBe(true);
  const [fresh] = atOnce(sortEntries(things, [entry({ fieldsV1: { "f:b": {}, "f:a": {} } })]));
  expect(Object.keys(fresh?.fieldsV1 ?? {})).toEqual(["f:a", "f:b"]);
});

describe("beyond ten updaters", () => {
  const updater = (n: number, more: Partial<ManagedFieldsEntry> = {}) =>
    entry({
      manager: `m${n}`,
      time: `2026-01-${String(n).padStart(2, "0")}T00:00:00Z`,
      fieldsV1: { [`f:${n}`]: {} },
      ...more,
    });
  const updaters = (count: number) => Array.from({ length: count }, (_, i) => updater(i + 1));
  const names = (entries: readonly ManagedFieldsEntry[]) => entries.map(({ manager }) => manager);
  const ancient = "ancient-changes";

  test("none is merged while there are ten, however many appliers there are", () => {
    const ten = [...updaters(10), ...updaters(3).map((one) => ({ ...one, operation: "Apply" as const }))];
    expect(capUpdaters(ten)).toBe(ten);
  });

  test("the oldest are merged into one, with the latest of their times", () => {
    const merged = capUpdaters([
      ...updaters(12).toReversed(),
      entry({ manager: "applier", operation: "Apply" }),
    ]);
    expect(names(merged)).toEqual([..."m12 m11 m10 m9 m8 m7 m6 m5 m4".split(" "), "applier", ancient]);
    expect(merged.at(-1)).toEqual(
      updater(3, { manager: ancient, fieldsV1: { "f:1": {}, "f:2": {}, "f:3": {} } }),
    );
  });

  test("those without a time are the oldest; equal times count by name", () => {
    const same = { time: "2026-01-05T00:00:00Z" };
    const others = updaters(12).slice(5);
    const entries = [updater(2, same), ...others, updater(1, same), timeless(updater(3)), updater(4)];
    const merged = capUpdaters(entries);
    expect(names(merged)).toEqual(["m2", ...names(others), "m1", ancient]);
    expect(merged.at(-1)?.fieldsV1).toEqual({ "f:3": {}, "f:4": {} });
  });

  test("each version has a merged entry of its own, without a subresource", () => {
    const old = (n: number, apiVersion: string) => updater(n, { apiVersion, subresource: "status" });
    const entries = [old(1, "v1"), old(2, "v2"), old(3, "v1"), old(4, "v2"), ...updaters(12).slice(4)];
    const merged = capUpdaters(entries);
    expect(merged.slice(-2)).toEqual([
      updater(3, { manager: ancient, apiVersion: "v1", fieldsV1: { "f:1": {}, "f:3": {} } }),
      updater(4, { manager: ancient, apiVersion: "v2", fieldsV1: { "f:2": {}, "f:4": {} } }),
    ]);
    expect(merged).toHaveLength(10);
  });
});

describe("the entries before a write", () => {
  const stored = [entry(), entry({ manager: "n", operation: "Apply" })];
  const copy = (entries: readonly ManagedFieldsEntry[]) => structuredClone(entries) as ManagedFieldsEntry[];

  test("are the stored ones when the client sends none or the same, and on a subresource", () => {
    expect(startingEntries(stored, undefined, "")).toBe(stored);
    expect(startingEntries(stored, stored, "")).toBe(stored);
    expect(startingEntries(stored, copy(stored), "")).toBe(stored);
    expect(startingEntries(stored, [], "status")).toBe(stored);
    expect(startingEntries(stored, [entry()], "status")).toBe(stored);
  });

  test.each<[what: string, given: readonly ManagedFieldsEntry[]]>([
    ["one less", copy(stored.slice(1))],
    ["one more", [...copy(stored), entry({ manager: "o" })]],
    ["another time", [entry({ time: "2027-01-01T00:00:00Z" }), ...copy(stored.slice(1))]],
    ["another manager", [entry({ manager: "o" }), ...copy(stored.slice(1))]],
    ["fewer fields", [entry({ fieldsV1: { "f:spec": {} } }), ...copy(stored.slice(1))]],
    ["more fields", [entry({ fieldsV1: { ...fields, "f:status": {} } }), ...copy(stored.slice(1))]],
    ["other fields", [entry({ fieldsV1: { "f:status": { "f:replicas": {} } } }), ...copy(stored.slice(1))]],
    ["another order", copy(stored).toReversed()],
  ])("are the client's, with %s", (_, given) => {
    expect(startingEntries(stored, given, "")).toEqual(given);
  });

  test("are none after an empty list, or a single empty entry", () => {
    expect(startingEntries(stored, [], "")).toEqual([]);
    expect(startingEntries(stored, [{}], "")).toEqual([]);
  });

  test.each<[what: string, wrong: object]>([
    ["no operation", { operation: undefined }],
    ["an unknown operation", { operation: "Patch" }],
    ["no version", { apiVersion: undefined }],
    ["an empty version", { apiVersion: "" }],
    ["another type of fields", { fieldsType: "FieldsV2" }],
    ["no type of fields", { fieldsType: undefined }],
    ["fields that are no set", { fieldsV1: { spec: {} } }],
  ])("are the stored ones when one of the client's has %s", (_, wrong) => {
    const given = [entry({ manager: "o" }), { ...entry(), ...wrong }] as ManagedFieldsEntry[];
    expect(startingEntries(stored, given, "")).toBe(stored);
    expect(startingEntries(stored, [{}, entry()], "")).toBe(stored);
  });
});
