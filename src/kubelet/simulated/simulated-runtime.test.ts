import { expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { systemClock } from "../../util/clock.ts";
import { containerConfig, runtimeSuite, sandboxConfig } from "../runtime.suite.ts";
import { server } from "./server.suite.ts";
import { SimulatedRuntime } from "./simulated-runtime.ts";

const features = { images: false, commands: false, sessions: false, dial: false, adoption: false };
runtimeSuite("simulated", features, async () => {
  const env = { clock: systemClock, random: seededRandom(1), log: silentLogger };
  const runtime = new SimulatedRuntime({ env, podCIDR: "10.0.0.0/24" });
  return {
    runtime,
    image: "any",
    logDirectory: "/nonexistent",
    restart: () => Promise.resolve(runtime),
    dispose: () => runtime.close(),
  };
});

test.each([
  ["init", { state: "exited", exitCode: 0 }],
  ["main", { state: "running" }],
  ["sidecar", { state: "running" }],
] as const)("a container without a program, in the role %s, reaches %j", async (role, status) => {
  const clock = new VirtualClock();
  const env = { clock, random: seededRandom(1), log: silentLogger };
  const runtime = new SimulatedRuntime({ env, podCIDR: "10.0.0.0/24" });
  const { id } = await runtime.runSandbox(sandboxConfig("p", "/nonexistent"));
  await runtime.startContainer(await runtime.createContainer(id, containerConfig("any", [], { role })));
  await clock.settle();
  expect(await runtime.list()).toMatchObject([{ containers: [status] }]);
});

test("a program says its present usage, and another has a small and steady one", async () => {
  const clock = new VirtualClock();
  const complaints: string[] = [];
  const log = { ...silentLogger, warn: (message: string) => void complaints.push(message) };
  let cpu = 0.5;
  const programs = new Map([["busy", { ...server, usage: () => ({ cpu, memoryBytes: 100 }) }]]);
  const env = { clock, random: seededRandom(1), log };
  const runtime = new SimulatedRuntime({ env, podCIDR: "10.0.0.0/24", programs });
  const start = async (image: string) => {
    const { id } = await runtime.runSandbox(sandboxConfig("p", "/nonexistent"));
    const container = await runtime.createContainer(id, containerConfig(image, []));
    await runtime.startContainer(container);
    return container;
  };
  const [busy, idle] = [await start("busy"), await start("idle")];
  const small = { cpuNanoCores: 1e6, memoryBytes: 8 << 20 };
  const rates = () => Object.fromEntries(runtime.rates());
  expect(rates()).toEqual({ [busy]: { cpuNanoCores: 5e8, memoryBytes: 100 }, [idle]: small });
  cpu = 2;
  expect(rates()).toEqual({ [busy]: { cpuNanoCores: 2e9, memoryBytes: 100 }, [idle]: small });
  cpu = Number.NaN;
  expect(rates()).toEqual({ [idle]: small });
  expect(complaints).toEqual(["Cannot measure a simulated program"]);
  await runtime.stopContainer(busy, 0);
  expect(rates()).toEqual({ [idle]: small });
  expect(complaints).toHaveLength(1);
});

test("every sandbox has an address of the node's network until it is stopped", async () => {
  const env = { clock: new VirtualClock(), random: seededRandom(1), log: silentLogger };
  const runtime = new SimulatedRuntime({ env, podCIDR: "10.1.2.8/29" });
  const run = (more: object = {}) => runtime.runSandbox({ ...sandboxConfig("p", "/nonexistent"), ...more });
  const sandboxes = [await run(), await run(), await run(), await run(), await run()];
  const addresses = ["10.1.2.10", "10.1.2.11", "10.1.2.12", "10.1.2.13", "10.1.2.14"];
  expect(sandboxes.flatMap(({ ips }) => ips)).toEqual(addresses);
  await expect(run()).rejects.toThrow("no address is free in 10.1.2.8/29");
  expect((await run({ hostNetwork: true })).ips).toEqual([]);
  const second = sandboxes[1]?.id ?? "";
  await runtime.stopSandbox(second);
  expect((await run()).ips).toEqual(["10.1.2.11"]);
  await runtime.removeSandbox(second);
  await expect(run()).rejects.toThrow("no address is free");
});

test("a list stays the same object until something changes", async () => {
  const env = { clock: new VirtualClock(), random: seededRandom(1), log: silentLogger };
  const runtime = new SimulatedRuntime({ env, podCIDR: "10.0.0.0/24" });
  const changes: readonly (() => Promise<unknown>)[] = [
    () => runtime.runSandbox(sandboxConfig("p", "/nonexistent")),
    () => runtime.createContainer(sandbox(), containerConfig("any", [])),
    () => runtime.startContainer(container()),
    () => runtime.stopContainer(container(), 0),
    () => runtime.removeContainer(container()),
    () => runtime.stopSandbox(sandbox()),
    () => runtime.removeSandbox(sandbox()),
  ];
  let list = await runtime.list();
  const sandbox = () => list[0]?.id ?? "";
  const container = () => list[0]?.containers[0]?.id ?? "";
  for (const change of changes) {
    expect(await runtime.list()).toBe(list);
    await change();
    const next = await runtime.list();
    expect(next).not.toEqual(list);
    list = next;
  }
  expect(list).toEqual([]);
});
