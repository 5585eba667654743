import { describe, expect, test } from "vitest";
import { aServicePort } from "../builders.suite.ts";
import { thisHost } from "../host.ts";
import { bridge, gateway, outsideAddress, podAddress, serviceCIDR, useTestbed } from "../testbed.suite.ts";
import { describeBackend } from "./backend.suite.ts";
import { describeExternal } from "./external.suite.ts";
import { nftablesObstacle } from "./nftables/obstacle.ts";

const noNamespaces = process.getuid?.() === 0 ? undefined : "network namespaces need root";
const noNftables = noNamespaces ?? (await nftablesObstacle(thisHost));
if (noNamespaces !== undefined) process.stderr.write(`No backend is tried on packets: ${noNamespaces}\n`);
else if (noNftables !== undefined) process.stderr.write(`nftables is not tried on packets: ${noNftables}\n`);

describe.skipIf(noNamespaces !== undefined)("a backend for Services", () => {
  describeBackend("userspace", { forwards: true, sees: "the node" });
  describeExternal("userspace");
});

describe.skipIf(noNftables !== undefined)("a backend for Services", () => {
  describeBackend("nftables", { forwards: false, sees: "the Pod" });
  describeBackend("nftables without br_netfilter", { forwards: true, sees: "the node" });
  describeExternal("nftables");
  describeExternal("nftables without br_netfilter");
});

describe.skipIf(noNftables !== undefined)("nftables alone", () => {
  const testbed = useTestbed("nftables", false);
  const port = aServicePort([podAddress(0)]);
  const ask = (address = port.address) => testbed().pods[1].call("ask", "TCP", address, 80);

  test("refused rules are reported, and the rules before stay", async () => {
    const { node } = testbed();
    await node.call("sync", [port]);
    const wrong = aServicePort([podAddress(1)], { address: "10.96.0.21", port: 70_000 });
    await expect(node.call("sync", [port, wrong])).rejects.toThrow(/Cannot run nft -f -: .*70000/s);
    expect(await ask()).toMatch("pod-0");
  });

  test("rules of a killed process are replaced", async () => {
    const { node } = testbed();
    await node.call("sync", [port]);
    await node.call("open", "nftables", bridge, gateway, serviceCIDR);
    await node.call("sync", [aServicePort([podAddress(1)], { address: "10.96.0.21" })]);
    expect(await ask("10.96.0.21")).toMatch("pod-1");
    expect(await ask()).toBe("ECONNREFUSED");
  });

  test("rules that another program flushed are missed, and return", async () => {
    const { node } = testbed();
    await node.call("sync", [port]);
    expect(await node.call("isIntact")).toBe(true);
    await node.call("run", "nft", ["flush", "ruleset"]);
    expect(await node.call("isIntact")).toBe(false);
    await node.call("sync", [port]);
    expect(await node.call("isIntact")).toBe(true);
    expect(await ask()).toMatch("pod-0");
  });

  test("the chains of a removed Service are deleted with the next change", async () => {
    const { node } = testbed();
    const other = aServicePort([podAddress(1)], { address: "10.96.0.21", affinityMs: 1000 });
    const chains = () => node.call("run", "nft", ["list", "chains"]);
    await node.call("sync", [port, other]);
    expect(await chains()).toContain("tcp/10.96.0.21/80/10.244.0.12/8080");
    await node.call("sync", [port]);
    await node.call("sync", [{ ...port, affinityMs: 1000 }]);
    expect(await chains()).not.toContain("10.96.0.21");
  });

  test("rules return at the next change after another program flushed them all", async () => {
    const { node } = testbed();
    await node.call("sync", [port]);
    await node.call("run", "nft", ["flush", "ruleset"]);
    await expect(node.call("sync", [])).rejects.toThrow("No such file or directory");
    await node.call("sync", [port]);
    expect(await ask()).toMatch("pod-0");
  });

  test("a Pod does not reach what listens on the host's loopback addresses", async () => {
    const { node, pods } = testbed();
    const external = { nodePort: 30_080, addresses: [], endpoints: port.endpoints };
    await node.call("sync", [{ ...port, external }]);
    await node.call("serve", "secret", 9000, "127.0.0.1");
    const attacker = pods[1];
    await attacker.call("setSysctl", "net/ipv4/conf/eth0/route_localnet", "1");
    await attacker.ip(
      "route delete table local local 127.0.0.0/8 dev lo",
      "route delete table local local 127.0.0.1 dev lo",
      `route add 127.0.0.0/8 via ${gateway} dev eth0 src ${podAddress(1)}`,
    );
    await attacker.call("tell", "127.0.0.1", 9000);
    // Had the datagram been accepted, it would have arrived before this connection.
    expect(await attacker.call("ask", "TCP", gateway, 30_080)).toMatch("pod-0");
    expect(await node.call("heard")).toEqual([]);
  });

  test("a machine that does not forward does not forward for Pods", async () => {
    const { node, pods, outside } = testbed();
    await node.call("sync", [aServicePort([outsideAddress])]);
    await outside.call("heard");
    await pods[0].call("tell", outsideAddress, 8080);
    // Had the datagram passed, it would have arrived before this one.
    expect(await node.call("ask", "TCP", port.address, 80)).toMatch("outside");
    expect(await outside.call("heard")).toHaveLength(1);
  });
});
