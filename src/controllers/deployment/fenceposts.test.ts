import fc from "fast-check";
import { expect, test } from "vitest";
import { aDeployment } from "../builders.suite.ts";
import { fenceposts } from "./fenceposts.ts";

const rolling = (replicas: number, maxSurge: number | string, maxUnavailable: number | string) =>
  fenceposts(
    aDeployment({
      replicas,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
    }),
  );

test.each([
  [2, "0%", "1%", 0, 1],
  [1, "0%", "1%", 0, 1],
  [2, "1%", "25%", 1, 0],
  [1, "1%", "25%", 1, 0],
  [10, "25%", "25%", 3, 2],
  [10, 3, 4, 3, 4],
  [3, 0, 10, 0, 3],
  [0, "25%", "25%", 0, 0],
  [7, "100%", "0%", 7, 0],
  // Upstream's cases by value: `TestResolveFenceposts`, `TestMaxUnavailable`.
  [10, "39%", "39%", 4, 3],
  [10, 0, "39%", 0, 3],
  [10, "39%", 0, 4, 0],
  [10, 0, 0, 0, 1],
  [10, 1, 5, 1, 5],
  [10, 1, 10, 1, 10],
  [5, 1, 10, 1, 5],
  [0, 1, 10, 1, 0],
  [10, 1, "50%", 1, 5],
  [10, 1, "60%", 1, 6],
  [10, 1, "100%", 1, 10],
  [5, 1, "100%", 1, 5],
])(
  "of %i with surge %s and unavailable %s, %i may be in excess and %i unavailable",
  (replicas, maxSurge, maxUnavailable, surge, unavailable) => {
    expect(rolling(replicas, maxSurge, maxUnavailable)).toEqual({ surge, unavailable });
  },
);

test("some step can always be made", () => {
  const percent = fc.integer({ min: 0, max: 100 }).map((value) => `${value}%`);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), percent, percent, (replicas, maxSurge, maxUnavailable) => {
      const { surge, unavailable } = rolling(replicas, maxSurge, maxUnavailable);
      expect(surge + unavailable).toBeGreaterThan(0);
      expect(unavailable).toBeLessThanOrEqual(replicas);
    }),
  );
});
