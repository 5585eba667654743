import { expect, test } from "vitest";
import { compare } from "./compare.ts";
import { shapeOf } from "./shape.ts";
import { things } from "./thing.suite.ts";

const shape = shapeOf(things.schema);
const port = (number: number, more: object = {}) => ({ port: number, ...more });
const tcp = (number: number) => `k:{"port":${number},"protocol":"TCP"}`;
const udp = (number: number) => `k:{"port":${number},"protocol":"UDP"}`;

type Parts = Readonly<Record<string, unknown>>;

/** The differences within `spec`, as structured-merge-diff's `Compare` finds them. */
test.each<[what: string, old: Parts, next: Parts, changed: Parts | undefined, removed: Parts | undefined]>([
  ["nothing", { args: ["a"], data: { a: "1" } }, { args: ["a"], data: { a: "1" } }, undefined, undefined],
  ["an unknown field", { other: 1 }, { other: 2 }, undefined, undefined],
  ["a new unknown field", {}, { other: 2 }, undefined, undefined],
  ["an unknown field that is gone", { other: 2 }, {}, undefined, undefined],
  ["a value", { replicas: 1 }, { replicas: 2 }, { "f:replicas": {} }, undefined],
  ["a new value", { args: [] }, { args: [], replicas: 2 }, { "f:replicas": {} }, undefined],
  ["a value that is gone", { args: [], replicas: 1 }, { args: [] }, undefined, { "f:replicas": {} }],
  [
    "an undefined value",
    { args: [], replicas: 1 },
    { args: [], replicas: undefined },
    undefined,
    { "f:replicas": {} },
  ],
  ["an atomic list", { args: ["a"] }, { args: ["b"] }, { "f:args": {} }, undefined],
  ["an atomic map", { selector: { a: "1" } }, { selector: { a: "2" } }, { "f:selector": {} }, undefined],
  [
    "a key of a map",
    { data: { a: "1" } },
    { data: { a: "2", b: "1" } },
    { "f:data": { "f:a": {}, "f:b": {} } },
    undefined,
  ],
  [
    "a key that is gone",
    { data: { a: "1", b: "1" } },
    { data: { a: "1" } },
    undefined,
    { "f:data": { "f:b": {} } },
  ],
  ["an empty map and null", { data: {} }, { data: null }, { "f:data": {} }, undefined],
  ["null and an empty map", { data: null }, { data: {} }, { "f:data": {} }, undefined],
  ["null and a map", { data: null }, { data: { a: "1" } }, { "f:data": { "f:a": {} } }, undefined],
  ["a map and null", { data: { a: "1" } }, { data: null }, undefined, { "f:data": { "f:a": {} } }],
  ["two empty maps", { data: {} }, { data: {} }, undefined, undefined],
  ["a map and a text", { data: {} }, { data: "x" }, { "f:data": {} }, undefined],
  ["a text and a map", { data: "x" }, { data: {} }, { "f:data": {} }, undefined],
  ["a map and a list", { data: { a: "1" } }, { data: ["a"] }, { "f:data": {} }, undefined],
  [
    "items of a set",
    { tags: ["a", "b"] },
    { tags: ["c", "a"] },
    { "f:tags": { 'v:"c"': {} } },
    { "f:tags": { 'v:"b"': {} } },
  ],
  ["the order of a set", { tags: ["a", "b"] }, { tags: ["b", "a"] }, undefined, undefined],
  [
    "a twin in a set",
    { tags: ["a"] },
    { tags: ["a", "a"] },
    { "f:tags": { 'v:"a"': {} } },
    { "f:tags": { 'v:"a"': {} } },
  ],
  [
    "twins that become one",
    { tags: ["a", "a"] },
    { tags: ["a"] },
    { "f:tags": { 'v:"a"': {} } },
    { "f:tags": { 'v:"a"': {} } },
  ],
  ["the same twins, elsewhere", { tags: ["a", "a", "b"] }, { tags: ["b", "a", "a"] }, undefined, undefined],
  [
    "twins that are gone",
    { tags: ["a", "a", "b"] },
    { tags: ["b"] },
    undefined,
    { "f:tags": { 'v:"a"': {} } },
  ],
  ["a set and null", { tags: ["a"] }, { tags: null }, undefined, { "f:tags": { 'v:"a"': {} } }],
  ["null and a set", { tags: null }, { tags: ["a"] }, { "f:tags": { 'v:"a"': {} } }, undefined],
  ["an empty set and null", { tags: [] }, { tags: null }, { "f:tags": {} }, undefined],
  ["null and an empty set", { tags: null }, { tags: [] }, { "f:tags": {} }, undefined],
  ["two empty sets", { tags: [] }, { tags: [] }, undefined, undefined],
  ["a set and a text", { tags: ["a"] }, { tags: "a" }, { "f:tags": {} }, undefined],
  ["a text and a set", { tags: "a" }, { tags: ["a"] }, { "f:tags": {} }, undefined],
  [
    "a value of an item",
    { ports: [port(1, { name: "a" }), port(2)] },
    { ports: [port(1, { name: "b" }), port(2)] },
    { "f:ports": { [tcp(1)]: { "f:name": {} } } },
    undefined,
  ],
  [
    "a key that an item names or leaves to its default",
    { ports: [port(1)] },
    { ports: [port(1, { protocol: "TCP" })] },
    { "f:ports": { [tcp(1)]: { "f:protocol": {} } } },
    undefined,
  ],
  [
    "an item with another key",
    { ports: [port(1)] },
    { ports: [port(1, { protocol: "UDP" })] },
    { "f:ports": { [udp(1)]: { ".": {}, "f:port": {}, "f:protocol": {} } } },
    { "f:ports": { [tcp(1)]: { ".": {}, "f:port": {} } } },
  ],
  ["the order of items", { ports: [port(1), port(2)] }, { ports: [port(2), port(1)] }, undefined, undefined],
  [
    "an item that is gone",
    { ports: [port(1), port(2)] },
    { ports: [port(2)] },
    undefined,
    { "f:ports": { [tcp(1)]: { ".": {}, "f:port": {} } } },
  ],
  [
    "one of two items with the same keys",
    { ports: [port(1), port(1)] },
    { ports: [port(1), port(1, { name: "a" })] },
    { "f:ports": { [tcp(1)]: {} } },
    undefined,
  ],
  [
    "an item that gets a twin",
    { ports: [port(1)] },
    { ports: [port(1), port(1)] },
    { "f:ports": { [tcp(1)]: {} } },
    { "f:ports": { [tcp(1)]: { ".": {}, "f:port": {} } } },
  ],
  [
    "items with the same keys that are gone",
    { ports: [port(1), port(1), port(2)] },
    { ports: [port(2)] },
    undefined,
    { "f:ports": { [tcp(1)]: {} } },
  ],
  ["items that are no objects", { ports: [1, port(2)] }, { ports: [2, port(2)] }, undefined, undefined],
  ["a value of any JSON", { free: 1 }, { free: 2 }, { "f:free": {} }, undefined],
  [
    "a part of any JSON",
    { free: { a: 1, b: 1 } },
    { free: { a: 2 } },
    { "f:free": { "f:a": {} } },
    { "f:free": { "f:b": {} } },
  ],
  ["an object and a text of any JSON", { free: { a: 1 } }, { free: "x" }, { "f:free": {} }, undefined],
  [
    "an object and null of any JSON",
    { free: { a: 1 } },
    { free: null },
    undefined,
    { "f:free": { "f:a": {} } },
  ],
])("of %s", (_, old, next, changed, removed) => {
  const wrapped = (parts: Parts | undefined) => parts && { "f:spec": parts };
  const expected =
    changed === undefined && removed === undefined
      ? undefined
      : { changed: wrapped(changed), removed: wrapped(removed) };
  expect(compare(shape, { spec: old }, { spec: next })).toEqual(expected);
});
