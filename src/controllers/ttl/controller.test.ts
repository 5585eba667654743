import { expect, test } from "vitest";
import { nodes } from "../../api/core/node/schema.ts";
import { startTestbed } from "../testbed.suite.ts";
import { nodeTtlController } from "./controller.ts";

test("each node has the annotation, and keeps its others", async () => {
  const bed = await startTestbed(() => [nodeTtlController()]);
  const own = bed.client.of(nodes);
  await own.create({ metadata: { name: "a", annotations: { b: "c" } } });
  await own.create({ metadata: { name: "d", annotations: { "node.alpha.kubernetes.io/ttl": "300" } } });
  const annotations = async () => (await own.list()).items.map(({ metadata }) => metadata.annotations);
  await bed.until(async () => (await annotations())[0]?.["node.alpha.kubernetes.io/ttl"] === "0");
  expect(await annotations()).toEqual([
    { b: "c", "node.alpha.kubernetes.io/ttl": "0" },
    { "node.alpha.kubernetes.io/ttl": "0" },
  ]);
  expect(bed.complaints).toEqual([]);
});
