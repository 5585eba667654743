import { expect, test } from "vitest";
import { Latest } from "./latest.ts";

const object = (resourceVersion: string, uid = "u") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", uid, resourceVersion },
});

test("a written object stands in for an older cached one, until the cache has caught up", () => {
  const latest = new Latest();
  const written = object("10");
  latest.wrote(written);
  expect(latest.of(object("9"))).toBe(written);
  const cached = object("10");
  expect(latest.of(cached)).toBe(cached);
  expect(latest.all()).toEqual([]);
});

test("an assumed object stands in for the state that it was made of, and for no later one", () => {
  const latest = new Latest();
  const assumed = object("9");
  latest.assume(assumed);
  expect(latest.of(object("9"))).toBe(assumed);
  const later = object("10");
  expect(latest.of(later)).toBe(later);
  expect(latest.of(object("9"))).not.toBe(assumed);
});

test("a forgotten object, and one of another UID, stand in for nothing", () => {
  const latest = new Latest();
  latest.assume(object("9"));
  const other = object("9", "v");
  expect(latest.of(other)).toBe(other);
  latest.forget(object("9"));
  const cached = object("9");
  expect(latest.of(cached)).toBe(cached);
});
