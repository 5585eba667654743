import { expect, test } from "vitest";
import { pods } from "../../src/api/index.ts";
import { identities } from "../../src/cluster/identities.ts";
import type { Handle, Plugin } from "../../src/scheduler/framework.ts";
import { defaultProfile } from "../../src/scheduler/plugins.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { startCluster, VirtualClock } from "../../src/testing/index.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { seededRandom } from "../../src/util/random.ts";

const schedulerName = "slow";
const count = 5;

test.each([
  ["of 20 ms each are made in turns of their own", 20, count],
  ["that take no time are made in one turn", 0, 1],
])("decisions %s", async (_, decisionMs, turns) => {
  const clock = new VirtualClock();
  const cluster = await startCluster({ clock, nodes: 1 });
  const own = cluster.client.of(pods, "default");
  const containers = [{ name: "main", image: "web:1" }];
  for (let i = 0; i < count; i += 1) {
    await own.create({
      metadata: { name: `p${i}`, labels: { app: `${i}` } },
      spec: { schedulerName, containers },
    });
  }
  let elapsedMs = 0;
  let turn = 0;
  const seen = new Set<number>();
  const slow: Plugin = {
    name: "Slow",
    preFilter: () => {
      elapsedMs += decisionMs;
      seen.add(turn);
      return undefined;
    },
  };
  let isOver = false;
  const next = () => {
    turn += 1;
    if (!isOver) setImmediate(next);
  };
  next();
  const stop = new AbortController();
  const scheduler = new Scheduler({
    env: {
      clock: {
        now: () => clock.now(),
        after: (ms, fire) => clock.after(ms, fire),
        monotonic: () => elapsedMs,
      },
      random: seededRandom(1),
      log: silentLogger,
    },
    transport: cluster.as(identities.scheduler),
    profiles: new Map([
      [schedulerName, (handle: Handle) => [...defaultProfile(handle), { plugin: slow, weight: 0 }]],
    ]),
  });
  const ended = scheduler.run(stop.signal);
  try {
    await cluster.waitFor(async () =>
      (await own.list()).items.every(({ spec }) => spec.nodeName !== undefined),
    );
    expect(seen.size).toBe(turns);
  } finally {
    isOver = true;
    stop.abort();
    await ended;
    await cluster.stop();
  }
});
