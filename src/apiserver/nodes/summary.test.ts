import { expect, test } from "vitest";
import { parseSummary } from "./summary.ts";

const time = "2026-01-02T03:04:05Z";
const at = Date.parse(time);
const usage = (usageNanoCores: unknown, workingSetBytes: unknown) => ({
  cpu: { time, usageNanoCores, usageCoreNanoSeconds: 1 },
  memory: { time, workingSetBytes },
});
const measured = (cpuNanoCores: number, memoryBytes: number) => ({
  at,
  windowMs: 10_000,
  cpuNanoCores,
  memoryBytes,
});

test("a summary has the usage of the node and of its Pods' containers", () => {
  const containers = [
    { name: "a", ...usage(7, 8) },
    { name: "b", ...usage(0, 0) },
  ];
  const stats = parseSummary({ node: usage(5, 6), pods: [{ podRef: { uid: "u" }, containers }] });
  expect(stats.node).toEqual(measured(5, 6));
  expect([...stats.pods]).toEqual([
    [
      "u",
      [
        { name: "a", ...measured(7, 8) },
        { name: "b", ...measured(0, 0) },
      ],
    ],
  ]);
});

test.each([
  ["an unmeasured container", [{ name: "a", ...usage(7, 8) }, { name: "b" }]],
  ["a negative amount", [{ name: "a", ...usage(-1, 8) }]],
  ["a fraction", [{ name: "a", ...usage(1, 0.5) }]],
  ["a text", [{ name: "a", ...usage("1", 8) }]],
  ["no list", { length: 3 }],
])("a Pod is left out for %s", (_, containers) => {
  expect(parseSummary({ pods: [{ podRef: { uid: "u" }, containers }] }).pods.size).toBe(0);
});

test.each([[null], [[]], ["text"], [{ node: 3, pods: {} }], [{ pods: [null, 1, { podRef: [] }] }]])(
  "a summary of any form is no error: %j",
  (value) => {
    expect(parseSummary(value)).toEqual({ node: undefined, pods: new Map() });
  },
);
