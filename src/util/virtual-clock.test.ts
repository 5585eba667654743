import { describe, expect, test } from "vitest";
import { sleep } from "./clock.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { yieldToSockets } from "./yield.ts";

describe("virtual clock", () => {
  test("fires timers in order of time, then of setting", async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.after(20, () => fired.push("c"));
    clock.after(10, () => fired.push("a"));
    clock.after(10, () => fired.push("b"));
    await clock.advance(19);
    expect(fired).toEqual(["a", "b"]);
    await clock.advance(1);
    expect(fired).toEqual(["a", "b", "c"]);
  });

  test("lets the work that a timer woke settle before the next timer fires", async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    const worker = async () => {
      for (let i = 0; i < 3; i++) {
        await sleep(clock, 10);
        for (let j = 0; j < 20; j++) await yieldToSockets();
        seen.push(clock.now());
      }
    };
    const done = worker();
    await clock.advance(1_000);
    await done;
    expect(seen).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(1_000);
  });

  test("does not fire cancelled timers", async () => {
    const clock = new VirtualClock();
    let fired = 0;
    clock.after(5, () => fired++).cancel();
    expect(clock.untilNext()).toBeUndefined();
    await clock.advance(10);
    expect(fired).toBe(0);
  });

  test("runs until a condition holds and throws when it cannot", async () => {
    const clock = new VirtualClock(0);
    let fired = false;
    clock.after(60_000, () => (fired = true));
    await clock.runUntil(() => fired);
    expect(clock.now()).toBe(60_000);
    await expect(clock.runUntil(() => false)).rejects.toThrow("no timer is pending");
  });
});
