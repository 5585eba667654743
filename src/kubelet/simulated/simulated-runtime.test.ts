import { expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { containerConfig, sandboxConfig } from "../runtime.suite.ts";
import { SimulatedRuntime } from "./simulated-runtime.ts";

test.each([
  [true, { state: "exited", exitCode: 0 }],
  [false, { state: "running" }],
])("a container of no known program, being an init container (%s), comes to %j", async (isInit, status) => {
  const clock = new VirtualClock();
  const env = { clock, random: seededRandom(1), log: silentLogger };
  const runtime = new SimulatedRuntime({ env, podNetwork: "10.0.0" });
  const { id } = await runtime.runSandbox(sandboxConfig("p", "/nonexistent"));
  await runtime.startContainer(await runtime.createContainer(id, containerConfig("any", [], { isInit })));
  await clock.settle();
  expect(await runtime.list()).toMatchObject([{ containers: [status] }]);
});
