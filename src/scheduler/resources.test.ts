import { expect, test } from "vitest";
import { aPod } from "./builders.suite.ts";
import { nonZeroRequest, podRequest } from "./resources.ts";

const container = (cpu: string, restartPolicy?: string) => ({
  name: "c",
  image: "web:1",
  resources: { requests: { cpu } },
  ...(restartPolicy === undefined ? {} : { restartPolicy }),
});
const once = (cpu: string) => container(cpu);
const sidecar = (cpu: string) => container(cpu, "Always");

test.each([
  ["containers run together", { containers: [once("1"), once("500m")] }, 1500],
  [
    "init containers run one after the other",
    { initContainers: [once("1"), once("3")], containers: [once("2")] },
    3000,
  ],
  [
    "an init container that needs less does not count",
    { initContainers: [once("1")], containers: [once("2")] },
    2000,
  ],
  ["sidecars run beside the containers", { initContainers: [sidecar("1")], containers: [once("2")] }, 3000],
  [
    "an init container runs beside the sidecars before it",
    { initContainers: [sidecar("2"), once("3"), sidecar("4")], containers: [once("1")] },
    7000,
  ],
  ["the largest moment counts", { initContainers: [sidecar("1"), once("8")], containers: [once("1")] }, 9000],
  ["overhead comes on top", { containers: [once("1")], overhead: { cpu: "250m" } }, 1250],
  [
    "a request of the Pod as a whole replaces those of its containers",
    { containers: [once("1")], resources: { requests: { cpu: "3" } }, overhead: { cpu: "1" } },
    4000,
  ],
])("a Pod's request: %s", (_, spec, milliCpu) => {
  expect(podRequest(aPod("p", {}, spec)).get("cpu")).toBe(milliCpu);
});

test("amounts are in whole units, those of CPU in thousandths", () => {
  const request = podRequest(aPod("p", { cpu: "0.1", memory: "1Mi", "acme.com/gpu": "2" }));
  expect(request).toMatchObject({
    milliCpu: 100,
    memory: 1_048_576,
    scalars: new Map([["acme.com/gpu", 2]]),
  });
});

test("a container without requests counts with upstream's defaults when nodes are compared", () => {
  expect(nonZeroRequest(aPod("p"))).toMatchObject({ milliCpu: 100, memory: 200 * 1024 * 1024 });
  expect(nonZeroRequest(aPod("p", { cpu: "0", memory: "1" }))).toMatchObject({ milliCpu: 0, memory: 1 });
});
