import { describe, expect, test } from "vitest";
import { aServicePort, type TestPort } from "../builders.suite.ts";
import type { BackendName } from "../namespace-agent.suite.ts";
import type { Namespace } from "../namespace.suite.ts";
import {
  bridge,
  gateway,
  nodeAddress,
  outsideAddress,
  podAddress,
  serviceCIDR,
  useTestbed,
} from "../testbed.suite.ts";
import type { ServicePort } from "./plan.ts";

export interface BackendTraits {
  /** True if the machine already forwards packets. */
  readonly forwards: boolean;
  /** The client address that an endpoint sees when another Pod calls. */
  readonly sees: "the Pod" | "the node";
}

/** Calls a Service port repeatedly and returns the distinct answers. */
async function answers(
  client: Namespace,
  times: number,
  { protocol, address, port }: Pick<TestPort, "protocol" | "address" | "port"> = aServicePort([]),
): Promise<readonly string[]> {
  const seen = new Set<string>();
  for (let i = 0; i < times; i++) seen.add(await client.call("ask", protocol, address, port));
  return [...seen].sort();
}

const dns = "10.96.0.10";
const protocols = ["TCP", "UDP"] as const;
const both = [podAddress(0), podAddress(1)];
/** The number of calls that miss one of two endpoints once in a billion times. */
const many = 31;

/** Tests every backend's behavior with real packets. */
export function describeBackend(name: BackendName, { forwards, sees }: BackendTraits): void {
  describe(`${name}, where the machine ${forwards ? "forwards" : "does not forward"}`, () => {
    const testbed = useTestbed(name, forwards);
    const sync = (...plan: readonly ServicePort[]) => testbed().node.call("sync", plan);
    const clientAt = (index: number) => (sees === "the Pod" ? podAddress(index) : gateway);

    test.each(protocols)("the node reaches every endpoint over %s", async (protocol) => {
      const port = aServicePort(both, { protocol });
      await sync(port);
      expect(await answers(testbed().node, many, port)).toEqual([
        `pod-0 saw ${gateway}`,
        `pod-1 saw ${gateway}`,
      ]);
    });

    test.each(protocols)("a Pod reaches every endpoint over %s, itself included", async (protocol) => {
      const port = aServicePort(both, { protocol });
      await sync(port);
      expect(await answers(testbed().pods[0], many, port)).toEqual([
        `pod-0 saw ${gateway}`,
        `pod-1 saw ${clientAt(0)}`,
      ]);
    });

    test("an endpoint outside the cluster sees the node's address", async () => {
      const { node, pods } = testbed();
      await sync(aServicePort([outsideAddress]));
      expect(await answers(node, 2)).toEqual([`outside saw ${nodeAddress}`]);
      if (forwards) expect(await answers(pods[1], 2)).toEqual([`outside saw ${nodeAddress}`]);
    });

    test("a packet without an endpoint is refused at once, and does not leave the machine", async () => {
      const { node, pods, outside } = testbed();
      await outside.call("heard");
      await sync(aServicePort([], { address: "10.96.0.21", port: 8080 }));
      for (const address of ["10.96.0.21", "10.96.99.99"]) {
        // No UDP from a Pod: only ICMP would report its refusal, and the kernel may hold that back.
        const refusals = [
          await node.call("ask", "TCP", address, 8080),
          await node.call("ask", "UDP", address, 8080),
          await pods[0].call("ask", "TCP", address, 8080),
        ];
        for (const one of refusals) expect(["ECONNREFUSED", "EHOSTUNREACH"]).toContain(one);
      }
      expect(await outside.call("heard")).toEqual([]);
    });

    test.each(protocols)("a removed endpoint is not chosen again, over %s", async (protocol) => {
      const { node, pods } = testbed();
      for (const client of [node, pods[1]]) {
        const port = aServicePort([podAddress(0)], { protocol });
        await sync(port);
        // The same source port each time, because over UDP the kernel remembers a client's flow.
        expect(await client.call("ask", protocol, port.address, 80, 5353)).toMatch("pod-0");
        await sync(aServicePort([podAddress(1)], { protocol }));
        for (let i = 0; i < 5; i++)
          expect(await client.call("ask", protocol, port.address, 80, 5353)).toMatch("pod-1");
      }
    });

    test("a client with session affinity keeps its endpoint when other Services change", async () => {
      const sticky = aServicePort(both, { affinityMs: 3_600_000 });
      await sync(sticky);
      const client = testbed().pods[0];
      const first = await answers(client, 10);
      expect(first).toHaveLength(1);
      await sync(sticky, aServicePort(both, { address: "10.96.0.22" }));
      expect(await answers(client, 10)).toEqual(first);
    });

    test("the node's own addresses still answer", async () => {
      const { node, pods } = testbed();
      await node.call("hold", dns);
      await node.call("serve", "dns", 53, dns);
      await sync(...protocols.map((protocol) => aServicePort([], { address: dns, port: 53, protocol })));
      for (const client of [node, pods[0]]) {
        for (const protocol of protocols)
          expect(await client.call("ask", protocol, dns, 53)).toMatch("dns saw");
      }
      await node.call("release", dns);
    });

    test("closing leaves nothing", async () => {
      const { node } = testbed();
      await node.call("close");
      const before = await traces(node);
      await node.call("open", name, bridge, gateway, serviceCIDR);
      await sync(aServicePort(both), aServicePort(both, { address: "10.96.0.22", affinityMs: 1000 }));
      expect(await traces(node)).not.toEqual(before);
      await node.call("close");
      expect(await traces(node)).toEqual(before);
    });
  });
}

/** All that a backend sets up. IPv4 alone: the kernel adds IPv6 routes of its own some time after a link comes up. */
async function traces(node: Namespace): Promise<object> {
  const run = (program: string, ...args: readonly string[]) => node.call("run", program, args);
  return {
    addresses: await run("ip", "-4", "-brief", "address"),
    routes: await run("ip", "-4", "route", "show", "table", "all"),
    forwarding: await run("cat", `/proc/sys/net/ipv4/conf/${bridge}/forwarding`),
    rules: await run("nft", "list", "ruleset").catch(() => ""),
  };
}
