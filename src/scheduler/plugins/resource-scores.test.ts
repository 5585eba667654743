import { expect, test } from "vitest";
import { aNode, aPod, nodeWith } from "../builders.suite.ts";
import { nonZeroRequest } from "../resources.ts";
import {
  leastAllocated,
  mostAllocated,
  requestedToCapacityRatio,
  type ResourceScorer,
} from "./resource-scores.ts";

const gpu = "example.com/gpu";
const node = (cpu: string, memory: string, taken: object = { cpu: "0", memory: "0" }) =>
  nodeWith(aNode("n", {}, { allocatable: { cpu, memory, pods: "10", [gpu]: "4" } }), aPod("q", taken));

const falling = [
  { utilization: 0, score: 10 },
  { utilization: 100, score: 0 },
];
const rising = [
  { utilization: 0, score: 0 },
  { utilization: 40, score: 8 },
  { utilization: 80, score: 10 },
];
const withGpu = [
  { name: "cpu", weight: 1 },
  { name: gpu, weight: 3 },
];

/** Each by the arithmetic of upstream's scorers. */
test.each<[string, ResourceScorer, object, ReturnType<typeof node>, number]>([
  [
    "least allocated: a quarter and a half are left",
    leastAllocated(),
    { cpu: "3", memory: "5000" },
    node("4", "10000"),
    37,
  ],
  [
    "least allocated: more than all of a resource counts 0",
    leastAllocated(),
    { cpu: "5", memory: "5000" },
    node("4", "10000"),
    25,
  ],
  [
    "most allocated: three quarters and a half are used",
    mostAllocated(),
    { cpu: "3", memory: "5000" },
    node("4", "10000"),
    62,
  ],
  [
    "most allocated: what is taken counts too",
    mostAllocated(),
    { cpu: "1", memory: "5000" },
    node("4", "10000", { cpu: "3", memory: "5000" }),
    100,
  ],
  [
    "a resource that the Pod does not ask for does not count",
    mostAllocated(withGpu),
    { cpu: "1", memory: "0" },
    node("4", "10000"),
    25,
  ],
  [
    "an extended resource counts with its weight",
    mostAllocated(withGpu),
    { cpu: "1", memory: "0", [gpu]: "4" },
    node("4", "10000"),
    81,
  ],
  [
    "a falling shape prefers empty nodes",
    requestedToCapacityRatio(falling),
    { cpu: "3", memory: "5000" },
    node("4", "10000"),
    38,
  ],
  [
    "a shape is interpolated between its points",
    requestedToCapacityRatio(rising),
    { cpu: "2", memory: "2000" },
    node("4", "10000"),
    63,
  ],
  [
    "beyond the last point its score holds",
    requestedToCapacityRatio(rising),
    { cpu: "4", memory: "9000" },
    node("4", "10000"),
    100,
  ],
  [
    "a resource whose score is 0 does not count",
    requestedToCapacityRatio(falling),
    { cpu: "4", memory: "5000" },
    node("4", "10000"),
    50,
  ],
  [
    "a shape beyond 100 % of a resource is that of 100 %",
    requestedToCapacityRatio(rising),
    { cpu: "9", memory: "4000" },
    node("4", "10000"),
    90,
  ],
  [
    "below the first point its score holds",
    requestedToCapacityRatio([
      { utilization: 50, score: 5 },
      { utilization: 100, score: 10 },
    ]),
    { cpu: "1", memory: "1000" },
    node("4", "10000"),
    50,
  ],
  [
    "a resource that the node does not have does not count",
    leastAllocated(),
    { cpu: "1", memory: "5000" },
    node("4", "0"),
    75,
  ],
  [
    "CPU counts for a Pod that asks for none, with the default",
    leastAllocated([{ name: "cpu", weight: 1 }]),
    {},
    node("1", "10000"),
    90,
  ],
])("%s", (_, score, requests, at, expected) => {
  expect(score(nonZeroRequest(aPod("p", requests)), at)).toBe(expected);
});
