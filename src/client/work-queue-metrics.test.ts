import { expect, test } from "vitest";
import { Metrics } from "../util/metrics/metrics.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { WorkQueue } from "./work-queue.ts";

test("a work queue counts its keys, and measures how long they wait and are worked on", async () => {
  const metrics = new Metrics();
  const clock = new VirtualClock();
  const queue = new WorkQueue({ clock, name: "job", metrics });
  const value = (series: string) => {
    const line = metrics
      .text()
      .split("\n")
      .find((one) => one.startsWith(`workqueue_${series}{name="job"}`));
    return Number(line?.split(" ")[1]);
  };
  queue.add("a");
  queue.add("a");
  queue.add("b");
  expect(["adds_total", "depth"].map(value)).toEqual([2, 2]);
  await clock.advance(3_000);
  expect(await queue.next()).toBe("a");
  await clock.advance(5_000);
  expect(["depth", "unfinished_work_seconds", "longest_running_processor_seconds"].map(value)).toEqual([
    1, 5, 5,
  ]);
  expect(["queue_duration_seconds_sum", "queue_duration_seconds_count"].map(value)).toEqual([3, 1]);
  queue.addRateLimited("a");
  queue.done("a");
  expect(["work_duration_seconds_sum", "retries_total", "unfinished_work_seconds"].map(value)).toEqual([
    5, 1, 0,
  ]);
  await clock.advance(10);
  expect(["adds_total", "depth"].map(value)).toEqual([3, 2]);
  queue.shutDown();
});

test("queues of one name count together, until they are shut down", () => {
  const metrics = new Metrics();
  const clock = new VirtualClock();
  const [one, other] = [1, 2].map(() => new WorkQueue({ clock, name: "shared", metrics }));
  one?.add("a");
  other?.add("a");
  other?.add("b");
  const depth = () => /^workqueue_depth\{name="shared"\} (\d+)$/m.exec(metrics.text())?.[1];
  expect(depth()).toBe("3");
  other?.shutDown();
  expect(depth()).toBe("1");
});
