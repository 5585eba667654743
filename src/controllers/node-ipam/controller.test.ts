import { expect, test } from "vitest";
import { nodes } from "../../api/core/node/schema.ts";
import { startTestbed } from "../testbed.suite.ts";
import { nodeIpamController } from "./controller.ts";

const network = {
  clusterCIDRs: ["10.244.0.0/22", "fd00::/60"],
  maskSizes: { IPv4: 24, IPv6: 64 },
  serviceCIDRs: ["10.244.0.0/24"],
};

test("nodes get ranges that no other node and no Service has, as long as there are any", async () => {
  const bed = await startTestbed(() => [nodeIpamController(network)], { lagMs: () => 100 });
  const own = bed.client.of(nodes);
  const ranges = async () =>
    (await own.list()).items.map(({ metadata, spec }) => [metadata.name, ...(spec.podCIDRs ?? [])]);
  const podCIDRs = ["10.244.1.0/24", "fd00:0:0:5::/64"];
  await own.create({ metadata: { name: "a" }, spec: { podCIDR: podCIDRs[0], podCIDRs } });
  await bed.clock.advance(1000);
  for (const name of ["b", "c", "d"]) {
    await own.create({ metadata: { name } });
    await bed.clock.advance(1000);
  }
  expect(await ranges()).toEqual([
    ["a", ...podCIDRs],
    ["b", "10.244.2.0/24", "fd00::/64"],
    ["c", "10.244.3.0/24", "fd00:0:0:1::/64"],
    ["d"],
  ]);
  expect((await own.get("b")).spec.podCIDR).toBe("10.244.2.0/24");
  expect(await bed.eventsOf("d")).toEqual(["CIDRNotAvailable: Node d status is now: CIDRNotAvailable"]);
  await own.delete("a");
  await bed.until(async () => (await own.get("d")).spec.podCIDR !== undefined);
  expect((await ranges()).at(-1)).toEqual(["d", "10.244.1.0/24", expect.stringMatching(/^fd00:/)]);
});
