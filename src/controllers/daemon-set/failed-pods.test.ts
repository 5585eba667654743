import { expect, test } from "vitest";
import { type DaemonSet, daemonSets } from "../../api/apps/daemon-set/schema.ts";
import { build, template } from "../builders.suite.ts";
import { FailedPods } from "./failed-pods.ts";

const set = (observedGeneration: number): DaemonSet =>
  build(daemonSets, {
    metadata: { name: "agent", uid: "uid-agent" },
    spec: { selector: { matchLabels: { app: "web" } }, template },
    status: { observedGeneration },
  });
const minute = 60_000;

// Upstream's case by value: `TestDaemonKillFailedPodsBackoff`.
test("the first failed Pod is deleted at once, the next one after a second, to the millisecond", () => {
  const failed = new FailedPods();
  expect(failed.untilDeletionMs(set(1), "n", 0)).toBe(0);
  failed.deleted(set(1), "n", 0);
  expect([0, 999, 1000].map((now) => failed.untilDeletionMs(set(1), "n", now))).toEqual([1000, 1, 0]);
});

test("the delay doubles up to 15 minutes, and starts anew after half an hour without a deletion", () => {
  const failed = new FailedPods();
  let now = 0;
  const delays = Array.from({ length: 12 }, () => {
    failed.deleted(set(1), "n", now);
    const delay = failed.untilDeletionMs(set(1), "n", now);
    now += delay;
    return delay / 1000;
  });
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  failed.deleted(set(1), "n", now + 15 * minute);
  expect(failed.untilDeletionMs(set(1), "n", now + 15 * minute)).toBe(15 * minute);
  failed.deleted(set(1), "n", now + 46 * minute);
  expect(failed.untilDeletionMs(set(1), "n", now + 46 * minute)).toBe(1000);
});

test("nodes and generations have delays of their own", () => {
  const failed = new FailedPods();
  failed.deleted(set(1), "n", 0);
  expect(failed.untilDeletionMs(set(1), "m", 0)).toBe(0);
  expect(failed.untilDeletionMs(set(2), "n", 0)).toBe(0);
});
