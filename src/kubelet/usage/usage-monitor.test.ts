import { expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { containerConfig, sandboxConfig } from "../runtime.suite.ts";
import type { SandboxStatus } from "../runtime.ts";
import { SimulatedRuntime } from "../simulated/simulated-runtime.ts";
import { UsageMonitor } from "./usage-monitor.ts";

/** Starts to monitor containers that all use what the function says. */
async function start(load: () => { cpu: number; memoryBytes: number }) {
  const clock = new VirtualClock();
  const complaints: string[] = [];
  const log = { ...silentLogger, warn: (message: string) => void complaints.push(message) };
  const env = { clock, random: seededRandom(1), log };
  const runtime = new SimulatedRuntime({ env, podCIDR: "10.0.0.0/24" });
  const { id } = await runtime.runSandbox(sandboxConfig("p", "/nonexistent"));
  const run = async (name: string) => {
    const container = await runtime.createContainer(id, containerConfig("busy", [], { name }));
    await runtime.startContainer(container);
    sandboxes = await runtime.list();
    used.set(container, { cpuNanos: 0, from: clock.now() });
  };
  let sandboxes: readonly SandboxStatus[] = [];
  /** The CPU time of each container until a time. */
  const used = new Map<string, { cpuNanos: number; from: number }>();
  const measure = async () => {
    const { cpu, memoryBytes } = load();
    const now = clock.now();
    for (const [name, { cpuNanos, from }] of used)
      used.set(name, { cpuNanos: cpuNanos + cpu * (now - from) * 1e6, from: now });
    const containers = new Map([...used].map(([name, { cpuNanos }]) => [name, { cpuNanos, memoryBytes }]));
    return { machine: { cpuNanos: 0, memoryBytes }, containers };
  };
  const monitor = new UsageMonitor({ usage: measure }, env, () => sandboxes);
  const stop = new AbortController();
  const running = monitor.run(stop.signal);
  await clock.settle();
  const end = async () => {
    stop.abort();
    await running;
  };
  return { clock, complaints, monitor, run, end };
}

test("a Pod has rates once all of its containers have run for long enough", async () => {
  let cpu = 0.25;
  const { clock, monitor, run, end } = await start(() => ({ cpu, memoryBytes: 1000 }));
  const podStats = () => monitor.stats().pods.get("uid-p");
  await clock.advance(4_000);
  await run("one");
  expect(monitor.stats()).toEqual({ node: undefined, pods: new Map() });
  await clock.advance(11_000);
  const first = { at: clock.now(), windowMs: 11_000, cpuNanoCores: 250_000_000, memoryBytes: 1000 };
  expect(podStats()).toEqual([{ name: "one", ...first }]);
  expect(monitor.stats().node).toMatchObject({ windowMs: 15_000, memoryBytes: 1000 });
  await clock.advance(6_000);
  await run("two");
  cpu = 0.5;
  await clock.advance(9_000);
  expect(podStats()).toBeUndefined();
  await clock.advance(15_000);
  const later = { at: clock.now(), windowMs: 15_000, cpuNanoCores: 500_000_000, memoryBytes: 1000 };
  expect(podStats()).toEqual([
    { name: "one", ...later },
    { name: "two", ...later },
  ]);
  await end();
});

test("a measurement that fails leaves no old rates, and the next one is tried", async () => {
  let fails = false;
  const { clock, complaints, monitor, run, end } = await start(() => {
    if (fails) throw new Error("broken");
    return { cpu: 1, memoryBytes: 1 };
  });
  await run("one");
  await clock.advance(15_000);
  expect(monitor.stats().pods.size).toBe(1);
  fails = true;
  await clock.advance(15_000);
  expect(monitor.stats()).toEqual({ node: undefined, pods: new Map() });
  expect(complaints).toEqual(["Cannot measure the usage of the node"]);
  fails = false;
  await clock.advance(15_000);
  expect(monitor.stats().pods.size).toBe(1);
  await end();
});

test("a runtime that cannot measure has no rates", async () => {
  const clock = new VirtualClock();
  const monitor = new UsageMonitor({}, { clock, log: silentLogger }, () => []);
  await monitor.run(new AbortController().signal);
  expect(monitor.stats()).toEqual({ node: undefined, pods: new Map() });
  expect(clock.untilNext()).toBeUndefined();
});

test("rates that the runtime knows are those of the moment, and their sum is the node's", async () => {
  const clock = new VirtualClock();
  const env = { clock, random: seededRandom(1), log: silentLogger };
  const runtime = new SimulatedRuntime({ env, podCIDR: "10.0.0.0/24" });
  for (const pod of ["one", "two"]) {
    const { id } = await runtime.runSandbox(sandboxConfig(pod, "/nonexistent"));
    await runtime.startContainer(
      await runtime.createContainer(id, containerConfig("any", [], { name: pod })),
    );
  }
  const sandboxes = await runtime.list();
  const monitor = new UsageMonitor(runtime, env, () => sandboxes);
  await monitor.run(new AbortController().signal);
  const rate = { cpuNanoCores: 1e6, memoryBytes: 8 << 20 };
  const sum = { cpuNanoCores: 2e6, memoryBytes: 16 << 20 };
  await clock.advance(9_999);
  expect(monitor.stats()).toEqual({ node: { at: clock.now(), windowMs: 15_000, ...sum }, pods: new Map() });
  await clock.advance(1);
  const window = { at: clock.now(), windowMs: 10_000, ...rate };
  expect(monitor.stats().pods.get("uid-two")).toEqual([{ name: "two", ...window }]);
  await clock.advance(10_000);
  expect(monitor.stats().pods.get("uid-one")).toMatchObject([{ windowMs: 15_000 }]);
});
