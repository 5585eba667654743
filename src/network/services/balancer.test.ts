import { expect, test } from "vitest";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { Balancer } from "./balancer.ts";
import type { ServicePort } from "./plan.ts";

const at = (count: number, affinityMs = 0): ServicePort => ({
  name: "default/web:http",
  address: "10.96.0.10",
  port: 80,
  protocol: "TCP",
  endpoints: Array.from({ length: count }, (_, i) => ({ address: `10.244.0.${i}`, port: 8080 })),
  affinityMs,
});

const node = { own: ["192.0.2.1"], podNetworks: ["10.244.0.1/24"] };

function start(port: ServicePort) {
  const clock = new VirtualClock();
  const balancer = new Balancer(port, node, { clock, random: seededRandom(3) });
  const pick = (client: string, times = 1) =>
    new Set(Array.from({ length: times }, () => balancer.pick(client)?.address));
  return { clock, balancer, pick };
}

test("connections are spread over all endpoints", () => {
  expect(start(at(3)).pick("a", 50).size).toBe(3);
});

test("without endpoints none is picked", () => {
  expect(start(at(0)).balancer.pick("a")).toBeUndefined();
  const { balancer } = start(at(0, 1000));
  for (let i = 0; i < 2; i++) expect(balancer.pick("a")).toBeUndefined();
});

test("a client with session affinity keeps its endpoint, and each of its connections prolongs that", async () => {
  const { clock, pick } = start(at(20, 1000));
  const first = pick("a", 20);
  expect(first.size).toBe(1);
  for (let i = 0; i < 10; i++) {
    await clock.advance(999);
    expect(pick("a")).toEqual(first);
  }
  const later = new Set<string | undefined>();
  for (let i = 0; i < 10; i++) {
    await clock.advance(1000);
    for (const one of pick("a")) later.add(one);
  }
  expect(later.size).toBeGreaterThan(1);
});

test("each client has session affinity to its own endpoint", () => {
  const { pick } = start(at(20, 1000));
  const chosen = Array.from({ length: 20 }, (_, i) => [...pick(`client-${i}`)][0]);
  expect(new Set(chosen).size).toBeGreaterThan(5);
});

test("a client whose endpoint was removed gets another one", () => {
  const { balancer, pick } = start(at(20, 1000));
  const [gone] = pick("a");
  const endpoints = at(20).endpoints.filter(({ address }) => address !== gone);
  balancer.update({ ...at(20, 1000), endpoints }, node);
  expect(pick("a", 5)).not.toContain(gone);
  expect(pick("a", 5).size).toBe(1);
});

test("a client sticks no longer once its port does not ask for it", () => {
  const { balancer, pick } = start(at(20, 1000));
  pick("a");
  balancer.update(at(20), node);
  expect(pick("a", 50).size).toBeGreaterThan(1);
});

test("an endpoint is known by its address and its port", () => {
  const { balancer } = start(at(2));
  expect(balancer.has("a", { address: "10.244.0.1", port: 8080 })).toBe(true);
  expect(balancer.has("a", { address: "10.244.0.1", port: 8081 })).toBe(false);
  expect(balancer.has("a", { address: "10.244.0.2", port: 8080 })).toBe(false);
});
