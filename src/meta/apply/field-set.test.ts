import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { difference, type FieldSet, has, intersection, leaf, parseFieldSet, union } from "./field-set.ts";
import { formatPath, pathsOf } from "./path.ts";

/** A set of strings is the simple model of a field set. */
const paths = fc.array(fc.array(fc.constantFrom("f:a", "f:b", "f:c"), { minLength: 1, maxLength: 3 }));
const build = (list: readonly string[][]) =>
  list
    .map((path) => path.reduceRight<FieldSet>((node, element) => ({ [element]: node }), leaf))
    .reduce(union, leaf);
const flat = (set: FieldSet) => new Set(pathsOf(set).map((path) => path.join("/")));

describe("a field set", () => {
  it("has the union, intersection and difference of a set of paths", () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [build(left), build(right)];
        expect(flat(a)).toEqual(new Set(left.map((path) => path.join("/"))));
        expect(flat(union(a, b))).toEqual(flat(a).union(flat(b)));
        expect(flat(intersection(a, b))).toEqual(flat(a).intersection(flat(b)));
        expect(flat(difference(a, b))).toEqual(flat(a).difference(flat(b)));
        for (const path of right) expect(has(a, path)).toBe(flat(a).has(path.join("/")));
      }),
    );
  });

  it("returns itself if the difference removes nothing", () => {
    const set = build([["f:a", "f:b"], ["f:c"]]);
    expect(difference(set, build([["f:a"], ["f:b", "f:a"]]))).toBe(set);
  });

  it("is equal after writing and reading", () => {
    fc.assert(
      fc.property(paths, (list) => {
        const set = build(list);
        expect(parseFieldSet(JSON.parse(JSON.stringify(set)))).toEqual(set);
      }),
    );
  });

  it("formats paths as upstream's errors do, with numeric keys as numbers", () => {
    const set: FieldSet = {
      "f:z": {},
      "f:ports": { 'k:{"port":443}': {}, 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {} } },
      "f:tags": { 'v:"x"': {}, "v:10": {}, "v:9": {} },
      "f:list": { "i:0": {} },
    };
    expect(pathsOf(set).map(formatPath)).toEqual([
      ".z",
      ".list[0]",
      '.ports[port=80,protocol="TCP"]',
      ".ports[port=443]",
      '.ports[port=80,protocol="TCP"].name',
      ".tags[=9]",
      ".tags[=10]",
      '.tags[="x"]',
    ]);
  });
});
