import { expect, test } from "vitest";
import {
  atomicMap,
  draftOf,
  inline,
  int32,
  json,
  keyed,
  lazy,
  list,
  map,
  messages,
  oneOf,
  optional,
  resolve,
  set,
  string,
} from "./schema.ts";

const message = messages("test.v1");

test("lists and maps are atomic, or their items have owners", () => {
  const listOf = { kind: "list", of: string };
  expect(list(string)).toEqual({ ...listOf, semantics: "atomic", keys: [] });
  expect(set(string)).toEqual({ ...listOf, semantics: "set", keys: [] });
  expect(keyed(string, "a", "b")).toEqual({ ...listOf, semantics: "map", keys: ["a", "b"] });
  expect(map(string)).toEqual({ kind: "map", of: string, atomic: false });
  expect(atomicMap(string)).toEqual({ kind: "map", of: string, atomic: true });
});

test("a string of a set has its values", () => {
  expect(oneOf("b", "a")).toEqual({ kind: "scalar", name: "string", enum: ["b", "a"] });
});

test("a message has the name of its package, and is plain unless told otherwise", () => {
  const plain = message("Plain", "A plain message.", {});
  expect(plain).toMatchObject({ name: "test.v1.Plain", doc: "A plain message.", atomic: false, open: false });
  expect(plain).not.toHaveProperty("typed");
  expect(message("Whole", "", {}, { atomic: true, typed: true })).toMatchObject({
    atomic: true,
    typed: true,
  });
});

test("fields of an inline message are those of the outer one, at its place", () => {
  const Inner = message("Inner", "", { a: optional(1, string, ""), b: optional(2, string, "") });
  const fields = { first: optional(1, int32, ""), inner: inline(2, Inner, ""), last: inline(3, json, "") };
  const Outer = message("Outer", "", fields);
  expect([...Outer.fields.keys()]).toEqual(["first", "a", "b", "last"]);
  expect([...Outer.declared.keys()]).toEqual(["first", "inner", "last"]);
});

test("a lazy type stands for another one", () => {
  expect(resolve(lazy(() => lazy(() => int32)))).toBe(int32);
  expect(resolve(string)).toBe(string);
});

test("a draft shares nothing with the value", () => {
  const value: { readonly a: readonly unknown[]; readonly c: { readonly d: readonly unknown[] } } =
    JSON.parse('{"a":[{"b":[1,null]},"x"],"c":{"d":[]},"e":null,"__proto__":{"f":[true]}}');
  const before = JSON.stringify(value);
  const draft = draftOf(value);
  expect(JSON.stringify(draft)).toBe(before);
  expect(Object.getPrototypeOf(draft)).toBe(Object.prototype);
  draft.a.pop();
  draft.c.d.push(2);
  expect(JSON.stringify(value)).toBe(before);
});
