import { describe, expect, test } from "vitest";
import { VirtualClock } from "../util/virtual-clock.ts";
import { Expectations } from "./expectations.ts";

describe("expectations", () => {
  test("are open until all creations were seen", () => {
    const expectations = new Expectations(new VirtualClock());
    expect(expectations.satisfied("a")).toBe(true);
    expectations.expectCreations("a", 2);
    expectations.creationObserved("b");
    expectations.creationObserved("a");
    expect(expectations.satisfied("a")).toBe(false);
    expectations.creationObserved("a");
    expect(expectations.satisfied("a")).toBe(true);
  });

  test("count a deletion once, though it is seen as an update and as a deletion", () => {
    const expectations = new Expectations(new VirtualClock());
    expectations.expectDeletions("a", ["u1", "u2"]);
    expectations.deletionObserved("a", "u1");
    expectations.deletionObserved("a", "u1");
    expectations.deletionObserved("a", "other");
    expect(expectations.satisfied("a")).toBe(false);
    expectations.deletionObserved("a", "u2");
    expect(expectations.satisfied("a")).toBe(true);
  });

  test("are dropped after five minutes, and when the owner is deleted", async () => {
    const clock = new VirtualClock();
    const expectations = new Expectations(clock);
    expectations.expectCreations("a", 1);
    expectations.expectCreations("b", 1);
    expectations.forget("b");
    expect([expectations.satisfied("a"), expectations.satisfied("b")]).toEqual([false, true]);
    await clock.advance(5 * 60_000);
    expect(expectations.satisfied("a")).toBe(false);
    await clock.advance(1);
    expect(expectations.satisfied("a")).toBe(true);
  });
});
