import { expect, test } from "vitest";
import { aPod, aPolicy, labelled } from "./builders.suite.ts";
import { namedPortsOf, planPolicy } from "./plan.ts";
import { addressText, portText } from "./ranges.ts";

const plan = (spec: object, namespace?: string) => planPolicy(aPolicy("policy", spec, namespace));

test.each<readonly [string, object, readonly string[]]>([
  ["nothing", {}, ["ingress"]],
  ["rules of ingress", { ingress: [{}] }, ["ingress"]],
  ["rules of egress", { egress: [{}] }, ["ingress", "egress"]],
  ["empty egress", { egress: [] }, ["ingress"]],
  ["the type Egress", { policyTypes: ["Egress"], ingress: [{}] }, ["egress"]],
  ["the type Ingress", { policyTypes: ["Ingress"], egress: [{}] }, ["ingress"]],
  ["both types", { policyTypes: ["Egress", "Ingress"] }, ["ingress", "egress"]],
])("a policy with %s restricts the right directions", (_, spec, expected) => {
  const { ingress, egress } = plan(spec);
  expect([...(ingress ? ["ingress"] : []), ...(egress ? ["egress"] : [])]).toEqual(expected);
});

test("a rule without peers or ports allows all, and one that can match nothing allows nothing", () => {
  expect(plan({ ingress: [{}] }).ingress).toEqual([{ peers: undefined, ports: undefined }]);
  const from = [{ ipBlock: { cidr: "fd00::/8" } }];
  expect(plan({ ingress: [{ from }] }).ingress).toEqual([
    { peers: { sets: [], blocks: [] }, ports: undefined },
  ]);
});

test("ports are grouped by protocol, merged, and named ones are sets", () => {
  const ports = [
    { port: 80 },
    { port: 79, endPort: 90 },
    { port: "web" },
    { port: "web" },
    { protocol: "UDP" },
    { protocol: "UDP", port: 53 },
    { protocol: "SCTP", port: 7 },
  ];
  expect(plan({ ingress: [{ ports }] }).ingress?.[0]?.ports).toEqual([
    { protocol: "TCP", numbers: [[79, 90]], named: ["port/tcp/web"] },
    { protocol: "UDP", numbers: undefined, named: [] },
    { protocol: "SCTP", numbers: [[7, 7]], named: [] },
  ]);
});

test("blocks are merged, without their own exceptions alone", () => {
  const from = [
    { ipBlock: { cidr: "10.0.0.0/24", except: ["10.0.0.128/25", "10.0.0.0/32"] } },
    { ipBlock: { cidr: "10.0.0.192/26" } },
    { ipBlock: { cidr: "10.9.0.0/16", except: ["not an address"] } },
  ];
  expect(plan({ ingress: [{ from }] }).ingress?.[0]?.peers?.blocks.map(addressText)).toEqual([
    "10.0.0.1-10.0.0.127",
    "10.0.0.192-10.0.0.255",
  ]);
});

test("equal peers of policies in different namespaces are one set only when they select the same Pods", () => {
  const set = (peer: object, namespace: string) =>
    plan({ ingress: [{ from: [peer] }] }, namespace).groups.map((group) => group.set)[0];
  const [own, all] = [{ podSelector: labelled("a") }, { podSelector: labelled("a"), namespaceSelector: {} }];
  expect(set(own, "one")).not.toBe(set(own, "two"));
  expect(set(all, "one")).toBe(set(all, "two"));
  expect(set(all, "one")).not.toBe(set(own, "one"));
  expect(set({ podSelector: labelled("b") }, "one")).not.toBe(set(own, "one"));
  // An expression with the meaning of a label has the same text.
  const expression = { podSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] } };
  expect(set(expression, "one")).not.toBe(set(own, "one"));
});

test("an egress peer's named ports and Pods are sets that the policy refers to", () => {
  const { sets, groups } = plan({ egress: [{ to: [{ podSelector: {} }], ports: [{ port: "web" }] }] });
  expect([...sets]).toEqual([groups[0]?.set, "port/tcp/web"]);
});

const selectors = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ podSelector: labelled(`l${i}`) }));

test.each<readonly [string, object, string]>([
  ["selectors", { from: selectors(1001) }, "it has 1001 peers with selectors, more than 1000"],
  [
    "pairs of peers and ports",
    { from: selectors(1000), ports: Array.from({ length: 10 }, (_, i) => ({ port: `p${i}` })) },
    // The policy, the first rule, and a pair for each peer and the blocks.
    "it has the size 20121, more than 10000",
  ],
  [
    "ranges",
    {
      from: [{ ipBlock: { cidr: "10.0.0.0/8" } }],
      ports: Array.from({ length: 10_000 }, (_, i) => ({ port: 1 + 2 * i })),
    },
    "it has the size 10013, more than 10000",
  ],
  [
    "blocks",
    {
      from: Array.from({ length: 10_000 }, (_, i) => ({ ipBlock: { cidr: `10.${i >> 8}.${i & 255}.0/25` } })),
    },
    "it has the size 10012, more than 10000",
  ],
])("a policy with too many %s isolates its Pods and allows nothing", (_, rule, problem) => {
  const found = plan({ ingress: [{}, rule] });
  expect(found).toMatchObject({ problem, ingress: [], groups: [], sets: new Set() });
  expect(found.egress).toBeUndefined();
});

test("a policy at the limits is planned as written", () => {
  const { problem, sets, size, ingress } = plan({
    ingress: [{ from: selectors(800), ports: [{ port: 80 }] }],
  });
  expect([problem, sets.size, size]).toEqual([undefined, 800, 10 * 801 + 801 * 2]);
  expect(ingress?.[0]?.ports?.[0]?.numbers?.map(portText)).toEqual(["80"]);
});

test("named ports are those of containers and sidecars", () => {
  const spec = {
    initContainers: [
      { name: "setup", ports: [{ name: "setup", containerPort: 1 }] },
      {
        name: "sidecar",
        restartPolicy: "Always",
        ports: [{ name: "metrics", containerPort: 2, protocol: "UDP" }],
      },
    ],
  };
  const ports = [{ name: "web", containerPort: 3 }, { containerPort: 4 }];
  expect(namedPortsOf(aPod("pod", "10.244.0.2", { ports, spec }))).toEqual([
    ["port/tcp/web", 3],
    ["port/udp/metrics", 2],
  ]);
});
