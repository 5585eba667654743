import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  difference,
  equalSets,
  type FieldSet,
  has,
  intersection,
  leaf,
  parseFieldSet,
  union,
} from "./field-set.ts";
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

/** The results of structured-merge-diff's `Set.FromJSON`. */
describe("a client's set", () => {
  it.each<[given: unknown, read: unknown]>([
    [{}, {}],
    [{ ".": {} }, {}],
    [{ "f:a": { ".": {} } }, { "f:a": {} }],
    [{ "f:a": { ".": {}, "f:b": {} } }, { "f:a": { ".": {}, "f:b": {} } }],
    [
      { 'v: "a"': {}, "v:1.0": {}, "v:null": {} },
      { 'v:"a"': {}, "v:1": {}, "v:null": {} },
    ],
    [{ 'k:{"b": 1, "a":"x"}': {} }, { 'k:{"a":"x","b":1}': {} }],
    [
      { "i:12": {}, "i:-3": {} },
      { "i:12": {}, "i:-3": {} },
    ],
    // Elements of unknown types are left out, whatever is in them.
    [{ "f:a": {}, "x:y": 1 }, { "f:a": {} }],
    ...[
      null,
      1,
      "x",
      [],
      { "f:a": 1 },
      { "f:a": null },
      { "f:a": [] },
      { a: {} },
      { "": {} },
      { "v:{": {} },
      { "v:": {} },
      { "k:1": {} },
      { "k:[]": {} },
      { "k:null": {} },
      { "k:{": {} },
      { "i:": {} },
      { "i:1x": {} },
      { "i:x1": {} },
      { "i:1.5": {} },
    ].map((given): [unknown, undefined] => [given, undefined]),
  ])("%j is read as %j", (given, read) => {
    expect(parseFieldSet(given)).toEqual(read);
  });
});

describe("two sets", () => {
  it.each<[a: FieldSet, b: unknown, expected: boolean]>([
    [{}, {}, true],
    [{ "f:a": {}, "f:b": { "f:c": {} } }, { "f:b": { "f:c": {} }, "f:a": {} }, true],
    [{ "f:a": {} }, {}, false],
    [{}, { "f:a": {} }, false],
    [{ "f:a": {} }, { "f:b": {} }, false],
    [{ "f:a": {} }, { "f:a": { ".": {} } }, false],
    [{ "f:a": {} }, { "f:a": null }, false],
    [{ "f:a": {} }, undefined, false],
    [{}, [], false],
  ])("%j and %j are equal: %j", (a, b, expected) => {
    expect(equalSets(a, b)).toBe(expected);
  });

  it("have in common what is in both, with the paths above only when they are in both", () => {
    const both = { "f:a": { ".": leaf, "f:b": leaf, "f:c": leaf } };
    expect(intersection(both, { "f:a": { "f:b": leaf } })).toEqual({ "f:a": { "f:b": {} } });
    expect(intersection(both, { "f:a": leaf })).toEqual({ "f:a": {} });
    expect(intersection(both, { "f:a": { ".": leaf, "f:b": leaf } })).toEqual({
      "f:a": { ".": {}, "f:b": {} },
    });
    expect(intersection({ "f:a": leaf }, { "f:a": { "f:b": leaf } })).toEqual({});
    expect(intersection({ "f:a": { "f:b": leaf } }, { "f:a": { "f:c": leaf } })).toEqual({});
    expect(has(both, [])).toBe(false);
  });
});
