import { expect, test } from "vitest";
import { draftOf } from "./schema.ts";

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
