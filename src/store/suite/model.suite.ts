import fc from "fast-check";
import { expect, test } from "vitest";
import { toRevision } from "../revision.ts";
import type { Bench } from "./bench.suite.ts";
import { NaiveStore } from "./naive-store.suite.ts";
import { plain, distinct, arbitraryWrite } from "./values.suite.ts";

export function modelSuite(bench: Bench): void {
  const { clock, open } = bench;
  test("every revision reads like a naive model that copies the state at each commit", async () => {
    const step = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({ writes: fc.array(arbitraryWrite, { minLength: 1, maxLength: 5 }) }),
      },
      { weight: 1, arbitrary: fc.record({ compact: fc.double({ min: 0, max: 1, noNaN: true }) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.boolean(), async (steps, waits) => {
        const real = await open({ clock });
        const model = new NaiveStore();
        for (const step of steps) {
          if ("writes" in step) {
            const revision = model.commit(distinct(step.writes));
            const commit = real.commit(distinct(step.writes));
            if (waits) expect(await commit).toBe(revision);
          } else {
            const before = toRevision(Math.floor((await real.commit([])) * step.compact));
            await real.compact(before);
            model.compact(before);
          }
        }
        expect(await real.commit([])).toBe(model.revision);
        expect(real.compacted).toBe(model.compacted);
        for (let at = model.compacted; at <= model.revision; at = toRevision(at + 1)) {
          for (const options of [{ at }, { at, after: "ab" }, { at, limit: 2 }]) {
            expect(plain(real.list("a", options))).toEqual(plain(model.list("a", options)));
          }
          expect(plain(real.read("a", at))).toEqual(
            plain(model.list("a", { at, limit: 1 }).entries.find(({ key }) => key === "a")),
          );
        }
        await real.close();
      }),
      { numRuns: 40 },
    );
  });
}
