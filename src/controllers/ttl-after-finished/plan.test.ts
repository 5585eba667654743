import { expect, test } from "vitest";
import { jobs } from "../../api/batch/job/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { build, start, template } from "../builders.suite.ts";
import { untilExpiredMs } from "./plan.ts";

const job = (ttlSecondsAfterFinished: number | undefined, type: string | undefined, metadata: object = {}) =>
  build(jobs, {
    metadata: { name: "work", ...metadata },
    spec: { template, ttlSecondsAfterFinished },
    status: {
      conditions: type === undefined ? [] : [{ type, status: "True", lastTransitionTime: formatTime(start) }],
    },
  });

test.each([
  ["a Job that is not finished is kept", job(0, undefined), 0, undefined],
  ["a Job that is about to fail is kept", job(0, "FailureTarget"), 0, undefined],
  ["a finished Job without a time to live is kept", job(undefined, "Complete"), 0, undefined],
  [
    "a terminating Job is left alone",
    job(0, "Complete", { deletionTimestamp: formatTime(start) }),
    0,
    undefined,
  ],
  ["a complete Job expires after its time to live", job(10, "Complete"), 4000, 6000],
  ["a failed Job expires after its time to live", job(10, "Failed"), 0, 10_000],
  ["a time to live of 0 expires at once", job(0, "Complete"), 0, 0],
  ["an expired Job is due", job(10, "Complete"), 30_000, 0],
  ["a Job that finished in the future waits longer", job(10, "Complete"), -5000, 15_000],
] as const)("%s", (_, given, sinceMs, expected) => {
  expect(untilExpiredMs(given, start + sinceMs)).toBe(expected);
});
