import { describe, expect, test } from "vitest";
import { nodes } from "../../api/core/node/schema.ts";
import { build } from "../builders.suite.ts";
import { counts, EvictionPace, evictionIntervalMs, noticeMs, zoneOf, zoneState } from "./zones.ts";

const aNode = (labels: Readonly<Record<string, string>>) => build(nodes, { metadata: { name: "n", labels } });

describe("a zone", () => {
  test.each([
    [0, 0, "normal", 10_000],
    [1, 0, "normal", 10_000],
    [0, 1, "disrupted", 10_000],
    [0, 60, "disrupted", 10_000],
    [1, 1, "normal", 10_000],
    [1, 2, "normal", 10_000],
    [1, 3, "partly disrupted", undefined],
    [4, 4, "normal", 10_000],
    [2, 3, "partly disrupted", undefined],
    [9, 11, "partly disrupted", undefined],
    [10, 12, "normal", 10_000],
    [20, 30, "partly disrupted", undefined],
    [20, 31, "partly disrupted", 100_000],
    [31, 20, "normal", 10_000],
  ])("of %d ready nodes and %d others is %s", (ready, unready, state, interval) => {
    expect(zoneState({ ready, unready })).toBe(state);
    expect(evictionIntervalMs({ ready, unready })).toBe(interval);
  });

  test("is named by the labels of region and zone, the deprecated ones first", () => {
    const [region, zone] = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];
    const old = "failure-domain.beta.kubernetes.io/zone";
    expect(zoneOf(aNode({}))).toBe(" ");
    expect(zoneOf(aNode({ [region]: "r", [zone]: "z" }))).toBe("r z");
    expect(zoneOf(aNode({ [region]: "r", [zone]: "z", [old]: "y" }))).toBe("r y");
  });

  test("does not count nodes that are excluded", () => {
    expect(counts(aNode({}))).toBe(true);
    expect(counts(aNode({ "node.kubernetes.io/exclude-disruption": "" }))).toBe(false);
  });
});

describe("the pace of evictions", () => {
  test("is one node of a zone in an interval, after the time in which nodes fail together", () => {
    const pace = new EvictionPace();
    const take = (name: string, now: number, zone = "z") => pace.take(name, zone, 10_000, now);
    expect([take("a", 0), take("b", 0), take("c", 1000, "y")]).toEqual([noticeMs, noticeMs, noticeMs]);
    expect([take("a", 5000), take("b", 5000), take("c", 6000, "y")]).toEqual([0, 10_000, 0]);
    // A second time, because a write may fail.
    expect([take("a", 6000), take("b", 6000), take("b", 16_000)]).toEqual([0, 10_000, 0]);
  });

  test("starts anew for a node that was ready", () => {
    const pace = new EvictionPace();
    pace.take("a", "z", 10_000, 0);
    pace.forget("a");
    expect(pace.take("a", "z", 10_000, 5000)).toBe(noticeMs);
  });
});
