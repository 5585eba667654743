import { expect, test } from "vitest";
import { aServicePort } from "../builders.suite.ts";
import { endpointsFor, frontsOf } from "./userspace-fronts.ts";

const web = aServicePort(["10.244.0.2"]);
const node = { own: ["127.0.0.1", "192.0.2.1"], podNetworks: ["10.244.0.1/24"] };
const external = { nodePort: 30_080, addresses: [{ address: "192.0.2.9" }], endpoints: web.endpoints };

test("a port listens on its cluster IP, its external addresses and each address of the node", () => {
  const fronts = frontsOf([{ ...web, external }], node);
  expect([...fronts.keys()].sort()).toEqual([
    "TCP/10.96.0.20:80",
    "TCP/127.0.0.1:30080",
    "TCP/192.0.2.1:30080",
    "TCP/192.0.2.9:80",
  ]);
  expect(fronts.get("TCP/10.96.0.20:80")?.isClusterIP).toBe(true);
  expect(fronts.get("TCP/192.0.2.9:80")?.isClusterIP).toBe(false);
});

test("a port without endpoints does not listen", () => {
  const closed = { ...web, endpoints: [], external: { ...external, endpoints: [] } };
  expect(frontsOf([closed], node).size).toBe(0);
});

test("nobody takes over another Service's cluster IP", () => {
  const thief = { ...aServicePort(["10.244.0.9"]), address: "10.96.0.66", name: "a/thief:http" };
  const stolen = { ...external, addresses: [{ address: web.address }], endpoints: thief.endpoints };
  const fronts = frontsOf([{ ...thief, external: stolen }, web], node);
  expect(fronts.get("TCP/10.96.0.20:80")?.service).toBe(web.name);
});

const [inside, outside] = [aServicePort(["10.244.0.2"]).endpoints, aServicePort(["10.244.0.3"]).endpoints];

test.each([
  ["of the node", "192.0.2.1", inside],
  ["on loopback", "127.3.0.1", inside],
  ["in a Pod", "10.244.0.77", inside],
  ["outside", "192.0.2.2", outside],
])("with the policy Local a client %s gets its endpoints", (_, client, expected) => {
  expect(endpointsFor({ endpoints: inside, outside }, client, node)).toEqual(expected);
});

test("a client of another network is not accepted", () => {
  const front = { endpoints: inside, sources: ["203.0.113.0/24"] };
  expect(endpointsFor(front, "203.0.113.7", node)).toEqual(inside);
  expect(endpointsFor(front, "192.0.2.2", node)).toBeUndefined();
});
