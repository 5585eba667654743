import { expect, test } from "vitest";
import { nodes, pods } from "../../src/api/index.ts";
import { identities } from "../../src/cluster/identities.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { startCluster } from "../../src/testing/index.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { Metrics } from "../../src/util/metrics/metrics.ts";
import { systemRandom } from "../../src/util/random.ts";

test("a scheduler counts its attempts by result, and the Pods that wait by reason", async () => {
  const cluster = await startCluster({ clock: systemClock, nodes: 1, schedules: false });
  const stop = new AbortController();
  const metrics = new Metrics();
  const scheduler = new Scheduler({
    env: { clock: systemClock, random: systemRandom, log: silentLogger, metrics },
    transport: cluster.as(identities.scheduler),
  });
  const ended = scheduler.run(stop.signal);
  try {
    await cluster.waitFor(async () =>
      (await cluster.client.of(nodes).list()).items.every(({ spec }) => (spec.taints ?? []).length === 0),
    );
    const own = cluster.client.of(pods, "default");
    const containers = [{ name: "main", image: "web:1" }];
    await own.create({ metadata: { name: "fits" }, spec: { containers } });
    await own.create({ metadata: { name: "nowhere" }, spec: { containers, nodeSelector: { disk: "ssd" } } });
    const schedulingGates = [{ name: "example.com/wait" }];
    await own.create({ metadata: { name: "gated" }, spec: { containers, schedulingGates } });
    const shows = (line: string) => metrics.text().split("\n").includes(line);
    const has = (result: string) =>
      metrics.text().includes(`scheduler_schedule_attempts_total{result="${result}",`);
    await cluster.waitFor(async () => has("scheduled") && has("unschedulable"));
    await cluster.waitFor(async () => shows('scheduler_pending_pods{queue="unschedulable"} 1'));
    expect(shows('scheduler_pending_pods{queue="gated"} 1')).toBe(true);
    expect(shows('scheduler_pending_pods{queue="active"} 0')).toBe(true);
    expect(metrics.text()).not.toContain('result="error"');
    const duration = "scheduler_scheduling_attempt_duration_seconds_count";
    expect(shows(`${duration}{result="scheduled",profile="default-scheduler"} 1`)).toBe(true);
  } finally {
    stop.abort();
    await ended;
    await cluster.stop();
  }
});
