import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Draft } from "../../meta/schema.ts";
import type { HPAScalingRules } from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";
import { start as now } from "../builders.suite.ts";
import { type Change, changedWithin, firstMemory, type Memory, remembered } from "./memory.ts";
import { limit, limitByRate, normalize } from "./normalize.ts";

/** Cases by value from upstream's `horizontal_test.go`. */

const minute = 60_000;
/** The replicas, and how long ago they were recommended, in minutes. */
type Past = readonly (readonly [replicas: number, minutes: number])[];
const memoryOf = (past: Past): Memory => ({
  recommendations: past.map(([replicas, minutes]) => ({ replicas, at: now - minutes * minute })),
  ups: [],
  downs: [],
});

type Rules = Draft<HPAScalingRules>;

/** Makes rules like upstream's `generateScalingRules`. */
function rules(pods: number, podsPeriod: number, percent: number, percentPeriod: number, window = 0): Rules {
  const policies = [
    ...(pods === 0 ? [] : [{ type: "Pods", value: pods, periodSeconds: podsPeriod }]),
    ...(percent === 0 ? [] : [{ type: "Percent", value: percent, periodSeconds: percentPeriod }]),
  ];
  return { selectPolicy: "Max", stabilizationWindowSeconds: window, policies };
}

const defaultUp = rules(4, 15, 100, 15);
const defaultDown = rules(0, 0, 100, 15, 300);

/** Spreads changes over a period like upstream's `generateEventsUniformDistribution`. */
function changes(amounts: readonly number[], seconds: number): readonly Change[] {
  const segment = seconds / amounts.length;
  return amounts.map((by, i) => ({
    by,
    at: now - Math.trunc(seconds - segment * (i + 1) + segment / 2) * 1000,
  }));
}

describe("without a behavior", () => {
  test.each<[string, number, number, number, number, number, string]>([
    ["within the range", 5, 7, 3, 8, 7, "DesiredWithinRange"],
    ["below the minimum", 3, 1, 2, 8, 2, "TooFewReplicas"],
    ["at zero", 1, 0, 0, 10, 0, "DesiredWithinRange"],
    ["above the maximum", 20, 1000, 1, 10, 10, "TooManyReplicas"],
    ["faster than twice", 3, 1000, 1, 2000, 6, "ScaleUpLimit"],
    ["faster than to 4", 1, 1000, 1, 2000, 4, "ScaleUpLimit"],
  ])("a wish %s is limited", (_, current, desired, min, max, replicas, reason) => {
    expect(limit({ current, desired, min, max })).toMatchObject({ replicas, reason });
  });

  test.each<[string, Past, number, number]>([
    ["nothing", [], 5, 5],
    [
      "higher ones",
      [
        [4, 2],
        [5, 1],
      ],
      3,
      5,
    ],
    [
      "lower ones",
      [
        [1, 2],
        [2, 1],
      ],
      3,
      3,
    ],
    [
      "old ones",
      [
        [10, 10],
        [9, 9],
      ],
      3,
      3,
    ],
    [
      "old and higher ones",
      [
        [10, 10],
        [4, 1],
        [5, 2],
        [9, 9],
      ],
      3,
      5,
    ],
  ])("past recommendations (%s) stabilize a scale-down", (_, past, desired, replicas) => {
    const wish = {
      current: 100,
      desired,
      min: 1,
      max: 100,
      behavior: undefined,
      memory: memoryOf(past),
      now,
    };
    const normal = normalize(wish);
    expect(normal.replicas).toBe(replicas);
    expect(normal.able.reason).toBe(replicas === desired ? "ReadyForNewScale" : "ScaleDownStabilized");
    expect(normal.recommendations.at(-1)).toEqual({ replicas: desired, at: now });
  });

  test("recommendations outside of the window are forgotten", () => {
    const memory = memoryOf([
      [10, 10],
      [4, 1],
    ]);
    const wish = { current: 4, desired: 3, min: 1, max: 9, behavior: undefined, memory, now };
    expect(normalize(wish).recommendations.map(({ replicas }) => replicas)).toEqual([4, 3]);
  });
});

describe("with a behavior, past recommendations stabilize", () => {
  test.each<[string, Past, number, number, number, number, number]>([
    ["nothing", [], 100, 5, 5, 0, 0],
    [
      "down",
      [
        [4, 2],
        [5, 1],
      ],
      100,
      3,
      5,
      0,
      180,
    ],
    [
      "up",
      [
        [4, 2],
        [5, 1],
      ],
      1,
      7,
      4,
      300,
      0,
    ],
    [
      "not down without a window",
      [
        [1, 2],
        [2, 1],
      ],
      100,
      3,
      3,
      300,
      0,
    ],
    [
      "not up without a window",
      [
        [4, 2],
        [5, 1],
      ],
      1,
      3,
      3,
      0,
      300,
    ],
    [
      "not down when old",
      [
        [10, 10],
        [9, 9],
      ],
      100,
      3,
      3,
      0,
      0,
    ],
    [
      "not up when old",
      [
        [10, 10],
        [9, 9],
      ],
      1,
      100,
      100,
      0,
      0,
    ],
    [
      "down, some being old",
      [
        [10, 10],
        [4, 1],
        [5, 2],
        [9, 9],
      ],
      100,
      3,
      5,
      0,
      180,
    ],
    [
      "up, some being old",
      [
        [10, 100],
        [6, 1],
        [5, 2],
        [9, 3],
      ],
      1,
      100,
      5,
      300,
      0,
    ],
    [
      "not up when the wish falls",
      [
        [2, 100],
        [3, 3],
      ],
      2,
      1,
      2,
      300,
      300,
    ],
    [
      "not down when the wish rises",
      [
        [2, 100],
        [1, 3],
      ],
      2,
      3,
      2,
      300,
      300,
    ],
  ])("%s", (_, past, current, desired, replicas, upWindow, downWindow) => {
    const free = { selectPolicy: "Max", policies: [{ type: "Pods", value: 1000, periodSeconds: 15 }] };
    const behavior = {
      scaleUp: { ...free, stabilizationWindowSeconds: upWindow },
      scaleDown: { ...free, stabilizationWindowSeconds: downWindow },
    };
    const wish = { current, desired, min: 0, max: 1000, behavior, memory: memoryOf(past), now };
    expect(normalize(wish).replicas).toBe(replicas);
  });

  test("by 5 minutes when the rules name no window", () => {
    const { stabilizationWindowSeconds: _, ...scaleDown } = defaultDown;
    const behavior = { scaleUp: defaultUp, scaleDown };
    const wish = {
      current: 9,
      desired: 1,
      min: 1,
      max: 9,
      memory: memoryOf([
        [7, 4],
        [8, 6],
      ]),
      now,
    };
    expect(normalize({ ...wish, behavior })).toMatchObject({
      replicas: 7,
      able: { reason: "ScaleDownStabilized" },
    });
  });
});

interface Case {
  readonly ups?: readonly Change[];
  readonly downs?: readonly Change[];
  readonly up?: Rules;
  readonly down?: Rules;
  readonly min?: number;
  readonly max?: number;
}

const risen = changes([1, 5, 9], 120);
const mixed = changes([8, 12, 9, 11], 120);

describe("the policies of a behavior limit the change", () => {
  test.each<[string, number, number, Case, number, string]>([
    ["within the range", 5, 7, { min: 3, max: 8 }, 7, "DesiredWithinRange"],
    ["to the minimum", 3, 1, { min: 2, max: 8 }, 2, "TooFewReplicas"],
    ["to zero", 1, 0, { min: 0, max: 10 }, 0, "DesiredWithinRange"],
    ["to a maximum below the present", 20, 1000, { max: 10 }, 10, "TooManyReplicas"],
    ["to the maximum", 100, 1000, { min: 100, max: 150 }, 150, "TooManyReplicas"],
    ["by one percent, rounded up", 3, 1000, { max: 2000, up: rules(0, 0, 1, 60) }, 4, "ScaleUpLimit"],
    ["down by Pods", 1000, 3, { min: 3, max: 2000, down: rules(20, 60, 0, 0) }, 980, "ScaleDownLimit"],
    ["up by default", 10, 50, {}, 20, "ScaleUpLimit"],
    ["up by Pods, more than by percent", 10, 500, { up: rules(100, 60, 100, 60) }, 110, "ScaleUpLimit"],
    ["up by percent, more than by Pods", 10, 500, { up: rules(2, 60, 100, 60) }, 20, "ScaleUpLimit"],
    ["not up by many Pods", 10, 50, { up: rules(100, 60, 0, 0) }, 50, "DesiredWithinRange"],
    ["up by Pods", 10, 50, { up: rules(30, 60, 0, 0) }, 40, "ScaleUpLimit"],
    ["up by percent", 10, 50, { up: rules(0, 0, 200, 60) }, 30, "ScaleUpLimit"],
    ["down by Pods, more than by percent", 100, 2, { down: rules(20, 60, 1, 60) }, 80, "ScaleDownLimit"],
    ["down by few Pods", 100, 2, { down: rules(2, 60, 1, 60) }, 98, "ScaleDownLimit"],
    ["down to the minimum by Pods", 10, 0, { down: rules(100, 60, 0, 0) }, 1, "TooFewReplicas"],
    ["down to the minimum by percent", 10, 2, { min: 5, down: rules(0, 0, 100, 60) }, 5, "TooFewReplicas"],
    ["down by five Pods", 10, 2, { down: rules(5, 60, 0, 0) }, 5, "ScaleDownLimit"],
    ["down by percent, rounded down", 15, 1, { down: rules(0, 0, 10, 60) }, 13, "ScaleDownLimit"],
    ["not down by half", 10, 5, { down: rules(0, 0, 50, 60) }, 5, "DesiredWithinRange"],
    [
      "up to the maximum after changes",
      100,
      500,
      { ups: risen, max: 200, up: rules(300, 60, 0, 0) },
      200,
      "TooManyReplicas",
    ],
    [
      "up by too few Pods after changes",
      100,
      500,
      { ups: risen, up: rules(5, 120, 0, 0) },
      100,
      "ScaleUpLimit",
    ],
    ["up by Pods after changes", 100, 500, { ups: risen, up: rules(150, 120, 0, 0) }, 235, "ScaleUpLimit"],
    ["up by percent after changes", 100, 500, { ups: risen, up: rules(0, 0, 200, 120) }, 255, "ScaleUpLimit"],
    [
      "up by percent after changes in both directions",
      6,
      24,
      { ups: changes([4], 120), downs: changes([2], 120), up: rules(0, 0, 300, 300) },
      16,
      "ScaleUpLimit",
    ],
    ["not down by default after changes", 10, 5, { downs: risen }, 5, "DesiredWithinRange"],
    [
      "down to the minimum after changes",
      100,
      0,
      { downs: risen, min: 5, down: rules(130, 120, 0, 0) },
      5,
      "TooFewReplicas",
    ],
    [
      "down to nothing by all percent after changes",
      100,
      2,
      { downs: risen, min: 5, down: rules(0, 0, 100, 120) },
      5,
      "TooFewReplicas",
    ],
    [
      "down by fewer Pods than already",
      100,
      2,
      { downs: risen, down: rules(5, 120, 0, 0) },
      100,
      "ScaleDownLimit",
    ],
    [
      "down by half after changes",
      100,
      0,
      { downs: changes([2, 4, 6], 120), down: rules(0, 0, 50, 120) },
      56,
      "ScaleDownLimit",
    ],
    [
      "down by half after changes in both directions",
      10,
      1,
      { ups: changes([2], 120), downs: changes([4], 120), down: rules(0, 0, 50, 180) },
      6,
      "ScaleDownLimit",
    ],
    [
      "down by less percent than already",
      100,
      0,
      { downs: changes([10, 10, 10], 120), down: rules(0, 0, 10, 120) },
      100,
      "ScaleDownLimit",
    ],
    [
      "not down by more than everything",
      10,
      5,
      { downs: changes([10, 10, 10], 120), down: rules(0, 0, 1000, 120) },
      5,
      "DesiredWithinRange",
    ],
    [
      "up by the larger of two policies",
      100,
      200,
      { ups: mixed, up: rules(1000, 30, 100, 60) },
      200,
      "DesiredWithinRange",
    ],
    [
      "down by the larger of two policies",
      100,
      5,
      { downs: mixed, down: rules(1000, 30, 100, 60) },
      5,
      "DesiredWithinRange",
    ],
    [
      "not up at all when disabled",
      5,
      9,
      { up: { ...defaultUp, selectPolicy: "Disabled" } },
      5,
      "ScaleUpLimit",
    ],
    [
      "not down at all when disabled",
      5,
      2,
      { down: { ...defaultDown, selectPolicy: "Disabled" } },
      5,
      "ScaleDownLimit",
    ],
    [
      "up by the smaller policy",
      1,
      9,
      { up: { ...rules(2, 60, 50, 60), selectPolicy: "Min" } },
      2,
      "ScaleUpLimit",
    ],
    [
      "down by the smaller policy",
      5,
      1,
      { down: { ...rules(2, 60, 50, 60), selectPolicy: "Min" } },
      3,
      "ScaleDownLimit",
    ],
  ])("%s", (_, current, desired, one, replicas, reason) => {
    const { ups = [], downs = [], up = defaultUp, down = defaultDown, min = 1, max = 1000 } = one;
    const behavior = { scaleUp: up, scaleDown: down };
    const memory = { recommendations: [], ups, downs };
    const wish = { current, desired, min, max, behavior, memory, now };
    expect(limitByRate(wish, behavior)).toMatchObject({ replicas, reason });
  });
});

describe("changes", () => {
  test.each<[string, readonly number[], Rules | undefined, readonly number[], number]>([
    ["without a behavior are not stored", [], undefined, [], 0],
    ["are stored", [], rules(10, 60, 100, 60), [5], 0],
    ["replace outdated ones", [61], rules(10, 60, 100, 60), [5], 0],
    ["join recent ones", [58], rules(10, 60, 100, 60), [7, 5], 7],
    ["are kept for the longest period", [58, 90], rules(10, 120, 100, 30), [7, 7, 5], 7],
  ])("%s", (_, ages, scaling, stored, within) => {
    const past = ages.map((seconds) => ({ by: 7, at: now - seconds * 1000 }));
    expect(changedWithin(past, 60, now)).toBe(within);
    for (const [direction, to] of [
      ["ups", 15],
      ["downs", 5],
    ] as const) {
      const behavior = scaling && { scaleUp: scaling, scaleDown: scaling };
      const memory = { ...firstMemory(10, now), [direction]: past };
      const next = remembered(memory, behavior, { from: 10, to, now });
      expect(next[direction].map(({ by }) => by)).toEqual(stored);
    }
  });
});

const anyRules = fc.record({
  selectPolicy: fc.constantFrom("Max", "Min", "Disabled"),
  stabilizationWindowSeconds: fc.nat(3600),
  policies: fc.array(
    fc.record({
      type: fc.constantFrom("Pods", "Percent"),
      value: fc.integer({ min: 1, max: 200 }),
      periodSeconds: fc.integer({ min: 1, max: 1800 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});
const someChanges = fc.array(
  fc.record({ by: fc.nat(50), at: fc.integer({ min: now - 3_600_000, max: now }) }),
  {
    maxLength: 5,
  },
);
const anyWish = fc
  .record({
    min: fc.integer({ min: 1, max: 50 }),
    span: fc.nat(200),
    offset: fc.nat(200),
    desired: fc.nat(500),
    behavior: fc.option(fc.record({ scaleUp: anyRules, scaleDown: anyRules }), { nil: undefined }),
    recommendations: fc.array(
      fc.record({ replicas: fc.nat(500), at: fc.integer({ min: now - 3_600_000, max: now }) }),
      { maxLength: 10 },
    ),
    ups: someChanges,
    downs: someChanges,
  })
  .map(({ min, span, offset, recommendations, ups, downs, ...wish }) => ({
    ...wish,
    min,
    max: min + span,
    current: min + Math.min(offset, span),
    memory: { recommendations, ups, downs },
    now,
  }));

test("a target within its bounds stays within them, and disabled directions never change it", () => {
  fc.assert(
    fc.property(anyWish, (wish) => {
      const { replicas, limited } = normalize(wish);
      expect(Number.isInteger(replicas)).toBe(true);
      expect(replicas).toBeGreaterThanOrEqual(wish.min);
      expect(replicas).toBeLessThanOrEqual(wish.max);
      if (wish.behavior?.scaleUp.selectPolicy === "Disabled")
        expect(replicas).toBeLessThanOrEqual(wish.current);
      if (wish.behavior?.scaleDown.selectPolicy === "Disabled")
        expect(replicas).toBeGreaterThanOrEqual(wish.current);
      if (limited.reason === "DesiredWithinRange") expect(limited.status).toBe("False");
    }),
  );
});
