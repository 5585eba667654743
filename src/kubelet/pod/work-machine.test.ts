import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isForgotten,
  stepWork,
  untouched,
  type Work,
  type WorkEvent,
  type WorkState,
} from "./work-machine.ts";

const at = 1_000_000;
const start = { type: "start", isRestart: false, now: at } as const;
const started = { type: "started" } as const;
const stop = { type: "stop" } as const;
const stopped = { type: "stopped" } as const;
const changed = { type: "changed" } as const;
const failed = (reason = "RunContainerError", now = at) =>
  ({ type: "failed", failure: { reason, message: "why" }, now }) as const;
const restart = (now: number) => ({ type: "start", isRestart: true, now }) as const;

const play = (...events: readonly WorkEvent[]): Work => events.reduce(stepWork, untouched);
const reason = (...events: readonly WorkEvent[]) => play(...events).trouble?.failure.reason;
const retryMs = (...events: readonly WorkEvent[]) => play(...events).trouble?.retry.delayMs;

describe("the work on a subject", () => {
  const states: readonly WorkState[] = ["idle", "starting", "stopping", "aborting"];
  test.each<[WorkEvent["type"], WorkEvent, string]>([
    // The next state from each state; a dot if the event changes nothing.
    ["start", start, "starting . . ."],
    ["started", started, ". idle . stopping"],
    ["failed", failed(), ". idle . stopping"],
    ["stop", stop, "stopping aborting . ."],
    ["stopped", stopped, ". . idle starting"],
    ["changed", changed, ". . . ."],
  ])("%s leads to the right state from each state", (_type, event, expected) => {
    const next = states.map((state) => {
      const work: Work = {
        state,
        trouble: { failure: { reason: "R", message: "m" }, retry: { delayMs: 1, since: at } },
      };
      const after = stepWork(work, event);
      return after.state === state ? (expect(after).toEqual(work), ".") : after.state;
    });
    expect(next.join(" ")).toBe(expected);
  });

  test("after any events, at most one start and one stop are in progress, and no start begins during a stop", () => {
    const event = fc.constantFrom<WorkEvent>(start, restart(at), started, failed(), stop, stopped, changed);
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let work = untouched;
        let [starts, stops] = [0, 0];
        for (const one of events) {
          const before = work;
          work = stepWork(before, one);
          if (work.state === before.state) continue;
          if (one.type === "start") expect(stops).toBe(0);
          starts += one.type === "start" ? 1 : one.type === "started" || one.type === "failed" ? -1 : 0;
          stops += one.type === "stop" ? 1 : one.type === "stopped" ? -1 : 0;
          expect([starts, stops].every((count) => count === 0 || count === 1)).toBe(true);
        }
      }),
    );
  });

  test("a failure stays until a start succeeds", () => {
    expect(reason(start, failed())).toBe("RunContainerError");
    expect(reason(start, failed(), start, stop, stopped)).toBe("RunContainerError");
    expect(play(start, failed(), start, started)).toBe(untouched);
  });

  test("a changed Pod drops a failure of its configuration, and no other", () => {
    expect(play(start, failed("CreateContainerConfigError"), changed)).toBe(untouched);
    expect(reason(start, failed("CreateContainerConfigError"), start, changed)).toBeUndefined();
    expect(reason(start, failed("ErrImagePull"), changed)).toBe("ErrImagePull");
  });

  test("a repeated failure to pull is reported as back-off", () => {
    const pull = [start, failed("ErrImagePull")];
    expect(play(...pull, ...pull, ...pull).trouble?.failure).toEqual({
      reason: "ImagePullBackOff",
      message: "Back-off pulling image: why",
    });
    expect(reason(...pull, start, failed("InvalidImageName"))).toBe("ImagePullBackOff");
    expect(reason(...pull, start, failed())).toBe("RunContainerError");
    expect(reason(start, failed(), ...pull)).toBe("ErrImagePull");
  });

  test("delays double up to five minutes, and are reset after ten minutes without a failure", () => {
    const failures = (count: number) => Array.from({ length: count }, () => [start, failed()]).flat();
    expect([1, 2, 5, 6, 9].map((count) => retryMs(...failures(count)))).toEqual([
      10_000, 20_000, 160_000, 300_000, 300_000,
    ]);
    const lacking = Array.from({ length: 5 }, () => [start, failed("CreateContainerConfigError")]).flat();
    expect(retryMs(...lacking)).toBe(10_000);
    expect(retryMs(...failures(3), start, failed("R", at + 600_000))).toBe(80_000);
    expect(retryMs(...failures(3), start, failed("R", at + 600_001))).toBe(10_000);
    expect(retryMs(...failures(3), start, started, ...failures(1))).toBe(10_000);
  });

  test("the delay of restarts grows with each restart, and success does not reset it", () => {
    const twice = play(start, started, restart(at), started, restart(at + 5), started);
    expect(twice).toEqual({ state: "idle", restarts: { delayMs: 20_000, since: at + 5 } });
    expect(isForgotten({ delayMs: 1, since: at }, at + 600_000)).toBe(false);
    expect(isForgotten({ delayMs: 1, since: at }, at + 600_001)).toBe(true);
  });
});

test("the delay before a restart has a configured limit, for the first one too", () => {
  let work = untouched;
  const delays = [2000, 20_000, 20_000].map((mostMs, index) => {
    const now = index;
    work = stepWork(stepWork(work, { type: "start", isRestart: true, now, mostMs }), { type: "started" });
    return work.restarts?.delayMs;
  });
  expect(delays).toEqual([2000, 4000, 8000]);
});
