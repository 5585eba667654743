import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attempt, damage } from "./attack.ts";
import { attacks } from "./attacks.ts";
import { fuzz } from "./fuzz/fuzz.ts";
import { startTarget, type Target } from "./target.ts";

/** The limit of a stall, generous because other tests run beside this one; `npm run attack` has 100 ms. */
const stallLimitMs = 3_000;

describe("the server under attack", () => {
  let target: Target;
  beforeAll(async () => {
    target = await startTarget();
  });
  afterAll(() => target.stop());

  it("answers random requests, and does not fail", async () => {
    expect(await fuzz(target, { seed: 1, count: 2_000, stallLimitMs })).toEqual([]);
  });

  for (const attack of attacks.filter(({ slow }) => slow !== true)) {
    it(attack.name, async () => {
      expect(damage(await attempt(attack, target), stallLimitMs)).toEqual([]);
    });
  }
});
