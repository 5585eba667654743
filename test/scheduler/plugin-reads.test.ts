import { expect, test } from "vitest";
import { configMaps, pods } from "../../src/api/index.ts";
import { identities } from "../../src/cluster/identities.ts";
import { changeOf } from "../../src/scheduler/cluster-event.ts";
import { type Handle, type Plugin, unschedulable } from "../../src/scheduler/framework.ts";
import { defaultProfile } from "../../src/scheduler/plugins.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { startCluster, VirtualClock } from "../../src/testing/index.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { seededRandom } from "../../src/util/random.ts";

const schedulerName = "gatekeeper";

/** Lets Pods run while the ConfigMap `gate` of their namespace says so. */
function gate({ cache }: Handle): Plugin {
  const isOpen = (namespace = "") => cache.get(configMaps, namespace, "gate")?.data?.["open"] === "yes";
  const closed = unschedulable("the gate is closed");
  return {
    name: "Gate",
    reads: [configMaps],
    keyOf: ({ metadata }) => String(isOpen(metadata.namespace)),
    preFilter: ({ metadata }) => ({
      type: "filtering",
      filter: () => (isOpen(metadata.namespace) ? undefined : closed),
    }),
    helps: ({ metadata }, event) =>
      changeOf(configMaps, event)?.object?.metadata.namespace === metadata.namespace,
  };
}

test("a plugin reads another kind from the cache, and its Pods are tried again when an object of it changes", async () => {
  const clock = new VirtualClock();
  const cluster = await startCluster({ clock, nodes: 1 });
  const stop = new AbortController();
  const scheduler = new Scheduler({
    env: { clock, random: seededRandom(1), log: silentLogger },
    // The ClusterRole of schedulers does not include ConfigMaps.
    transport: cluster.as({ ...identities.scheduler, groups: ["system:masters"] }),
    profiles: new Map([
      [schedulerName, (handle: Handle) => [...defaultProfile(handle), { plugin: gate(handle), weight: 0 }]],
    ]),
  });
  const ended = scheduler.run(stop.signal);
  const own = cluster.client.of(pods, "default");
  const maps = cluster.client.of(configMaps, "default");
  try {
    await maps.create({ metadata: { name: "gate" }, data: { open: "no" } });
    const create = (name: string) =>
      own.create({
        metadata: { name },
        spec: { schedulerName, containers: [{ name: "main", image: "web:1" }] },
      });
    await create("early");
    await cluster.waitFor(async () =>
      ((await own.get("early")).status.conditions ?? []).some(({ message = "" }) =>
        message.includes("1 the gate is closed"),
      ),
    );
    await maps.patch("gate", { data: { open: "yes" } }, { type: "merge" });
    // Long before the five minutes after which every Pod is tried again.
    await cluster.waitFor(async () => (await own.get("early")).spec.nodeName !== undefined, 20_000);
    await create("late");
    await cluster.waitFor(async () => (await own.get("late")).spec.nodeName !== undefined, 20_000);
    expect((await own.get("late")).spec.nodeName).toBe("node-1");
  } finally {
    stop.abort();
    await ended;
    await cluster.stop();
  }
});
