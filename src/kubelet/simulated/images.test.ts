import { expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import type { ContainerRule } from "./configuration/schema.ts";
import { SimulatedImages } from "./images.ts";
import { Rules } from "./rules.ts";

const pod = { namespace: "default", labels: {}, annotations: {} };

function imagesWith(rules: readonly ContainerRule[], ...names: readonly string[]) {
  const clock = new VirtualClock();
  const env = { clock, random: seededRandom(1), log: silentLogger };
  const listed = names.length === 0 ? [] : [{ names, sizeBytes: 7 }];
  const images = new SimulatedImages(env, new Rules(rules), listed);
  const has = async (name: string) => (await images.inspect(name, pod)) !== undefined;
  return { clock, images, has };
}

test("every image is on the node, unless its rule has a pull", async () => {
  const { images, has } = imagesWith([{ images: ["slow:*"], stages: { pull: {} } }]);
  expect([await has("any"), await has("slow:1")]).toEqual([true, false]);
  await images.pull("slow:1", pod);
  expect([await has("slow:1"), await has("slow:2")]).toEqual([true, false]);
  await images.remove("slow:1");
  expect(await has("slow:1")).toBe(false);
});

test("an image that the node lists needs no pull", async () => {
  const { images, has } = imagesWith([{ stages: { pull: {} } }], "a:1", "a:latest");
  expect([await has("a:1"), await has("a:latest"), await has("b")]).toEqual([true, true, false]);
  expect(await images.list()).toMatchObject([{ tags: ["a:1", "a:latest"], sizeBytes: 7 }]);
});

test("a pull takes its delay, also when it fails", async () => {
  const delay = { durationMilliseconds: 5000 };
  const failure = { reason: "InvalidImageName", message: "no" };
  const { clock, images, has } = imagesWith([{ stages: { pull: { delay, failure } } }]);
  let result = "";
  const pull = images.pull("a", pod).catch((error: unknown) => (result = String(error)));
  await clock.advance(4999);
  expect(result).toBe("");
  await clock.advance(1);
  await pull;
  expect(result).toBe("RuntimeError: no");
  expect(await has("a")).toBe(false);
});

test("a node keeps a hundred pulled images, those used last", async () => {
  const { images, has } = imagesWith([{ stages: { pull: {} } }]);
  for (let i = 0; i < 150; i++) {
    await images.pull(`a:${i}`, pod);
    await has("a:0");
  }
  expect([await has("a:0"), await has("a:1"), await has("a:149")]).toEqual([true, false, true]);
});
