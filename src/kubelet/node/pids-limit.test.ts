import { expect, test } from "vitest";
import { podPidsLimit } from "./pids-limit.ts";

test.each([
  [32_768, 30_000, 7500],
  [32_768, undefined, 8192],
  [4_194_304, 254_000, 16_384],
  [3, 3, 1],
  [undefined, undefined, -1],
])("of %s PIDs and %s threads a Pod may have %s", (pidMax, threadsMax, limit) => {
  expect(podPidsLimit(pidMax, threadsMax)).toBe(limit);
});
