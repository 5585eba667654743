import { expect, test } from "vitest";
import { aSlice, endpoint } from "../builders.suite.ts";
import { selectEndpoints } from "./endpoint-selection.ts";

const node = { name: "node-1", zone: "zone-a" };
const ready = { ready: true };
const ending = { ready: false, serving: true, terminating: true };

/** An endpoint with an address, node and hints. */
const at = (
  last: number,
  nodeName: string,
  hints: { readonly zones?: readonly string[]; readonly nodes?: readonly string[] } = {},
  conditions: object = ready,
) => {
  const named = (names: readonly string[] | undefined) => names?.map((name) => ({ name }));
  const given = { forZones: named(hints.zones), forNodes: named(hints.nodes) };
  return endpoint(`10.244.0.${last}`, conditions, { nodeName, hints: given });
};

const zones = (...names: readonly string[]) => ({ zones: names });

test.each([
  ["all without hints", [at(1, "node-1"), at(2, "node-2")], [1, 2]],
  ["those for the zone", [at(1, "x", zones("zone-a")), at(2, "x", zones("zone-b"))], [1]],
  ["all when an endpoint has no hint", [at(1, "x", zones("zone-a")), at(2, "x")], [1, 2]],
  ["all when no hint names the zone", [at(1, "x", zones("zone-b")), at(2, "x", zones("zone-c"))], [1, 2]],
  [
    "those for the node before those for the zone",
    [
      at(1, "x", { zones: ["zone-a"], nodes: ["node-1"] }),
      at(2, "x", { zones: ["zone-a"], nodes: ["node-2"] }),
    ],
    [1],
  ],
  [
    "those for the zone when no hint names the node",
    [
      at(1, "x", { zones: ["zone-a"], nodes: ["node-3"] }),
      at(2, "x", { zones: ["zone-b"], nodes: ["node-2"] }),
    ],
    [1],
  ],
  [
    "by the hints of ready endpoints alone",
    [at(1, "x", zones("zone-a")), at(2, "x", {}, { ready: false })],
    [1],
  ],
  ["terminating ones without regard to hints", [at(1, "x", zones("zone-b"), ending)], [1]],
])("the policy Cluster selects %s", (_, endpoints, expected) => {
  const { cluster } = selectEndpoints([aSlice("web", endpoints)], "http", "TCP", node);
  expect(cluster.map(({ address }) => address)).toEqual(expected.map((last) => `10.244.0.${last}`));
});

test.each([
  ["the node's ready ones", [at(1, "node-1"), at(2, "node-2"), at(3, "node-1", {}, ending)], [1]],
  [
    "the node's terminating ones, even when another node has ready ones",
    [at(1, "node-1", {}, ending), at(2, "node-2")],
    [1],
  ],
  ["none of other nodes", [at(2, "node-2")], []],
  ["the node's own without regard to hints", [at(1, "node-1", zones("zone-b"))], [1]],
])("the policy Local selects %s", (_, endpoints, expected) => {
  const { local } = selectEndpoints([aSlice("web", endpoints)], "http", "TCP", node);
  expect(local.map(({ address }) => address)).toEqual(expected.map((last) => `10.244.0.${last}`));
});
