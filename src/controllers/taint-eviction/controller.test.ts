import { expect, test } from "vitest";
import { events } from "../../api/core/event/schema.ts";
import { nodes } from "../../api/core/node/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { template } from "../builders.suite.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { taintEvictionController } from "./controller.ts";

const taint = { key: "k", effect: "NoExecute" as const };
const setTaints = ({ client }: Testbed, taints: readonly object[]) =>
  client.of(nodes).patch("node-1", { spec: { taints } }, { type: "merge" });
const names = async ({ client }: Testbed) =>
  (await client.of(pods, "default").list()).items.map(({ metadata }) => metadata.name);

async function start(): Promise<Testbed> {
  const bed = await startTestbed(() => [taintEvictionController()]);
  await bed.client.of(nodes).create({ metadata: { name: "node-1" } });
  const limits = { brief: 30, long: 300, faithful: undefined } as const;
  for (const [name, tolerationSeconds] of Object.entries(limits)) {
    const own = { ...taint, operator: "Exists" as const, ...(tolerationSeconds && { tolerationSeconds }) };
    await bed.client.of(pods, "default").create({
      metadata: { name },
      spec: { ...template.spec, terminationGracePeriodSeconds: 0, tolerations: [own] },
    });
  }
  return bed;
}

test("Pods leave a tainted node once they no longer tolerate it", async () => {
  const bed = await start();
  await setTaints(bed, [taint]);
  await bed.clock.advance(29_000);
  expect(await names(bed)).toEqual(["brief", "faithful", "long"]);
  await bed.clock.advance(2000);
  expect(await names(bed)).toEqual(["faithful", "long"]);
  await setTaints(bed, []);
  await bed.clock.advance(600_000);
  expect(await names(bed)).toEqual(["faithful", "long"]);
  expect(await bed.eventsOf("brief")).toEqual([
    "TaintManagerEviction: Marking for deletion Pod default/brief",
  ]);
  expect(await bed.eventsOf("long")).toEqual([
    "TaintManagerEviction: Cancelling deletion of Pod default/long",
  ]);
  expect(await bed.eventsOf("faithful")).toEqual([]);
  const sources = (await bed.client.of(events).list()).items.map(({ source }) => source?.component);
  expect(new Set(sources)).toEqual(new Set(["taint-eviction-controller"]));
  expect(bed.complaints).toEqual([]);
});
