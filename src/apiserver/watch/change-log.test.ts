import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change, Revision } from "../../store/store.ts";
import { ChangeLog } from "./change-log.ts";

const revision = (number: number) => number as Revision;
const change = (number: number): Change => ({
  type: "put",
  revision: revision(number),
  entry: {
    key: "/registry/pods/default/a",
    value: new Uint8Array(),
    revision: revision(number),
    created: revision(number),
  },
});
const revisions = (changes: readonly Change[]) => changes.map((one) => one.revision);

describe("the log of a resource's changes", () => {
  it("keeps the newest ones, and knows the revision from which it is complete", () => {
    const log = new ChangeLog(3, revision(1));
    expect(log.from).toBe(1);
    for (const number of [2, 4, 6, 8]) log.push(change(number));
    expect(log.from).toBe(2);
    expect(revisions(log.since(revision(2)))).toEqual([4, 6, 8]);
    expect(revisions(log.since(revision(5)))).toEqual([6, 8]);
    expect(revisions(log.since(revision(8)))).toEqual([]);
  });

  it("stays complete from an old revision while nothing was dropped", () => {
    const log = new ChangeLog(3, revision(1));
    log.forget(revision(100));
    expect(log.from).toBe(1);
  });

  it("has each change once, whatever is pushed and forgotten", () => {
    const step = fc.oneof(fc.constant("push" as const), fc.nat(60));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), (capacity, steps) => {
        const log = new ChangeLog(capacity, revision(0));
        let kept: number[] = [];
        let from = 0;
        let next = 1;
        for (const one of steps) {
          if (one === "push") {
            log.push(change(next));
            kept.push(next);
            next += 2;
          } else {
            log.forget(revision(one));
          }
          const dropped = kept.filter((number, index) =>
            one === "push" ? index < kept.length - capacity : number <= one,
          );
          from = dropped.at(-1) ?? from;
          kept = kept.slice(dropped.length);
          expect(log.from).toBe(from);
          expect(revisions(log.since(revision(from)))).toEqual(kept);
        }
      }),
    );
  });
});
