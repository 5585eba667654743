import { afterEach, expect, test } from "vitest";
import { services } from "../api/core/service/schema.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { startCluster, type TestCluster } from "./start-cluster.ts";

let cluster: TestCluster | undefined;
afterEach(() => cluster?.stop());

test("a load balancer gets an address of the range, with simulated nodes too", async () => {
  cluster = await startCluster({ clock: new VirtualClock(), loadBalancerCIDR: "192.0.2.0/24" });
  const own = cluster.client.of(services, "default");
  await own.create({ metadata: { name: "web" }, spec: { type: "LoadBalancer", ports: [{ port: 80 }] } });
  const ingress = async () => (await own.get("web")).status.loadBalancer.ingress;
  await cluster.waitFor(async () => (await ingress()) !== undefined);
  expect(await ingress()).toEqual([{ ip: "192.0.2.1", ipMode: "VIP" }]);
  await own.delete("web");
  await cluster.waitFor(
    async () => !(await own.list()).items.some(({ metadata }) => metadata.name === "web"),
  );
});

test("a range that is none is refused", async () => {
  await expect(startCluster({ loadBalancerCIDR: "192.0.2.0" })).rejects.toThrow("not an IPv4 network");
});
