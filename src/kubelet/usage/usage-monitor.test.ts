import { expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { containerConfig, sandboxConfig } from "../runtime.suite.ts";
import type { SandboxStatus } from "../runtime.ts";
import { server } from "../simulated/server.suite.ts";
import { SimulatedRuntime } from "../simulated/simulated-runtime.ts";
import { UsageMonitor } from "./usage-monitor.ts";

async function start(usage: () => { cpu: number; memoryBytes: number }) {
  const clock = new VirtualClock();
  const complaints: string[] = [];
  const log = { ...silentLogger, warn: (message: string) => void complaints.push(message) };
  const env = { clock, random: seededRandom(1), log };
  const programs = new Map([["busy", { ...server, usage }]]);
  const runtime = new SimulatedRuntime({ env, podCIDR: "10.0.0.0/24", programs });
  const { id } = await runtime.runSandbox(sandboxConfig("p", "/nonexistent"));
  const run = async (name: string) => {
    const container = await runtime.createContainer(id, containerConfig("busy", [], { name }));
    await runtime.startContainer(container);
    sandboxes = await runtime.list();
    return container;
  };
  let sandboxes: readonly SandboxStatus[] = [];
  const monitor = new UsageMonitor(runtime, env, () => sandboxes);
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
