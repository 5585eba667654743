import { expect, test } from "vitest";
import { nodes } from "../../api/core/node/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { aPod, build, template } from "../builders.suite.ts";
import { startTestbed } from "../testbed.suite.ts";
import { podGarbageCollector } from "./controller.ts";
import { beyondThreshold, podsToCollect, quarantineMs } from "./plan.ts";

const names = (all: readonly { readonly metadata: { readonly name?: string } }[]) =>
  all.map(({ metadata }) => metadata.name);

test("beyond the threshold evicted Pods are deleted first, then the oldest terminated ones", () => {
  const ended = (name: string, creationTimestamp: string, reason?: string) =>
    aPod(name, { metadata: { creationTimestamp }, status: { phase: "Failed", reason } });
  const all = [
    ended("new", "2026-01-03T00:00:00Z"),
    ended("evicted", "2026-01-04T00:00:00Z", "Evicted"),
    ended("old", "2026-01-01T00:00:00Z"),
  ];
  expect(names(beyondThreshold(all, 1))).toEqual(["evicted", "old"]);
  expect(beyondThreshold(all, 3)).toEqual([]);
});

test("all Pods of a missing node are collected; of a node out of service, the terminating ones", () => {
  const ending = aPod("ending", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  const all = [aPod("running"), ending];
  const node = (status: string, key: string) =>
    build(nodes, {
      spec: { taints: [{ key, effect: "NoExecute" }] },
      status: { conditions: [{ type: "Ready", status }] },
    });
  const outOfService = "node.kubernetes.io/out-of-service";
  expect(podsToCollect(undefined, all)).toEqual(all);
  expect(podsToCollect(node("Unknown", outOfService), all)).toEqual([ending]);
  expect(podsToCollect(node("True", outOfService), all)).toEqual([]);
  expect(podsToCollect(node("Unknown", "other"), all)).toEqual([]);
});

test("Pods of a missing node fail and are deleted after the quarantine; those of other nodes are not", async () => {
  const bed = await startTestbed(() => [podGarbageCollector()]);
  const all = bed.client.of(pods, "default");
  await bed.client.of(nodes).create({ metadata: { name: "here" } });
  for (const nodeName of ["here", "lost"]) {
    await all.create({
      metadata: { name: `on-${nodeName}`, finalizers: ["test/watch"] },
      spec: { ...template.spec, nodeName },
    });
  }
  await bed.clock.advance(quarantineMs - 1000);
  expect((await all.get("on-lost")).status.phase).toBe("Pending");
  await bed.until(async () => (await all.get("on-lost")).metadata.deletionTimestamp !== undefined);
  expect((await all.get("on-lost")).status).toMatchObject({
    phase: "Failed",
    conditions: [{ type: "DisruptionTarget", status: "True", reason: "DeletionByPodGC" }],
  });
  await bed.clock.advance(quarantineMs * 3);
  expect((await all.get("on-here")).metadata.deletionTimestamp).toBeUndefined();
  expect(bed.complaints).toEqual([]);
});
