import { expect, test } from "vitest";
import { nodeResources } from "./node-resources.ts";

const own = { cpu: "2", memory: "4Gi", pods: "110" };

test("a node's resources are its machine's, even after other clients set them", () => {
  const status = { capacity: { cpu: "64" }, allocatable: { cpu: "63", memory: "1Gi" } };
  expect(nodeResources(status, own)).toEqual({ capacity: own, allocatable: own });
});

test("extended resources of other clients stay, and are fully allocatable", () => {
  const status = { capacity: { "example.com/dongle": "4" }, allocatable: { "example.com/dongle": "3" } };
  const all = { "example.com/dongle": "4", ...own };
  expect(nodeResources(status, own)).toEqual({ capacity: all, allocatable: all });
});

test("an extended resource without capacity is not allocatable", () => {
  const status = { allocatable: { "example.com/dongle": "3", "hugepages-2Mi": "8Mi" } };
  expect(nodeResources(status, own).allocatable).toEqual({ "hugepages-2Mi": "8Mi", ...own });
});
