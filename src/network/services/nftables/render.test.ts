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

/** Returns the blocks of a ruleset, each as one line. */
function blocks(plan: readonly ServicePort[], more: Partial<Place> = {}): Readonly<Record<string, string>> {
  const { text } = render(plan, { ...place, ...more });
  const found = text.matchAll(/^ {2}(?:chain|set) (\S+) \{\n(.*?)^ {2}\}$/gms);
  return Object.fromEntries(
    [...found].map(([, name, body = ""]) => [name, body.replaceAll(/\s+/g, " ").trim()]),
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
      services: "ip daddr . meta l4proto . th dport vmap { 10.96.0.20 . tcp . 80 : goto tcp/10.96.0.20/80 }",
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
      services: "ip daddr . meta l4proto . th dport vmap { 10.96.0.21 . udp . 53 : goto udp/10.96.0.21/53 }",
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
  ["leaves a port without endpoints to be refused", { ...dns, endpoints: [] }, { services: "", flows: "" }],
])("the table %s", (_, port, expected) => {
  expect(blocks([port])).toMatchObject(expected);
});

test.each<readonly [string, Partial<Place>, Readonly<Record<string, string>>]>([
  [
    "only a call of a Pod to itself, with br_netfilter",
    {},
    {
      "nat-postrouting":
        "type nat hook postrouting priority 100; " +
        'ct original ip daddr 10.96.0.0/16 oifname != { "lo", "knarr-1" } masquerade ' +
        'ct original ip daddr 10.96.0.0/16 oifname "knarr-1" ip saddr . ip daddr ' +
        "{ 10.244.0.2 . 10.244.0.2, 10.244.0.3 . 10.244.0.3 } masquerade",
    },
  ],
  [
    "every call of a Service, without br_netfilter",
    { seesBridged: false },
    {
      "nat-postrouting":
        "type nat hook postrouting priority 100; " +
        'ct original ip daddr 10.96.0.0/16 oifname != { "lo", "knarr-1" } masquerade ' +
        'ct original ip daddr 10.96.0.0/16 oifname "knarr-1" masquerade',
    },
  ],
])("masqueraded packets: %s", (_, more, expected) => {
  expect(blocks([web, dns], more)).toMatchObject(expected);
});

test("rules meet packets of Pods and of the host: flows, translation, refusal, in this order", () => {
  const refuse = "ip daddr 10.96.0.0/16 fib daddr type != local goto refuse";
  expect(blocks([])).toEqual({
    services: "",
    flows: "",
    refuse: "meta l4proto tcp reject with tcp reset reject",
    "raw-prerouting": "type filter hook prerouting priority -300; jump flows",
    "raw-output": "type filter hook output priority -300; jump flows",
    "nat-prerouting": "type nat hook prerouting priority -100; jump services",
    "nat-output": "type nat hook output priority -100; jump services",
    "filter-prerouting": `type filter hook prerouting priority 0; ${refuse}`,
    "filter-output": `type filter hook output priority 0; ${refuse}`,
    "nat-postrouting":
      "type nat hook postrouting priority 100; " +
      'ct original ip daddr 10.96.0.0/16 oifname != { "lo", "knarr-1" } masquerade',
  });
});

test("Pods' packets leave only for Services on a machine that does not forward", () => {
  expect(blocks([], { forwards: false })["filter-forward"]).toBe(
    "type filter hook forward priority 0; " +
      'iifname "knarr-1" oifname != "knarr-1" ct original ip daddr 10.96.0.0/16 accept ' +
      'iifname "knarr-1" oifname != "knarr-1" drop',
  );
});

test("a ruleset names the chains and sets of its text", () => {
  const { text, chains, sets } = render([web, { ...dns, affinityMs: 1000 }], place);
  const declared = [...text.matchAll(/^ *(chain|set) (\S+)/gm)].map(([, type, name]) => `${type} ${name}`);
  expect([...chains.map((one) => `chain ${one}`), ...sets.map((one) => `set ${one}`)].sort()).toEqual(
    declared.sort(),
  );
  expect(text).toMatch(/^table ip knarr-1 \{\n.*\n\}\n$/s);
});

test("two Services with one address do not prevent the others from being served", () => {
  expect(blocks([web, aServicePort([b])])["services"]).toBe(
    "ip daddr . meta l4proto . th dport vmap { 10.96.0.20 . tcp . 80 : goto tcp/10.96.0.20/80 }",
  );
});

test("treats addresses of further ranges like those of the first", () => {
  const other = { ...web, address: "10.97.0.9" };
  const all = "{ 10.96.0.0/16, 10.97.0.9 }";
  const found = blocks([web, other, { ...other, port: 81, endpoints: [] }], { forwards: false });
  expect(found["filter-prerouting"]).toContain(`ip daddr ${all} fib daddr type != local goto refuse`);
  expect(found["nat-postrouting"]).toContain(`ct original ip daddr ${all} oifname != { "lo", "knarr-1" }`);
  expect(found["filter-forward"]).toContain(`ct original ip daddr ${all} accept`);
});
