import fc from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../util/virtual-clock.ts";
import { aPod } from "./builders.suite.ts";
import { type QueuedPod, SchedulingQueue } from "./queue.ts";

const rejected = new Set(["NodeResourcesFit"]);

/** The names of all Pods that are ready. */
function names(queue: SchedulingQueue): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  for (let one = queue.pop(); one !== undefined; one = queue.pop()) found.push(one.pod.metadata.name);
  return found;
}

function only(queue: SchedulingQueue): QueuedPod {
  const found = queue.pop();
  if (found === undefined) throw new Error("nothing was ready");
  return found;
}

function start() {
  const clock = new VirtualClock();
  return { clock, queue: new SchedulingQueue(clock) };
}

test("the higher priority comes first, then who came first", async () => {
  const { clock, queue } = start();
  for (const name of ["a", "b", "c"]) queue.add(aPod(name));
  await clock.advance(10);
  queue.add(aPod("late"));
  queue.add(aPod("urgent", {}, { priority: 7 }));
  expect(names(queue)).toEqual(["urgent", "a", "b", "c", "late"]);
});

test("a Pod that was removed or has changed is handed out once, as it is now", () => {
  const { queue } = start();
  queue.add(aPod("a"));
  queue.add(aPod("gone"));
  queue.add(aPod("a", { cpu: "1" }));
  queue.remove("uid-gone");
  expect(only(queue).pod).toEqual(aPod("a", { cpu: "1" }));
  expect(names(queue)).toEqual([]);
});

test("the back-off doubles from one second to ten", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  const waits: number[] = [];
  for (let attempt = 0; attempt < 6; attempt++) {
    queue.retry(only(queue));
    const before = clock.now();
    await clock.runUntil(() => queue.placeOf("uid-a") === "ready");
    waits.push(clock.now() - before);
  }
  expect(waits).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
});

test("an unschedulable Pod stays put until an event helps it, then sits out what is left of its back-off", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  queue.setUnschedulable(only(queue), rejected);
  await clock.advance(400);
  queue.moveAll(({ rejectedBy }) => rejectedBy.has("NodePorts"));
  await clock.advance(10_000);
  expect(queue.placeOf("uid-a")).toBe("unschedulable");
  queue.moveAll(({ rejectedBy }) => rejectedBy.has("NodeResourcesFit"));
  await clock.advance(0);
  expect(queue.placeOf("uid-a")).toBe("ready");

  queue.setUnschedulable(only(queue), rejected);
  await clock.advance(500);
  queue.moveAll();
  await clock.advance(1499);
  expect(queue.placeOf("uid-a")).toBe("backing off");
  await clock.advance(1);
  expect(names(queue)).toEqual(["a"]);
});

test("an unschedulable Pod is tried again after five minutes without any event", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  queue.setUnschedulable(only(queue), rejected);
  await clock.advance(299_999);
  expect(queue.placeOf("uid-a")).toBe("unschedulable");
  await clock.advance(1);
  expect(names(queue)).toEqual(["a"]);
});

test("a Pod that changed while it was tried keeps its new place, and is not filed twice", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  const tried = only(queue);
  queue.add(aPod("a", { cpu: "1" }));
  queue.setUnschedulable(tried, rejected);
  queue.retry(tried);
  expect(only(queue).pod).toEqual(aPod("a", { cpu: "1" }));
  await clock.advance(600_000);
  expect(names(queue)).toEqual([]);
});

test("closing wakes whoever waits, and leaves no timer", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  queue.setUnschedulable(only(queue), rejected);
  const waiting = queue.next();
  queue.close();
  expect(await waiting).toBeUndefined();
  expect(clock.untilNext()).toBeUndefined();
});

const operation = fc.oneof(
  fc.tuple(fc.constant("add"), fc.nat({ max: 4 })),
  fc.tuple(fc.constant("remove"), fc.nat({ max: 4 })),
  fc.tuple(fc.constantFrom("unschedulable", "retry", "drop", "move"), fc.constant(0)),
  fc.tuple(fc.constant("wait"), fc.constantFrom(100, 1000, 20_000, 300_000)),
);

/** The model: what is wanted, and what somebody is trying. Whatever is wanted comes up again in the end. */
test("no Pod is lost, and none is handed out to two", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
      const { clock, queue } = start();
      const wanted = new Set<string>();
      for (const [type, value] of operations) {
        const name = `pod-${value}`;
        if (type === "add") {
          queue.add(aPod(name, {}, { priority: value }));
          wanted.add(name);
        } else if (type === "remove") {
          queue.remove(`uid-${name}`);
          wanted.delete(name);
        } else if (type === "move") queue.moveAll();
        else if (type === "wait") await clock.advance(value);
        else {
          const tried = queue.pop();
          if (tried === undefined) continue;
          const { name: triedName = "", uid = "" } = tried.pod.metadata;
          expect(wanted).toContain(triedName);
          expect(queue.placeOf(uid)).toBeUndefined();
          if (type === "unschedulable") queue.setUnschedulable(tried, rejected);
          else if (type === "retry") queue.retry(tried);
          else wanted.delete(triedName);
        }
        for (let i = 0; i < 5; i++)
          expect(queue.placeOf(`uid-pod-${i}`) !== undefined).toBe(wanted.has(`pod-${i}`));
      }
      await clock.advance(310_000);
      const byPriority = [...wanted].sort().reverse();
      expect(names(queue)).toEqual(byPriority);
      expect(clock.untilNext()).toBeUndefined();
    }),
    { numRuns: 40 },
  );
});
