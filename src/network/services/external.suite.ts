import { describe, expect, test } from "vitest";
import { aServicePort, type TestPort } from "../builders.suite.ts";
import type { BackendName } from "../namespace-agent.suite.ts";
import type { Namespace } from "../namespace.suite.ts";
import { gateway, nodeAddress, outsideAddress, podAddress, useTestbed } from "../testbed.suite.ts";
import type { ExternalAccess } from "./plan.ts";

const both = [podAddress(0), podAddress(1)];
const nodePort = 30_080;
const protocols = ["TCP", "UDP"] as const;
/** An address of the whole range 127.0.0.0/8, which the machine answers. */
const balancerAddress = "127.77.0.1";
const many = 31;

/** Returns a Service's port that is reachable from outside. */
function open(endpoints: readonly string[], more: Partial<ExternalAccess & TestPort> = {}): TestPort {
  const { localEndpoints, addresses = [], nodePort: port = nodePort, ...rest } = more;
  const service = aServicePort(endpoints, rest);
  const external = { nodePort: port, addresses, endpoints: service.endpoints };
  return { ...service, external: localEndpoints === undefined ? external : { ...external, localEndpoints } };
}

async function answers(
  client: Namespace,
  protocol: "TCP" | "UDP",
  address: string,
  port: number,
): Promise<readonly string[]> {
  const seen = new Set<string>();
  for (let i = 0; i < many; i++) seen.add(await client.call("ask", protocol, address, port));
  return [...seen].sort();
}

/** Tests the ways from outside the cluster with real packets, where the machine forwards. */
export function describeExternal(name: BackendName): void {
  describe(`${name}, from outside the cluster`, () => {
    const testbed = useTestbed(name, true);
    const sync = (...plan: readonly TestPort[]) => testbed().node.call("sync", plan);
    const isUserspace = name === "userspace";

    test.each(protocols)("a node port answers on every address of the node over %s", async (protocol) => {
      await sync(open(both, { protocol }));
      const { node, outside, pods } = testbed();
      const seen = [`pod-0 saw ${gateway}`, `pod-1 saw ${gateway}`];
      expect(await answers(node, protocol, "127.0.0.1", nodePort)).toEqual(seen);
      expect(await answers(node, protocol, nodeAddress, nodePort)).toEqual(seen);
      expect(await answers(outside, protocol, nodeAddress, nodePort)).toEqual(seen);
      expect(await answers(pods[0], protocol, gateway, nodePort)).toEqual(seen);
    });

    test("with the policy Local an outside client reaches the node's own endpoints alone", async () => {
      const own = aServicePort([podAddress(1)]).endpoints;
      await sync(open(both, { localEndpoints: own }));
      const { node, outside, pods } = testbed();
      const source = isUserspace ? gateway : outsideAddress;
      expect(await answers(outside, "TCP", nodeAddress, nodePort)).toEqual([`pod-1 saw ${source}`]);
      expect(await answers(node, "TCP", "127.0.0.1", nodePort)).toHaveLength(2);
      expect(await answers(pods[0], "TCP", gateway, nodePort)).toHaveLength(2);
    });

    test("an address of a load balancer answers, on loopback too, and admits only its networks", async () => {
      const addresses = [
        { address: balancerAddress },
        { address: nodeAddress, sources: ["192.0.2.2/32", "192.0.2.0/30"] },
        { address: gateway, sources: ["203.0.113.0/24"] },
      ];
      await sync(open(both, { addresses }));
      const { node, outside, pods } = testbed();
      expect(await answers(node, "TCP", balancerAddress, 80)).toHaveLength(2);
      expect(await answers(outside, "TCP", nodeAddress, 80)).toHaveLength(2);
      await sync(open(both, { addresses: [{ address: nodeAddress, sources: ["192.0.2.8/29"] }] }));
      if (isUserspace) expect(await outside.call("ask", "TCP", nodeAddress, 80)).toBe("ECONNRESET");
      else {
        const refused = [{ address: nodeAddress, sources: ["192.0.2.8/29"] }];
        await sync(open(both, { protocol: "UDP", addresses: refused }));
        await Promise.all(pods.map((pod) => pod.call("heard")));
        await outside.call("tell", nodeAddress, 80);
        // Had the datagram been accepted, it would have arrived before this one.
        expect(await outside.call("ask", "UDP", nodeAddress, nodePort)).toMatch("pod-");
        expect((await Promise.all(pods.map((pod) => pod.call("heard")))).flat()).toHaveLength(1);
      }
    });

    test("external ports without endpoints are refused at once, and closed ones too", async () => {
      await sync(open([], { addresses: [{ address: nodeAddress }] }));
      const { node, outside } = testbed();
      for (const port of [80, nodePort]) {
        expect(await outside.call("ask", "TCP", nodeAddress, port)).toBe("ECONNREFUSED");
        expect(await outside.call("ask", "UDP", nodeAddress, port)).toBe("ECONNREFUSED");
        expect(await node.call("ask", "TCP", nodeAddress, port)).toBe("ECONNREFUSED");
      }
      await sync(open(both));
      await sync();
      expect(await outside.call("ask", "TCP", nodeAddress, nodePort)).toBe("ECONNREFUSED");
    });

    test("a client with session affinity has one endpoint at every address", async () => {
      const addresses = [{ address: balancerAddress }];
      await sync(open(both, { affinityMs: 3_600_000, addresses }));
      const { outside } = testbed();
      expect(await answers(outside, "TCP", nodeAddress, nodePort)).toHaveLength(1);
    });

    test("a host port keeps the client's address and is gone with its Pod", async () => {
      const endpoints = [{ address: podAddress(0), port: 8080 }];
      const external = { nodePort: 8088, addresses: [], endpoints, localEndpoints: endpoints };
      const port = { ...aServicePort([]), address: undefined, port: 8088, external };
      const { node, outside, pods } = testbed();
      await node.call("sync", [port]);
      const source = isUserspace ? gateway : outsideAddress;
      expect(await outside.call("ask", "TCP", nodeAddress, 8088)).toBe(`pod-0 saw ${source}`);
      expect(await node.call("ask", "TCP", "127.0.0.1", 8088)).toBe(`pod-0 saw ${gateway}`);
      expect(await pods[0].call("ask", "TCP", gateway, 8088)).toBe(`pod-0 saw ${gateway}`);
      const bound = { addresses: [{ address: "127.0.0.1" }], endpoints, localEndpoints: endpoints };
      await node.call("sync", [{ ...port, external: bound }]);
      expect(await node.call("ask", "TCP", "127.0.0.1", 8088)).toBe(`pod-0 saw ${gateway}`);
      expect(await outside.call("ask", "TCP", nodeAddress, 8088)).toBe("ECONNREFUSED");
      await node.call("sync", []);
      expect(await node.call("ask", "TCP", "127.0.0.1", 8088)).toBe("ECONNREFUSED");
    });
  });
}
