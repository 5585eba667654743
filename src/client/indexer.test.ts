import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../meta/kind.ts";
import { parseSelector } from "../meta/label-parser.ts";
import { byOwner, defineIndex, Indexer, keyOf, splitKey } from "./indexer.ts";

const object = (
  namespace: string,
  name: string,
  labels = {},
  owners: readonly string[] = [],
): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: {
    namespace,
    name,
    labels,
    ownerReferences: owners.map((uid) => ({ apiVersion: "v1", kind: "Owner", name: uid, uid })),
  },
});

const byColour = defineIndex<KubeObject>("colour", ({ metadata }) => [metadata.labels?.["colour"] ?? ""]);

describe("an indexer", () => {
  test("finds objects by namespace, label, owner and custom indexes, and by several at once", () => {
    const indexer = new Indexer<KubeObject>();
    const a = object("x", "a", { colour: "red" }, ["u1", "u2"]);
    const b = object("y", "b", { colour: "red" }, ["u2"]);
    const c = object("x", "c", { colour: "blue" });
    for (const one of [a, b, c]) indexer.set(one);
    expect(indexer.list({ namespace: "x" })).toEqual([a, c]);
    expect(indexer.list({ index: byOwner("u2") })).toEqual([a, b]);
    expect(indexer.list({ index: byOwner("u2"), namespace: "y" })).toEqual([b]);
    expect(indexer.list({ index: byColour("red"), selector: parseSelector("colour!=red") })).toEqual([]);
    expect(indexer.list({ selector: parseSelector("colour=blue") })).toEqual([c]);
    expect(indexer.get("x/a")).toBe(a);
  });

  test("keeps its indexes equal to its objects through any changes", () => {
    const name = fc.constantFrom("a", "b", "c");
    const colour = fc.constantFrom("red", "blue");
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.option(colour)), { maxLength: 30 }), (steps) => {
        const indexer = new Indexer<KubeObject>();
        indexer.list({ index: byColour("red") });
        for (const [name, colour] of steps) {
          if (colour === null) indexer.delete(`x/${name}`);
          else indexer.set(object("x", name, { colour }));
          for (const wanted of ["red", "blue"]) {
            const found = indexer
              .list({ index: byColour(wanted) })
              .map(keyOf)
              .sort();
            const expected = indexer.list().filter(({ metadata }) => metadata.labels?.["colour"] === wanted);
            expect(found).toEqual(expected.map(keyOf).sort());
          }
        }
      }),
    );
  });

  test("names the namespace in the key of a namespaced object", () => {
    expect([keyOf(object("x", "a")), keyOf(object("", "node"))]).toEqual(["x/a", "node"]);
    expect([splitKey("x/a"), splitKey("node")]).toEqual([
      { namespace: "x", name: "a" },
      { namespace: "", name: "node" },
    ]);
  });
});
