import { describe, expect, test } from "vitest";
import { aPod } from "../allocation/builders.suite.ts";
import { excessBytes, imagesToRemove, stepAges } from "./images.ts";
import { availableMemory } from "./observe.ts";
import { mostUrgent, noPressure, type Observations, stepPressure } from "./pressure.ts";
import { pressureMessage, rankForEviction } from "./ranking.ts";
import { parseThresholds, type Signal } from "./thresholds.ts";

const Mi = 1 << 20;
const none = { hard: {}, soft: {}, softGraceMs: {}, minimumReclaim: {} };
const observed = (available: number, signal: Signal = "memory.available"): Observations =>
  new Map([[signal, { available, capacity: 1000 }]]);

describe("thresholds", () => {
  test("are amounts or parts of the capacity; 0% and 100% switch one off", () => {
    const hard = { "memory.available": "100Mi", "nodefs.available": "10%", "imagefs.available": "0%" };
    expect(parseThresholds({ ...none, hard })).toEqual([
      { signal: "memory.available", value: { amount: 100 * Mi }, graceMs: 0 },
      { signal: "nodefs.available", value: { fraction: 0.1 }, graceMs: 0 },
    ]);
  });

  test.each([
    [{ hard: { "disk.free": "1" } }, "unsupported eviction signal disk.free"],
    [{ hard: { "memory.available": "-1" } }, "eviction threshold memory.available must be positive: -1"],
    [
      { hard: { "memory.available": "101%" } },
      "eviction percentage threshold memory.available must be <= 100%: 101%",
    ],
    [
      { soft: { "memory.available": "1Gi" } },
      "grace period must be specified for the soft eviction threshold memory.available",
    ],
  ])("%j are refused", (statements, message) => {
    expect(() => parseThresholds({ ...none, ...statements })).toThrow(message);
  });
});

describe("pressure", () => {
  const settings = (more: object) => ({
    thresholds: parseThresholds({ ...none, ...more }),
    transitionMs: 300,
  });

  test("is a condition at once, and for the transition period after it ended", () => {
    const used = settings({ hard: { "memory.available": "100" } });
    const first = stepPressure(noPressure, used, observed(99), 0);
    expect(first).toMatchObject({ conditions: ["MemoryPressure"], met: [{ graceMs: 0 }] });
    const later = stepPressure(first, used, observed(100), 299);
    expect(later).toMatchObject({ conditions: ["MemoryPressure"], met: [] });
    expect(stepPressure(later, used, observed(100), 300).conditions).toEqual([]);
  });

  test("of a soft threshold evicts after its grace period", () => {
    const used = settings({
      soft: { "memory.available": "10%" },
      softGraceMs: { "memory.available": 50 },
    });
    const first = stepPressure(noPressure, used, observed(99), 0);
    expect(first).toMatchObject({ conditions: ["MemoryPressure"], met: [] });
    expect(stepPressure(first, used, observed(99), 50).met).toHaveLength(1);
    const interrupted = stepPressure(first, used, observed(100), 20);
    expect(stepPressure(interrupted, used, observed(99), 60).met).toEqual([]);
  });

  test("lasts until the minimum is reclaimed", () => {
    const used = settings({
      hard: { "nodefs.available": "100" },
      minimumReclaim: { "nodefs.available": "50" },
    });
    const first = stepPressure(noPressure, used, observed(99, "nodefs.available"), 0);
    const second = stepPressure(first, used, observed(149, "nodefs.available"), 10);
    expect(second.met).toHaveLength(1);
    expect(stepPressure(second, used, observed(150, "nodefs.available"), 20).met).toEqual([]);
    expect(stepPressure(noPressure, used, observed(149, "nodefs.available"), 10).met).toEqual([]);
  });

  test("on memory is resolved first", () => {
    const [disk, memory] = parseThresholds({
      ...none,
      hard: { "nodefs.available": "1", "memory.available": "1" },
    });
    expect(mostUrgent([disk, memory].filter((one) => one !== undefined))).toBe(memory);
  });
});

describe("the order of eviction", () => {
  const pod = (name: string, memory: string, priority = 0) =>
    aPod(
      name,
      { memory },
      { spec: { priority, containers: [{ name: "a", resources: { requests: { memory } } }] } },
    );
  const using = (one: ReturnType<typeof aPod>, total: number | undefined) => ({
    pod: one,
    total,
    containers: new Map(total === undefined ? [] : [["a", total]]),
  });

  test("is: unknown usage, above the request, lower priority, larger excess", () => {
    const ranked = rankForEviction(
      [
        using(pod("within", "9Mi"), 8 * Mi),
        using(pod("important", "1Mi", 5), 9 * Mi),
        using(pod("little", "1Mi"), 2 * Mi),
        using(pod("much", "1Mi"), 3 * Mi),
        using(pod("unknown", "1Mi"), undefined),
      ],
      "memory",
    );
    expect(ranked.map((one) => one.pod.metadata.name)).toEqual([
      "unknown",
      "much",
      "little",
      "important",
      "within",
    ]);
  });

  test("is the priority alone for process IDs", () => {
    const ranked = rankForEviction([using(pod("b", "1", 1), 1), using(pod("a", "1"), undefined)], "pids");
    expect(ranked.map((one) => one.pod.metadata.name)).toEqual(["a", "b"]);
  });

  test("is explained in upstream's words", () => {
    const [threshold] = parseThresholds({ ...none, hard: { "memory.available": "100Mi" } });
    if (threshold === undefined) throw new Error("no threshold");
    const now = new Map([["memory.available" as const, { available: 50 * Mi, capacity: 1000 * Mi }]]);
    expect(pressureMessage(using(pod("p", "1Mi"), 2 * Mi), threshold, [threshold], now)).toBe(
      "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. " +
        "Container a was using 2Mi, request is 1Mi, has larger consumption of memory. ",
    );
  });
});

describe("unused images", () => {
  const image = (id: string, sizeBytes = 10) => ({ id, tags: [id], digests: [], sizeBytes });
  const all = [image("used"), image("old"), image("new"), image("older")];
  const ages = new Map([
    ["old", { detected: 0, used: 50 }],
    ["older", { detected: 0, used: 20 }],
    ["new", { detected: 95, used: 0 }],
    ["used", { detected: 0, used: 100 }],
  ]);
  const chosen = (bytes: number, imageMaxAgeMs = 0) =>
    imagesToRemove(all, ages, new Set(["used"]), { bytes, now: 100, imageMinAgeMs: 10, imageMaxAgeMs }).map(
      ({ id }) => id,
    );

  test("go by their last use, except the newest ones", () => {
    expect(chosen(0)).toEqual([]);
    expect(chosen(10)).toEqual(["older"]);
    expect(chosen(Infinity)).toEqual(["older", "old"]);
    expect(chosen(0, 60)).toEqual(["older"]);
  });

  test("keep the times of their detection and last use", () => {
    const first = stepAges(new Map(), [image("a"), image("b")], new Set(["a"]), 5);
    expect([...stepAges(first, [image("a")], new Set(), 9)]).toEqual([["a", { detected: 5, used: 5 }]]);
  });

  test.each([
    [16, 85, 80, 0],
    [15, 85, 80, 5],
    [15, 100, 80, 0],
    [0, 85, 50, 50],
  ])(
    "with %s of 100 bytes free and the marks %s and %s, %s bytes are freed",
    (available, high, low, bytes) => {
      const marks = { imageHighPercent: high, imageLowPercent: low };
      expect(excessBytes({ available, capacity: 100 }, marks)).toBe(bytes);
    },
  );
});

test("memory is available when it is free or cached and not active", () => {
  const meminfo = "MemTotal:       1000 kB\nMemFree:         100 kB\nInactive(file):   50 kB\n";
  expect(availableMemory(meminfo)).toEqual({ available: 150 * 1024, capacity: 1000 * 1024 });
  expect(availableMemory("")).toBe(undefined);
});
