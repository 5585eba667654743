import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../util/virtual-clock.ts";
import { WorkQueue } from "./work-queue.ts";

function newQueue(maxKeys?: number) {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue({ clock, ...(maxKeys === undefined ? {} : { maxKeys }) }) };
}

describe("a work queue", () => {
  test("hands keys out in the order of their adds, each once", async () => {
    const { queue } = newQueue();
    for (const key of ["a", "b", "a"]) queue.add(key);
    expect(queue.length).toBe(2);
    expect([await queue.next(), await queue.next()]).toEqual(["a", "b"]);
    expect(queue.working).toBe(2);
  });

  test("hands a key that was added during work out again after it is done", async () => {
    const { queue } = newQueue();
    queue.add("a");
    await queue.next();
    queue.add("a");
    queue.add("a");
    expect(queue.length).toBe(0);
    queue.done("a");
    expect(queue.length).toBe(1);
    expect(await queue.next()).toBe("a");
    queue.done("a");
    expect(queue.length).toBe(0);
  });

  test("hands a key out once after several adds in one turn, even when a worker is idle", async () => {
    const { queue } = newQueue();
    const worker = queue.next();
    queue.add("a");
    queue.add("a");
    expect(await worker).toBe("a");
    queue.done("a");
    expect(queue.length).toBe(0);
  });

  test("adds a delayed key at the earliest time asked for", async () => {
    const { clock, queue } = newQueue();
    queue.addAfter("a", 500);
    queue.addAfter("a", 100);
    queue.addAfter("a", 900);
    await clock.advance(99);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
    await queue.next();
    queue.done("a");
    await clock.advance(10_000);
    expect(queue.length).toBe(0);
  });

  test("doubles a key's delay from 5 ms to 1000 s with each failure, until the key is forgotten", () => {
    const { queue } = newQueue();
    const delays = Array.from({ length: 20 }, () => queue.addRateLimited("a"));
    expect(delays.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(delays.at(-1)).toBe(1_000_000);
    expect(queue.addRateLimited("b")).toBe(5);
    queue.forget("a");
    expect(queue.addRateLimited("a")).toBe(5);
    expect(queue.addRateLimited("a", 3_000)).toBe(3_000);
  });

  test("ends its workers at shut down, and accepts no further key", async () => {
    const { clock, queue } = newQueue();
    const waiting = queue.next();
    queue.addAfter("later", 10);
    queue.shutDown();
    queue.add("a");
    await clock.advance(100);
    expect(await waiting).toBeUndefined();
    expect(await queue.next()).toBeUndefined();
    expect(queue.length).toBe(0);
  });

  test("delays a key whose last delay ended while the key was in the line", async () => {
    const { clock, queue } = newQueue();
    queue.add("a");
    queue.addAfter("a", 1);
    await clock.advance(1);
    expect(await queue.next()).toBe("a");
    queue.addAfter("a", 1);
    queue.done("a");
    await clock.advance(1);
    expect(await queue.next()).toBe("a");
  });

  test("drops new keys when it is full, and counts them", () => {
    const { queue } = newQueue(2);
    queue.add("a");
    queue.addAfter("b", 100);
    queue.add("c");
    queue.addAfter("d", 100);
    queue.add("b");
    expect([queue.length, queue.dropped]).toEqual([2, 2]);
  });

  test("delays a known key even when it is full", async () => {
    const { clock, queue } = newQueue(1);
    queue.add("a");
    queue.addAfter("a", 100);
    expect(await queue.next()).toBe("a");
    queue.done("a");
    await clock.advance(100);
    expect([queue.length, queue.dropped]).toEqual([1, 0]);
  });

  test("clears only the back-off of a forgotten key", async () => {
    const { clock, queue } = newQueue();
    queue.add("a");
    queue.addRateLimited("b");
    for (const key of ["a", "b"]) queue.forget(key);
    await clock.advance(5);
    expect([await queue.next(), await queue.next()]).toEqual(["a", "b"]);
    queue.add("a");
    queue.forget("a");
    queue.done("a");
    expect([queue.length, queue.working]).toEqual([1, 1]);
  });

  test("drops the second hand-out of a key that is added during work before shut down", async () => {
    const { clock, queue } = newQueue();
    queue.add("a");
    await queue.next();
    queue.add("a");
    queue.addAfter("a", 10);
    queue.shutDown();
    queue.done("a");
    await clock.advance(10);
    expect([queue.length, queue.working]).toEqual([0, 0]);
    expect(clock.untilNext()).toBeUndefined();
  });

  test("never hands one key to two workers and never loses a key, in any order of events", async () => {
    const key = fc.constantFrom("a", "b", "c");
    const command = fc.oneof(
      fc.record({ do: fc.constant("add" as const), key }),
      fc.record({ do: fc.constant("addAfter" as const), key, ms: fc.nat(50) }),
      fc.record({ do: fc.constant("addRateLimited" as const), key }),
      fc.record({ do: fc.constant("take" as const) }),
      fc.record({ do: fc.constant("done" as const), which: fc.nat(10) }),
      fc.record({ do: fc.constant("wait" as const), ms: fc.nat(60) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
        const { clock, queue } = newQueue();
        const held: string[] = [];
        /** The keys that must still be handed out. A delayed key may come in addition to one that already waits. */
        const owed = new Set<string>();
        const delayed = new Set<string>();
        for (const one of commands) {
          if (one.do === "take" && queue.length > 0) {
            const taken = (await queue.next()) ?? "";
            expect(held).not.toContain(taken);
            expect(owed.delete(taken) || delayed.has(taken)).toBe(true);
            held.push(taken);
          } else if (one.do === "done") {
            for (const key of held.splice(one.which % Math.max(1, held.length), 1)) queue.done(key);
          } else if (one.do === "wait") await clock.advance(one.ms);
          else if (one.do === "add") queue.add(one.key);
          else if (one.do === "addAfter") queue.addAfter(one.key, one.ms);
          else if (one.do === "addRateLimited") queue.addRateLimited(one.key);
          if ("key" in one) owed.add(one.key);
          if ("key" in one && one.do !== "add") delayed.add(one.key);
        }
        for (const key of held) queue.done(key);
        await clock.advance(2_000_000);
        const left = await Promise.all(Array.from({ length: queue.length }, () => queue.next()));
        expect(left).toEqual([...new Set(left)]);
        expect(left).toEqual(expect.arrayContaining([...owed]));
        for (const key of left) expect(owed.has(key ?? "") || delayed.has(key ?? "")).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
