import { expect, test } from "vitest";
import { violations } from "../../bench/schedule/violations.ts";
import { hostname, workloads, zone } from "../../bench/schedule/workloads.ts";
import { type Node, type Pod, pods } from "../../src/api/index.ts";
import { aNode, build } from "../../src/scheduler/builders.suite.ts";

const allocatable = { cpu: "4", memory: "8Gi", pods: "3" };
const nodeIn = (name: string, domain: string): Node =>
  aNode(name, {}, { labels: { [hostname]: name, [zone]: domain }, allocatable });
const nodes = [nodeIn("a", "zone-0"), nodeIn("b", "zone-0"), nodeIn("c", "zone-1")];

/** A Pod of a workload on a node; undefined for none. */
function on(nodeName: string | undefined, workload: string, requests: object = {}, status: object = {}): Pod {
  const containers = [{ name: "main", image: "bench", resources: { requests } }];
  const metadata = { name: `p-${nodeName}`, namespace: "default", labels: { app: workload } };
  const rules = workloads[workload]?.measured.spec?.(workload);
  return build(pods, { metadata, spec: { containers, nodeName, ...rules }, status });
}

const times = (count: number, pod: Pod) => Array.from({ length: count }, () => pod);

test.each<[string, readonly Pod[], ...string[]]>([
  ["Pods that fill a node", times(2, on("a", "basic", { cpu: "2", memory: "4Gi" }))],
  [
    "Pods that ask for more than a node has",
    times(3, on("a", "basic", { cpu: "1500m" })),
    "the node a is overcommitted: 4500 of 4000 cpu",
  ],
  ["more Pods than a node takes", times(4, on("b", "basic")), "the node b is overcommitted: 4 of 3 pods"],
  [
    "Pods without a node, or at their end",
    [on(undefined, "basic", { cpu: "9" }), on("a", "basic", { cpu: "9" }, { phase: "Succeeded" })],
  ],
  ["Pods that keep apart", ["a", "b", "c"].map((name) => on(name, "required-anti-affinity"))],
  [
    "Pods that should keep apart",
    ["a", "a", "b"].map((name) => on(name, "required-anti-affinity")),
    "the Pod p-a is beside 1 that it keeps away from",
    "the Pod p-a is beside 1 that it keeps away from",
  ],
  ["Pods that stay together in a zone", ["a", "b"].map((name) => on(name, "required-affinity"))],
  ["the first Pod of its kind", [on("a", "required-affinity"), on("c", "basic")]],
  [
    "Pods that should stay together",
    ["a", "b", "c"].map((name) => on(name, "required-affinity")),
    "the Pod p-c is beside none of those that it needs",
  ],
  [
    "Pods with the greatest skew",
    [...times(3, on("a", "required-spread")), ...times(2, on("b", "required-spread"))],
  ],
  [
    "Pods with too great a skew",
    [...times(3, on("a", "required-spread")), ...times(3, on("b", "required-spread"))],
    ...["a", "a", "a", "b", "b", "b"].map((name) => `the Pod p-${name} is in domains of the skew 6`),
  ],
  [
    "a skew that is only a preference",
    [...times(3, on("a", "preferred-spread")), ...times(3, on("b", "preferred-spread"))],
  ],
])("%s", (_, placed, ...problems) => {
  expect(violations(nodes, placed)).toEqual(problems);
});
