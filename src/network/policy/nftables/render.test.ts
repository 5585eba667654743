import { expect, test } from "vitest";
import { aPolicy, labelled } from "../builders.suite.ts";
import { planPolicy } from "../plan.ts";
import { podRules, policyRules, renderBase } from "./render.ts";

const rules = (spec: object) => {
  const plan = planPolicy(aPolicy("policy", spec));
  const named = (line: string) =>
    plan.groups.reduce((text, { set, pods }) => text.replaceAll(set, `peers/${String(pods)}`), line);
  return {
    ingress: policyRules(plan, "ingress").map(named),
    egress: policyRules(plan, "egress").map(named),
  };
};

test("the tables before they have Pods", () => {
  expect(renderBase({ bridge: "knarr-1", linkPrefix: "kn" })).toBe(
    `table ip knarr-1-policy {
  map egress {
    type ipv4_addr : verdict
  }
  chain egress {
    type filter hook forward priority 10;
    iifname != "knarr-1" accept
    ct state established,related accept
    ip saddr vmap @egress
    drop
  }
  map ingress {
    type ipv4_addr : verdict
  }
  chain ingress {
    type filter hook forward priority 11;
    oifname != "knarr-1" accept
    ct state established,related accept
    ip daddr vmap @ingress
    drop
  }
}
table bridge knarr-1-policy {
  chain frames {
    type filter hook forward priority 10;
    iifname "kn*" oifname "kn*" ether type != { ip, arp } drop
  }
}
`,
  );
});

test.each<readonly [string, object, readonly string[]]>([
  ["all", { ingress: [{}] }, ["accept"]],
  ["none", { ingress: [] }, []],
  [
    "peers and ports",
    {
      ingress: [
        {
          from: [
            { podSelector: labelled("a") },
            { ipBlock: { cidr: "10.0.0.0/30", except: ["10.0.0.1/32"] } },
          ],
          ports: [{ port: 80 }, { port: 90, endPort: 99 }, { port: "web" }, { protocol: "UDP" }],
        },
      ],
    },
    [
      "ip saddr @peers/a=yes meta l4proto tcp th dport { 80, 90-99 } accept",
      "ip saddr @peers/a=yes meta l4proto tcp ip daddr . th dport @port/tcp/web accept",
      "ip saddr @peers/a=yes meta l4proto udp accept",
      "ip saddr { 10.0.0.0, 10.0.0.2-10.0.0.3 } meta l4proto tcp th dport { 80, 90-99 } accept",
      "ip saddr { 10.0.0.0, 10.0.0.2-10.0.0.3 } meta l4proto tcp ip daddr . th dport @port/tcp/web accept",
      "ip saddr { 10.0.0.0, 10.0.0.2-10.0.0.3 } meta l4proto udp accept",
    ],
  ],
])("the rules of a policy that allows %s", (_, spec, ingress) => {
  expect(rules(spec)).toEqual({ ingress, egress: [] });
});

test("the rules of egress match the destination", () => {
  expect(rules({ policyTypes: ["Egress"], egress: [{ to: [{ podSelector: labelled("a") }] }] })).toEqual({
    ingress: [],
    egress: ["ip daddr @peers/a=yes accept"],
  });
});

test("the rules of a Pod: itself, its policies, and nothing else; all without policies", () => {
  const pod = { address: "10.244.0.2", ingress: ["ns/a", "ns/none"], egress: undefined };
  const plans = new Map([
    ["ns/a", planPolicy(aPolicy("a", { ingress: [{}] }, "ns"))],
    ["ns/none", planPolicy(aPolicy("none", {}, "ns"))],
  ]);
  expect(podRules(pod, "ingress", plans)).toEqual([
    "ip saddr 10.244.0.2 accept",
    expect.stringMatching(/^jump ingress-by\/[0-9a-f]{32} comment "ns\/a"$/),
    "drop",
  ]);
  expect(podRules(pod, "egress", plans)).toEqual(["accept"]);
  expect(podRules({ ...pod, egress: [] }, "egress", plans)[0]).toBe("ip daddr 10.244.0.2 accept");
});
