import { describe, expect, test } from "vitest";
import { leaf } from "./field-set.ts";
import { lastAppliedAnnotation, refreshLastApplied, unchangedSinceLastApplied } from "./last-applied.ts";
import { thing, things } from "./thing.suite.ts";

const applied = thing({ spec: { replicas: 1, tags: ["a", "b"] } });
const annotated = (text: unknown, fields: Parameters<typeof thing>[0] = {}) =>
  thing({ ...fields, metadata: { annotations: { other: "x", [lastAppliedAnnotation]: text } } });
const unchanged = (text: unknown, fields?: Parameters<typeof thing>[0]) =>
  unchangedSinceLastApplied(things, annotated(text, fields), "");

describe("the fields that client-side apply wrote", () => {
  test("are those of the annotation with the same values", () => {
    const text = JSON.stringify(applied);
    expect(unchanged(text, { spec: { replicas: 1, tags: ["a", "b"] } })).toEqual({
      "f:spec": { "f:replicas": {}, "f:tags": { 'v:"a"': {}, 'v:"b"': {} } },
    });
    expect(unchanged(text, { spec: { replicas: 2, tags: ["a"] } })).toEqual({
      "f:spec": { "f:tags": { 'v:"a"': {} } },
    });
  });

  test.each([
    ["no text", undefined],
    ["an empty text", ""],
    ["another type", 1],
    ["no JSON", "{"],
    ["no object", '"x"'],
    ["null", "null"],
    ["another version", JSON.stringify({ ...applied, apiVersion: "test.io/v2" })],
  ])("are none with %s", (_, text) => {
    expect(unchanged(text, { spec: { replicas: 1, tags: ["a", "b"] } })).toBe(leaf);
  });

  test("are none without annotations", () => {
    expect(unchangedSinceLastApplied(things, thing({}), "")).toBe(leaf);
    expect(unchangedSinceLastApplied(things, { kind: "Thing" }, "")).toBe(leaf);
  });
});

describe("the annotation after server-side apply", () => {
  const annotationsOf = (object: object) =>
    (object as { metadata: { annotations: Record<string, string> } }).metadata.annotations;

  test("is the configuration without the annotation, with sorted keys", () => {
    const live = annotated("{}", { spec: { replicas: 2 } });
    const refreshed = refreshLastApplied(live, annotated("old", { spec: { tags: ["a"], replicas: 2 } }));
    expect(refreshed).toEqual({
      ...live,
      metadata: {
        ...live.metadata,
        annotations: { other: "x", [lastAppliedAnnotation]: expect.any(String) },
      },
    });
    expect(annotationsOf(refreshed)[lastAppliedAnnotation]).toBe(
      '{"apiVersion":"test.io/v1","kind":"Thing","metadata":{"annotations":{"other":"x"},"name":"x"},"spec":{"replicas":2,"tags":["a"]}}\n',
    );
    const plain = refreshLastApplied(live, { kind: "Thing" });
    expect(annotationsOf(plain)[lastAppliedAnnotation]).toBe('{"kind":"Thing"}\n');
  });

  test("does not appear on an object without it", () => {
    for (const live of [thing({}), thing({ metadata: { annotations: { a: "b" } } }), annotated("")])
      expect(refreshLastApplied(live, applied)).toBe(live);
  });

  test("leaves when all annotations would have more than 256 KiB", () => {
    const config = (padding: number) => ({ kind: "x".repeat(padding) });
    const bytes = (padding: number) =>
      Buffer.byteLength(`otheré${lastAppliedAnnotation}{"kind":""}\n`) + padding;
    const live = thing({ metadata: { annotations: { other: "é", [lastAppliedAnnotation]: "{}" } } });
    const room = 256 * 1024 - bytes(0);
    expect(Object.keys(annotationsOf(refreshLastApplied(live, config(room))))).toHaveLength(2);
    expect(annotationsOf(refreshLastApplied(live, config(room + 1)))).toEqual({ other: "é" });
  });
});
