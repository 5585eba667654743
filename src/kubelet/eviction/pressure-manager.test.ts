import { beforeEach, expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { aPod } from "../allocation/builders.suite.ts";
import { nodeContext } from "../node-context.suite.ts";
import type { PodEnd } from "../pod/view.ts";
import type { SandboxStatus } from "../runtime.ts";
import type { Observation } from "./pressure.ts";
import { PressureManager } from "./pressure-manager.ts";
import { parseThresholds, type Signal } from "./thresholds.ts";

let clock: VirtualClock;
let observed: Map<Signal, Observation>;
let seen: string[];
let images: string[];
let running: Set<string>;
let manager: PressureManager;

const critical = { spec: { priority: 2_000_000_000 } };
const all = [aPod("critical", {}, critical), aPod("small", {}), aPod("large", {})];
const usage = new Map([
  ["critical", { cpuNanos: 0, memoryBytes: 90 }],
  ["small", { cpuNanos: 0, memoryBytes: 10 }],
  ["large", { cpuNanos: 0, memoryBytes: 20 }],
]);

beforeEach(() => {
  clock = new VirtualClock();
  observed = new Map();
  seen = [];
  images = ["used", "unused"];
  running = new Set(["critical", "small", "large"]);
  const node = nodeContext({
    name: "n",
    env: { clock, log: silentLogger },
    events: {
      event: (_: unknown, type: string, reason: string, text: string) =>
        seen.push(`${type} ${reason} ${text}`),
    },
    runtime: {
      usage: () => Promise.resolve({ containers: usage }),
      images: {
        list: () => Promise.resolve(images.map((id) => ({ id, tags: [id], digests: [], sizeBytes: 10 }))),
        remove: (name: string) => {
          images = images.filter((one) => one !== name);
          observed.set("imagefs.available", { available: 60, capacity: 100 });
          return Promise.resolve();
        },
      },
    },
    logDirectory: "/nonexistent",
    volumes: { diskPlaces: () => ({ emptyDirs: new Map(), other: [] }) },
  });
  const hard = { "memory.available": "100", "imagefs.available": "50%" };
  manager = new PressureManager({
    node,
    settings: {
      thresholds: parseThresholds({ hard, soft: {}, softGraceMs: {}, minimumReclaim: {} }),
      transitionMs: 300_000,
      maxGraceMs: 0,
      imageHighPercent: 85,
      imageLowPercent: 80,
      imageMinAgeMs: 120_000,
      imageMaxAgeMs: 0,
    },
    pods: () => all,
    sandboxes: (uid) => {
      const state = running.has(uid) ? "running" : "exited";
      // Safe: nothing else of a sandbox is read.
      return [{ containers: [{ id: uid, name: "a", imageId: "used", state }] }] as unknown as SandboxStatus[];
    },
    observe: () => Promise.resolve(observed),
    end: (pod, { reason, graceMs, disruption }: PodEnd) =>
      void seen.push(`${reason} ${pod.metadata.name} ${graceMs} ${disruption?.slice(0, 37)}`),
    changed: () => void seen.push(`changed ${manager.conditions().join()}`),
  });
});

const low = { available: 50, capacity: 1000 };

test("evicts the largest Pod that is not critical, and waits for its end before the next", async () => {
  observed.set("memory.available", low);
  await manager.check();
  expect(seen).toEqual([
    "changed MemoryPressure",
    "Warning EvictionThresholdMet Attempting to reclaim memory",
    "Evicted large 1000 The node was low on resource: memory.",
  ]);
  seen = [];
  await manager.check();
  expect(seen).toEqual([]);
  running.delete("large");
  await manager.check();
  expect(seen.at(-1)).toMatch(/^Evicted small/);
});

test("removes unused images before it evicts Pods", async () => {
  observed.set("imagefs.available", { available: 40, capacity: 100 });
  await manager.check();
  expect(images).toEqual(["used"]);
  expect(seen).toEqual([
    "changed DiskPressure",
    "Warning EvictionThresholdMet Attempting to reclaim ephemeral-storage",
  ]);
});

test("removes unused images of some age from a full disk", async () => {
  observed.set("imagefs.available", { available: 10, capacity: 100 });
  await manager.collectImages();
  expect(images).toEqual(["used", "unused"]);
  expect(seen).toEqual([expect.stringContaining("Warning FreeDiskSpaceFailed ")]);
  await clock.advance(120_000);
  await manager.collectImages();
  expect(images).toEqual(["used"]);
});

test("refuses Pods under pressure, as far as they would make it worse", async () => {
  const guaranteed = aPod("g", { memory: "1" });
  const toleration = { key: "node.kubernetes.io/memory-pressure", operator: "Exists" };
  const tolerant = aPod("t", {}, { spec: { tolerations: [toleration] } });
  expect(manager.refuse(aPod("p", {}))).toBe(undefined);
  observed.set("memory.available", low);
  await manager.check();
  const message = "The node had condition: [MemoryPressure]. ";
  expect(manager.refuse(aPod("p", {}))).toEqual({ reason: "Evicted", message });
  expect([guaranteed, tolerant, all[0] ?? guaranteed].map((pod) => manager.refuse(pod))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  observed.set("imagefs.available", { available: 40, capacity: 100 });
  await manager.check();
  expect(manager.refuse(guaranteed)).toHaveProperty("reason", "Evicted");
});
