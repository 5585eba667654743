import { expect, test } from "vitest";
import { initialProbeState, nextProbeState } from "./machine.ts";

/** Returns the settled state after each result: `+` success, `-` failure, `?` nothing yet. */
function settled(results: string, probe: object): string {
  let state = initialProbeState;
  let signs = "";
  for (const result of results) {
    state = nextProbeState(state, result === "+", probe);
    signs += { unknown: "?", success: "+", failure: "-" }[state.settled];
  }
  return signs;
}

test.each([
  ["upstream's defaults", {}, "+---+--+---", "+++-++++++-"],
  ["one failure of one", { failureThreshold: 1 }, "-+-+", "-+-+"],
  ["two successes in a row", { successThreshold: 2 }, "+-++-+", "???+++"],
  ["a failure that starts the count of successes anew", { successThreshold: 3 }, "++-+++", "?????+"],
  ["a success that starts the count of failures anew", { failureThreshold: 2 }, "-+-+--", "?++++-"],
])("with %s, a result counts once enough of its kind came in a row", (_, probe, results, expected) => {
  expect(settled(results, probe)).toBe(expected);
});
