import { expect, test } from "vitest";
import { services } from "../../api/core/service/schema.ts";
import { parseNetwork } from "../../util/ipv4.ts";
import { startTestbed } from "../testbed.suite.ts";
import { serviceLoadBalancerController } from "./controller.ts";

const range = parseNetwork("127.5.0.0/30");

async function start(lagMs = 0) {
  const bed = await startTestbed(() => [serviceLoadBalancerController(range)], { lagMs: () => lagMs });
  const own = bed.client.of(services, "default");
  const create = (name: string, spec: object = {}) =>
    own.create({ metadata: { name }, spec: { type: "LoadBalancer", ports: [{ port: 80 }], ...spec } });
  const addressOf = async (name: string) => (await own.get(name)).status.loadBalancer.ingress?.[0]?.ip;
  return { bed, own, create, addressOf };
}

test("Services get distinct addresses, even with a stale cache, until the range is exhausted", async () => {
  const { bed, own, create, addressOf } = await start(500);
  for (const name of ["a", "b", "c"]) await create(name);
  await bed.until(async () => (await addressOf("b")) !== undefined);
  expect((await own.get("a")).status.loadBalancer.ingress).toEqual([{ ip: "127.5.0.1", ipMode: "VIP" }]);
  expect(await addressOf("b")).toBe("127.5.0.2");
  await bed.until(async () => (await bed.eventsOf("c")).length > 0);
  expect(await bed.eventsOf("c")).toEqual([
    "SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: " +
      "no address is free in the range of load balancers",
  ]);
  expect(await bed.eventsOf("a")).toEqual([
    "EnsuringLoadBalancer: Ensuring load balancer",
    "EnsuredLoadBalancer: Ensured load balancer",
  ]);
  await own.delete("a");
  await bed.until(async () => (await addressOf("c")) !== undefined);
  expect(await addressOf("c")).toBe("127.5.0.1");
  expect((await own.list()).items.map(({ metadata }) => metadata.name)).toEqual(["b", "c"]);
});

test("a Service that changes its type loses the address and the finalizer", async () => {
  const { bed, own, create, addressOf } = await start();
  await create("web", { allocateLoadBalancerNodePorts: false });
  await bed.until(async () => (await addressOf("web")) !== undefined);
  const web = await own.get("web");
  expect(web.metadata.finalizers).toEqual(["service.kubernetes.io/load-balancer-cleanup"]);
  expect(web.spec.ports?.[0]?.nodePort).toBeUndefined();
  await own.patch("web", { spec: { type: "ClusterIP" } }, { type: "merge" });
  await bed.until(async () => (await own.get("web")).metadata.finalizers === undefined);
  expect(await addressOf("web")).toBeUndefined();
});

test("a Service of another class is left alone", async () => {
  const { bed, own, create } = await start();
  await create("web", { loadBalancerClass: "example.com/other" });
  await bed.clock.advance(10_000);
  const web = await own.get("web");
  expect([web.metadata.finalizers, web.status.loadBalancer.ingress]).toEqual([undefined, undefined]);
});
