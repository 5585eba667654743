import { expect, test } from "vitest";
import { segmentsOf } from "./path.ts";

test.each([
  ["/", []],
  ["/pods", ["pods"]],
  ["/pods/", ["pods"]],
  ["/exec/ns/web/main", ["exec", "ns", "web", "main"]],
  ["/exec/ns/w%20b/main", ["exec", "ns", "w b", "main"]],
])("the path %s has the segments %j", (path, segments) => {
  expect(segmentsOf(path)).toEqual(segments);
});

test.each([
  "",
  "pods",
  "//pods",
  "/pods//",
  "/stats/../exec/ns/web/main",
  "/stats/%2e%2e/exec",
  "/stats%2f..%2fexec",
  "/metrics/%2Fexec",
  "/pods%00",
  "/%zz",
  "/%c0%af",
  "/a".repeat(20),
])("the path %j, which has several readings, has no segments", (path) => {
  expect(segmentsOf(path)).toBeUndefined();
});

test("a path of a megabyte is refused at once", () => {
  expect(segmentsOf("/".repeat(1 << 20))).toBeUndefined();
});
