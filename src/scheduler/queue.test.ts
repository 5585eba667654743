import fc from "fast-check";
import { expect, test } from "vitest";
import type { Pod } from "../api/core/pod/schema.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { aPod } from "./builders.suite.ts";
import { SchedulingQueue } from "./queue.ts";

const rejected = new Set(["NodeResourcesFit"]);

/** Takes all Pods that are active, and returns their names. */
function names(queue: SchedulingQueue): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  for (let one = queue.pop(); one !== undefined; one = queue.pop()) found.push(one.metadata.name);
  return found;
}

function pop(queue: SchedulingQueue): Pod {
  const pod = queue.pop();
  if (pod === undefined) throw new Error("no Pod was active");
  return pod;
}

function start() {
  const clock = new VirtualClock();
  return { clock, queue: new SchedulingQueue(clock) };
}

test("queue hands out the higher priority first, then the older Pod", async () => {
  const { clock, queue } = start();
  for (const name of ["a", "b", "c"]) queue.add(aPod(name));
  await clock.advance(10);
  queue.add(aPod("late"));
  queue.add(aPod("urgent", {}, { priority: 7 }));
  expect(names(queue)).toEqual(["urgent", "a", "b", "c", "late"]);
});

test("queue hands out a changed Pod once, in its present state, and a removed Pod never", () => {
  const { queue } = start();
  queue.add(aPod("a"));
  queue.add(aPod("gone"));
  queue.add(aPod("a", { cpu: "1" }));
  queue.remove("uid-gone");
  expect(pop(queue)).toEqual(aPod("a", { cpu: "1" }));
  expect(names(queue)).toEqual([]);
});

test("the back-off doubles from one second to ten", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  const waits: number[] = [];
  for (let attempt = 0; attempt < 6; attempt++) {
    pop(queue);
    queue.retry("uid-a");
    const before = clock.now();
    await clock.runUntil(() => queue.stateOf("uid-a").type === "active");
    waits.push(clock.now() - before);
  }
  expect(waits).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
});

test("an unschedulable Pod waits for a cluster event that helps it, then for the rest of its back-off", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  pop(queue);
  queue.setUnschedulable("uid-a", rejected);
  await clock.advance(400);
  queue.moveAll((_, rejectedBy) => rejectedBy.has("NodePorts"));
  await clock.advance(10_000);
  expect(queue.stateOf("uid-a").type).toBe("unschedulable");
  queue.moveAll((_, rejectedBy) => rejectedBy.has("NodeResourcesFit"));
  await clock.advance(0);
  expect(queue.stateOf("uid-a").type).toBe("active");

  pop(queue);
  queue.setUnschedulable("uid-a", rejected);
  await clock.advance(500);
  queue.moveAll();
  await clock.advance(1499);
  expect(queue.stateOf("uid-a").type).toBe("backingOff");
  await clock.advance(1);
  expect(names(queue)).toEqual(["a"]);
});

test("an unschedulable Pod is tried again after five minutes without any cluster event", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  pop(queue);
  queue.setUnschedulable("uid-a", rejected);
  await clock.advance(299_999);
  expect(queue.stateOf("uid-a").type).toBe("unschedulable");
  await clock.advance(1);
  expect(names(queue)).toEqual(["a"]);
});

test("queue hands a Pod that changed in flight out again, once, after its attempt", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  pop(queue);
  queue.add(aPod("a", { cpu: "1" }));
  expect(queue.pop()).toBeUndefined();
  queue.setUnschedulable("uid-a", rejected);
  queue.retry("uid-a");
  expect(pop(queue)).toEqual(aPod("a", { cpu: "1" }));
  queue.remove("uid-a");
  await clock.advance(600_000);
  expect(queue.pop()).toBeUndefined();
});

test("queue backs off an unschedulable Pod when a cluster event arrived in flight", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  pop(queue);
  queue.moveAll();
  queue.setUnschedulable("uid-a", rejected);
  await clock.advance(1000);
  expect(names(queue)).toEqual(["a"]);
});

test("queue cancels the timer of a Pod that stops waiting", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  pop(queue);
  queue.retry("uid-a");
  await clock.advance(500);
  queue.add(aPod("a", { cpu: "1" }));
  expect(clock.untilNext()).toBeUndefined();
  pop(queue);
  queue.setUnschedulable("uid-a", rejected);
  queue.remove("uid-a");
  expect(clock.untilNext()).toBeUndefined();
});

test("queue that closes wakes its waiter, and has no timer from then on", async () => {
  const { clock, queue } = start();
  queue.add(aPod("a"));
  queue.add(aPod("b"));
  pop(queue);
  queue.setUnschedulable("uid-a", rejected);
  pop(queue);
  const waiting = queue.next();
  queue.close();
  queue.retry("uid-b");
  expect(await waiting).toBeUndefined();
  expect(clock.untilNext()).toBeUndefined();
});

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom("add", "pop"), fc.nat({ max: 2 })) },
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom("assume", "unschedulable", "retry"), fc.nat({ max: 2 })) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom("remove", "withdraw", "move"), fc.nat({ max: 2 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("wait"), fc.constantFrom(100, 1000, 20_000, 300_000)) },
);

test("queue never loses a Pod, and never hands one out twice", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 60, size: "max" }), async (operations) => {
      const { clock, queue } = start();
      /** The model: for each slot the present Pod's UID, and the attempts that have not ended. */
      const wanted = new Map<number, string>();
      const attempts = new Map<string, "deciding" | "binding">();
      let created = 0;
      for (const [type, slot] of operations) {
        const uid = wanted.get(slot) ?? "";
        if (type === "add") {
          // A new Pod has a new UID: outcomes of its predecessor's attempt may still come.
          const name = uid === "" ? `pod-${slot}-${created++}` : uid.replace("uid-", "");
          queue.add(aPod(name, { cpu: `${created}` }, { priority: slot }));
          wanted.set(slot, `uid-${name}`);
        } else if (type === "remove" || (type === "withdraw" && attempts.get(uid) !== "binding")) {
          queue[type](uid);
          wanted.delete(slot);
        } else if (type === "withdraw") queue.withdraw(uid);
        else if (type === "move") queue.moveAll();
        else if (type === "wait") await clock.advance(slot);
        else if (type === "pop") {
          const taken = queue.pop()?.metadata.uid;
          if (taken === undefined) continue;
          expect([...wanted.values()]).toContain(taken);
          expect(attempts.has(taken)).toBe(false);
          attempts.set(taken, "deciding");
        } else {
          const tried = [...attempts.keys()][slot] ?? "";
          if (type === "assume" && attempts.get(tried) === "deciding") {
            queue.assume(tried);
            attempts.set(tried, "binding");
          } else if (type === "retry" || (type === "unschedulable" && attempts.get(tried) === "deciding")) {
            if (type === "retry") queue.retry(tried);
            else queue.setUnschedulable(tried, rejected);
            attempts.delete(tried);
          }
        }
        for (const one of wanted.values()) {
          const place = attempts.get(one);
          const expected = place === undefined ? /active|backingOff|unschedulable/ : /inFlight|assumed/;
          expect(queue.stateOf(one).type).toMatch(expected);
        }
      }
      for (const uid of attempts.keys()) queue.retry(uid);
      await clock.advance(310_000);
      const byPriority = [...wanted].sort(([a], [b]) => b - a).map(([, uid]) => uid.replace("uid-", ""));
      expect(names(queue)).toEqual(byPriority);
      expect(clock.untilNext()).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});

test("an event asks once for all Pods of a group that the same plugins have rejected", () => {
  const { queue } = start();
  const made = Array.from({ length: 6 }, (_, i) => aPod(`p${i}`));
  for (const pod of made) queue.add(pod);
  for (const [i, { metadata }] of made.entries()) {
    pop(queue);
    // The first three are of one group, the next two of another; the last one was rejected by another plugin.
    queue.setUnschedulable(metadata.uid ?? "", i < 5 ? rejected : new Set(["NodePorts"]), i < 3 ? "a" : "b");
  }
  const asked: (string | undefined)[] = [];
  const types = () => made.map(({ metadata }) => queue.stateOf(metadata.uid ?? "").type);
  queue.moveAll(({ metadata }) => {
    asked.push(metadata.name);
    return metadata.name === "p0";
  }, "group");
  expect(asked).toEqual(["p0", "p3", "p5"]);
  expect(types()).toEqual([
    ...Array.from({ length: 3 }, () => "backingOff"),
    ...Array.from({ length: 3 }, () => "unschedulable"),
  ]);
  // A Pod that leaves its group is not asked about.
  queue.remove("uid-p3");
  asked.length = 0;
  queue.moveAll(({ metadata }) => {
    asked.push(metadata.name);
    return false;
  });
  expect(asked).toEqual(["p4", "p5"]);
});
