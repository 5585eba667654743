import { expect, test } from "vitest";
import { aServicePort } from "../../builders.suite.ts";
import type { ServicePort } from "../plan.ts";
import { type Place, render } from "./render.ts";

const place: Place = {
  bridge: "knarr-1",
  serviceCIDR: "10.96.0.0/16",
  seesBridged: true,
  forwards: true,
};
const [a, b] = ["10.244.0.2", "10.244.0.3"];
const web = aServicePort([a, b]);
const dns = aServicePort([a], { name: "default/dns:dns", address: "10.96.0.21", port: 53, protocol: "UDP" });

/** Returns the blocks of a ruleset, each as one line, and the elements of those that have some. */
function blocks(plan: readonly ServicePort[], more: Partial<Place> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...render(plan, { ...place, ...more }).values()].map(({ name, lines, elements }) => {
      const each = [...(elements ?? [])].map(([key, value]) => (value === "" ? key : `${key} : ${value}`));
      return [name, (elements === undefined ? lines.join(" ") : each.join(", ")).replaceAll(/\s+/g, " ")];
    }),
  );
}

test.each<readonly [string, ServicePort, Readonly<Record<string, string>>]>([
  [
    "spreads connections over endpoints",
    web,
    {
      "tcp/10.96.0.20/80":
        "meta l4proto tcp dnat ip addr . port to numgen random mod 2 " +
        'map { 0 : 10.244.0.2 . 8080, 1 : 10.244.0.3 . 8080 } comment "default/web:http"',
      addresses: "10.96.0.20 . tcp . 80 : goto tcp/10.96.0.20/80",
      flows: "",
    },
  ],
  [
    "files the flows of a UDP port by its endpoints",
    dns,
    {
      "udp/10.96.0.21/53":
        "meta l4proto udp dnat ip addr . port to numgen random mod 1 " +
        'map { 0 : 10.244.0.2 . 8080 } comment "default/dns:dns"',
      addresses: "10.96.0.21 . udp . 53 : goto udp/10.96.0.21/53",
      flows: "ct original zone set ip daddr . udp dport map { 10.96.0.21 . 53 : 47147 }",
    },
  ],
  [
    "first looks up the endpoint of a client's session affinity",
    { ...web, affinityMs: 10_000 },
    {
      "tcp/10.96.0.20/80":
        "ip saddr @tcp/10.96.0.20/80/10.244.0.2/8080/10s goto tcp/10.96.0.20/80/10.244.0.2/8080 " +
        "ip saddr @tcp/10.96.0.20/80/10.244.0.3/8080/10s goto tcp/10.96.0.20/80/10.244.0.3/8080 " +
        "numgen random mod 2 vmap { " +
        "0 : goto tcp/10.96.0.20/80/10.244.0.2/8080, 1 : goto tcp/10.96.0.20/80/10.244.0.3/8080 }",
      "tcp/10.96.0.20/80/10.244.0.2/8080":
        "update @tcp/10.96.0.20/80/10.244.0.2/8080/10s { ip saddr } " +
        'meta l4proto tcp dnat ip to 10.244.0.2:8080 comment "default/web:http"',
      "tcp/10.96.0.20/80/10.244.0.2/8080/10s": "type ipv4_addr flags dynamic,timeout timeout 10s",
    },
  ],
  ["leaves a port without endpoints to be refused", { ...dns, endpoints: [] }, { addresses: "", flows: "" }],
])("the table %s", (_, port, expected) => {
  expect(blocks([port])).toMatchObject(expected);
});

test("masqueraded: marked packets, those for endpoints beyond the bridge, and a Pod's calls of itself", () => {
  const found = blocks([web, dns]);
  expect(found["hairpins"]).toBe("10.244.0.2 . 10.244.0.2, 10.244.0.3 . 10.244.0.3");
  expect(found["nat-postrouting"]).toBe(
    "type nat hook postrouting priority 100; meta mark and 0x4000 == 0x4000 masquerade " +
      'ct original ip daddr 10.96.0.0/16 oifname != { "lo", "knarr-1" } masquerade ' +
      'oifname "knarr-1" ip saddr . ip daddr @hairpins masquerade',
  );
});

test("without br_netfilter every call of a Service is masqueraded", () => {
  expect(blocks([web], { seesBridged: false })["nat-postrouting"]).toMatch(
    /ct original ip daddr 10\.96\.0\.0\/16 oifname "knarr-1" masquerade$/,
  );
});

test("rules meet packets of Pods and of the host: flows, translation, refusal, in this order", () => {
  const toNode = "fib daddr type local ip daddr != 10.96.0.0/16";
  const refuse =
    "ip daddr . meta l4proto . th dport vmap @refused " +
    `${toNode} meta l4proto . th dport vmap @refused-node-ports ` +
    "ip daddr 10.96.0.0/16 fib daddr type != local goto refuse";
  expect(blocks([])).toMatchObject({
    services:
      "ip daddr . meta l4proto . th dport vmap @addresses " +
      `${toNode} meta l4proto . th dport vmap @node-ports`,
    flows: "",
    refuse: "meta l4proto tcp reject with tcp reset reject",
    "raw-prerouting": "type filter hook prerouting priority -300; jump flows",
    "raw-output": "type filter hook output priority -300; jump flows",
    "nat-prerouting": "type nat hook prerouting priority -100; jump services",
    "nat-output": "type nat hook output priority -100; jump services",
    "filter-prerouting": `type filter hook prerouting priority 0; ${refuse}`,
    "filter-output": `type filter hook output priority 0; ${refuse}`,
  });
});

test("Pods' packets leave only for Services on a machine that does not forward", () => {
  expect(blocks([], { forwards: false })["filter-forward"]).toBe(
    "type filter hook forward priority 0; " +
      'iifname "knarr-1" oifname != "knarr-1" ct status dnat accept ' +
      'iifname "knarr-1" oifname != "knarr-1" drop',
  );
});

test("Pods never reach the host's loopback addresses", () => {
  expect(blocks([])["loopback-guard"]).toBe(
    "type filter hook prerouting priority -301; " +
      'iifname "knarr-1" ip daddr 127.0.0.0/8 drop iifname "knarr-1" ip saddr 127.0.0.0/8 drop',
  );
});

const [one, two] = web.endpoints;
const external = { nodePort: 30_080, addresses: [{ address: "192.0.2.9" }], endpoints: web.endpoints };

test("external traffic is masqueraded and reaches every endpoint with the policy Cluster", () => {
  expect(blocks([{ ...web, external }])).toMatchObject({
    addresses:
      "192.0.2.9 . tcp . 80 : goto tcp/10.96.0.20/80/external, " +
      "10.96.0.20 . tcp . 80 : goto tcp/10.96.0.20/80",
    "node-ports": "tcp . 30080 : goto tcp/10.96.0.20/80/external",
    "tcp/10.96.0.20/80/external": "meta mark set meta mark or 0x4000 goto tcp/10.96.0.20/80",
  });
});

test.each([
  ["reaches the node's endpoints", [one], "goto tcp/10.96.0.20/80/local"],
  ["is dropped without an endpoint on the node", [], "drop"],
])("external traffic keeps its source with the policy Local, and %s", (_, found, verdict) => {
  const localEndpoints = found.flatMap((each) => each ?? []);
  expect(blocks([{ ...web, external: { ...external, localEndpoints } }])["tcp/10.96.0.20/80/external"]).toBe(
    'iifname "knarr-1" goto tcp/10.96.0.20/80 fib saddr type local meta mark set meta mark or 0x4000 ' +
      `fib saddr type local goto tcp/10.96.0.20/80 ${verdict}`,
  );
});

test("a load balancer's address admits only the given networks", () => {
  const addresses = [{ address: "192.0.2.9", sources: ["10.0.0.0/8", "10.1.0.0/16"] }];
  const chain = "tcp/10.96.0.20/80/external";
  expect(blocks([{ ...web, external: { addresses, endpoints: web.endpoints } }])).toMatchObject({
    "tcp/10.96.0.20/80/from/192.0.2.9": `ip saddr 10.0.0.0/8 goto ${chain} ip saddr 10.1.0.0/16 goto ${chain} drop`,
    addresses: expect.stringContaining("192.0.2.9 . tcp . 80 : goto tcp/10.96.0.20/80/from/192.0.2.9"),
    "node-ports": "",
  });
});

test("external ports without endpoints are refused, and a cluster IP with remote ones alone is dropped", () => {
  const closed = { ...web, endpoints: [], external: { ...external, endpoints: [] } };
  const local: ServicePort = { ...dns, endpoints: [], drops: true };
  expect(blocks([closed, local])).toMatchObject({
    refused: "192.0.2.9 . tcp . 80 : goto refuse, 10.96.0.21 . udp . 53 : drop",
    "refused-node-ports": "tcp . 30080 : goto refuse",
    "node-ports": "",
    addresses: "",
  });
});

test("nobody takes over another Service's cluster IP by an external IP", () => {
  const thief = aServicePort([b], { address: "10.96.0.22", name: "a/thief:http" });
  const addresses = [{ address: "10.96.0.20" }];
  const plan = [{ ...thief, external: { addresses, endpoints: thief.endpoints } }, web];
  expect(blocks(plan)["addresses"]).toContain("10.96.0.20 . tcp . 80 : goto tcp/10.96.0.20/80");
  expect(blocks(plan)["addresses"]).not.toContain("10.96.0.20 . tcp . 80 : goto tcp/10.96.0.22");
});

test("a client keeps its endpoint at every address of a port", () => {
  const endpoints = two === undefined ? [] : [two];
  const found = blocks([{ ...web, affinityMs: 1000, endpoints, external }]);
  const choice = "ip saddr @tcp/10.96.0.20/80/10.244.0.3/8080/1s goto tcp/10.96.0.20/80/10.244.0.3/8080";
  expect(found["tcp/10.96.0.20/80"]).toContain(choice);
  expect(found["tcp/10.96.0.20/80/all"]).toContain(choice);
});

test("two Services with one address do not prevent the others from being served", () => {
  expect(blocks([web, aServicePort([b])])["addresses"]).toBe(
    "10.96.0.20 . tcp . 80 : goto tcp/10.96.0.20/80",
  );
});

test("treats addresses of further ranges like those of the first", () => {
  const other = { ...web, address: "10.97.0.9" };
  const all = "{ 10.96.0.0/16, 10.97.0.9 }";
  const found = blocks([web, other, { ...other, port: 81, endpoints: [] }], { forwards: false });
  expect(found["filter-prerouting"]).toContain(`ip daddr ${all} fib daddr type != local goto refuse`);
  expect(found["nat-postrouting"]).toContain(`ct original ip daddr ${all} oifname != { "lo", "knarr-1" }`);
});

test("the flows of a UDP port are filed at each of its addresses and at its node port", () => {
  const found = blocks([{ ...dns, external: { ...external, endpoints: dns.endpoints } }]);
  expect(found["flows"]).toBe(
    "ct original zone set ip daddr . udp dport map { 192.0.2.9 . 53 : 47147, 10.96.0.21 . 53 : 47147 } " +
      "fib daddr type local ip daddr != 10.96.0.0/16 ct original zone set udp dport map { 30080 : 47147 }",
  );
});
