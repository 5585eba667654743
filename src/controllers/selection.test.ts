import { expect, test } from "vitest";
import { isSelected, unknownEntry } from "./selection.ts";

// Upstream's cases (controller-manager/app/helper_test.go).
test.each<[string, readonly string[], boolean, boolean]>([
  ["is named", ["job", "-cronjob"], false, true],
  ["is excluded", ["*", "-job"], false, false],
  ["runs by default", ["*"], false, true],
  ["is off by default", ["*"], true, false],
  ["is off by default, and named", ["*", "job"], true, true],
  ["is not named", ["cronjob"], false, false],
  ["is named before it is excluded", ["job", "-job", "*"], false, true],
  ["nothing is chosen", [], false, false],
])("a controller that %s", (_, selection, isOffByDefault, runs) => {
  expect(isSelected(selection, "job", isOffByDefault)).toBe(runs);
});

test("an entry that names no controller is found", () => {
  expect(unknownEntry(["*", "-job", "cron"], ["job"])).toBe("cron");
  expect(unknownEntry(["*", "-job", "job"], ["job"])).toBeUndefined();
});
