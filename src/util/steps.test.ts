import { expect, test } from "vitest";
import { atOnce, type Steps } from "./steps.ts";

test("steps taken at once run in order and return the result", () => {
  const log: number[] = [];
  function* work(): Steps<string> {
    log.push(1);
    yield;
    log.push(2);
    return "done";
  }
  expect(atOnce(work())).toBe("done");
  expect(log).toEqual([1, 2]);
});
