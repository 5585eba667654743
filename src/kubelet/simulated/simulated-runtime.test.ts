import { expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { systemClock } from "../../util/clock.ts";
import { containerConfig, runtimeSuite, sandboxConfig } from "../runtime.suite.ts";
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
  [true, { state: "exited", exitCode: 0 }],
  [false, { state: "running" }],
])("a container without a program, as an init container (%s), reaches %j", async (isInit, status) => {
  const clock = new VirtualClock();
  const env = { clock, random: seededRandom(1), log: silentLogger };
  const runtime = new SimulatedRuntime({ env, podCIDR: "10.0.0.0/24" });
  const { id } = await runtime.runSandbox(sandboxConfig("p", "/nonexistent"));
  await runtime.startContainer(await runtime.createContainer(id, containerConfig("any", [], { isInit })));
  await clock.settle();
  expect(await runtime.list()).toMatchObject([{ containers: [status] }]);
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
