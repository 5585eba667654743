import { expect, test } from "vitest";
import { aServicePort } from "../../builders.suite.ts";
import { FakeHost } from "../../fake-host.suite.ts";
import { NftablesBackend } from "./backend.ts";

const forwarding = "net/ipv4/conf/knarr-1/forwarding";
const plan = [aServicePort(["10.244.0.2"])];

/** A machine that does not forward, with br_netfilter and two Pods, one of them new. */
function start() {
  const host = new FakeHost();
  host.sysctls.set("net/bridge/bridge-nf-call-iptables", "1").set("net/ipv4/ip_forward", "0");
  host.sysctls.set(forwarding, "0");
  const links = [true, false].map((hairpin, i) => ({
    ifname: `pod-${i}`,
    linkinfo: { info_slave_data: { hairpin } },
  }));
  host.answers.set("ip -json", JSON.stringify(links));
  const [gateway, serviceCIDR] = ["10.244.0.1", "10.96.0.0/16"];
  return { host, backend: new NftablesBackend({ host, bridge: "knarr-1", gateway, serviceCIDR }) };
}

test("packets get a route to the bridge, then rules, and only then forwarding", async () => {
  const { host, backend } = start();
  await backend.sync(plan);
  expect(host.told).toEqual([
    "ip -json -details link show master knarr-1",
    "ip -batch -",
    "nft -f -",
    `${forwarding} = 1`,
  ]);
  expect(host.inputs.get("ip")).toBe(
    "route replace 10.96.0.0/16 dev knarr-1 src 10.244.0.1\n" +
      "link set dev knarr-1 type bridge nf_call_iptables 1\n" +
      "link set dev pod-1 type bridge_slave hairpin on\n",
  );
  expect(host.inputs.get("nft")).toMatch(
    /^add table ip knarr-1\ndelete table ip knarr-1\ntable ip knarr-1 \{/,
  );
});

test("rules are loaded when they change", async () => {
  const { host, backend } = start();
  const loads = () => host.told.filter((one) => one.startsWith("nft")).length;
  await backend.sync(plan);
  await backend.sync(plan);
  expect(loads()).toBe(1);
  await backend.sync([]);
  expect(loads()).toBe(2);
  expect(host.inputs.get("nft")).toBe(
    "delete element ip knarr-1 addresses {\n10.96.0.20 . tcp . 80 : goto tcp/10.96.0.20/80\n}\n" +
      "delete element ip knarr-1 hairpins {\n10.244.0.2 . 10.244.0.2\n}\n" +
      "flush chain ip knarr-1 tcp/10.96.0.20/80\n",
  );
  await backend.sync([]);
  expect(host.inputs.get("nft")).toBe("delete chain ip knarr-1 tcp/10.96.0.20/80\n");
  expect(loads()).toBe(3);
});

test("loopback addresses reach Pods only while rules guard them", async () => {
  const { host, backend } = start();
  const loopback = "net/ipv4/conf/knarr-1/route_localnet";
  host.sysctls.set(loopback, "0");
  await backend.sync(plan);
  expect(host.sysctls.get(loopback)).toBe("0");
  const endpoints = [{ address: "10.244.0.2", port: 8080 }];
  await backend.sync(
    plan.map((one) => ({ ...one, external: { nodePort: 30_080, addresses: [], endpoints } })),
  );
  expect(host.sysctls.get(loopback)).toBe("1");
  await backend.close();
  expect(host.told.indexOf(`${loopback} = 0`)).toBeLessThan(host.told.lastIndexOf("nft -f -"));
  expect(host.sysctls.get(loopback)).toBe("0");
});

test("after a refusal forwarding stays off, and the next rules replace all", async () => {
  const { host, backend } = start();
  host.answers.set("nft", new Error("Cannot run nft -f -: Error: Could not process rule"));
  await expect(backend.sync(plan)).rejects.toThrow("Could not process rule");
  expect(host.sysctls.get(forwarding)).toBe("0");
  host.answers.delete("nft");
  await backend.sync(plan);
  expect(host.inputs.get("nft")).toMatch(/^add table ip knarr-1\ndelete table ip knarr-1\ntable/);
});

test.each([
  ["as it was", "0", "0"],
  ["to a router", "1", "1"],
])("closing removes route and rules, and leaves forwarding %s", async (_, router, expected) => {
  const { host, backend } = start();
  host.sysctls.set("net/ipv4/ip_forward", router);
  await backend.sync(plan);
  host.answers.set("ip route delete", new Error("Cannot find device"));
  await backend.close();
  expect(host.told.slice(-3)).toContain("ip route delete 10.96.0.0/16 dev knarr-1 src 10.244.0.1");
  expect(host.inputs.get("nft")).toBe("add table ip knarr-1\ndelete table ip knarr-1\n");
  expect(host.sysctls.get(forwarding)).toBe(expected);
});

test("traffic between Pods passes the host in both directions when rules would not see it", async () => {
  const { host, backend } = start();
  host.sysctls.delete("net/bridge/bridge-nf-call-iptables");
  await backend.sync(plan);
  expect(host.inputs.get("ip")).not.toContain("nf_call_iptables");
  expect(host.inputs.get("nft")).toContain('oifname "knarr-1" masquerade');
});
