import { describe, expect, test } from "vitest";
import { knownControllers } from "./controllers.ts";
import { isSelected, type KnownControllers, readSelection, SelectionError } from "./selection.ts";

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

describe("a selection", () => {
  const known: KnownControllers = {
    names: ["job-controller"],
    aliases: new Map([["job", "job-controller"]]),
    inapplicable: new Map([["cloud-controller", "a reason"]]),
    missing: new Set(["rare-controller"]),
  };

  test("has present names instead of earlier ones", () => {
    const entries = ["*", "job", "-job", "-job-controller", "cloud-controller", "-rare-controller"];
    expect(readSelection(entries, known)).toEqual([
      "*",
      "job-controller",
      "-job-controller",
      "-job-controller",
      "cloud-controller",
      "-rare-controller",
    ]);
  });

  test.each([
    ["-cron", '"cron" is not in the list of known controllers'],
    ["", '"" is not in the list of known controllers'],
    ["rare-controller", 'Cannot run "rare-controller": it is not implemented'],
  ])("with the entry %j is refused", (entry, message) => {
    expect(() => readSelection(["*", entry], known)).toThrow(new SelectionError(message));
  });

  test("takes every earlier name, and each name belongs to one list", () => {
    const { names, aliases, inapplicable, missing } = knownControllers;
    const all = [...names, ...inapplicable.keys(), ...missing];
    expect(new Set(all).size).toBe(all.length);
    expect([...aliases.values()].filter((name) => !all.includes(name))).toEqual([]);
  });
});
