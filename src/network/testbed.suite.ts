import { afterAll, beforeAll } from "vitest";
import type { BackendName } from "./namespace-agent.suite.ts";
import { Namespace } from "./namespace.suite.ts";

/**
 * A node with two Pods on its bridge, and a host outside that receives everything that leaves the node for a
 * Service. Each has a network namespace of its own.
 */
export interface Testbed {
  readonly node: Namespace;
  readonly pods: readonly [Namespace, Namespace];
  readonly outside: Namespace;
}

export const bridge = "knarr-suite";
export const gateway = "10.244.0.1";
export const serviceCIDR = "10.96.0.0/16";
export const podAddress = (index: number) => `10.244.0.${index + 11}`;
export const nodeAddress = "192.0.2.1";
export const outsideAddress = "192.0.2.2";

/** Creates the namespaces and opens a backend in the node's; removes them at the end. */
export function useTestbed(name: BackendName, forwards: boolean): () => Testbed {
  let testbed: Testbed | undefined;
  beforeAll(async () => {
    const made: Testbed = {
      node: new Namespace(),
      pods: [new Namespace(), new Namespace()],
      outside: new Namespace(),
    };
    testbed = made;
    await layOut(made);
    const { node } = made;
    await node.call("setSysctl", "net/ipv4/ip_forward", forwards ? "1" : "0");
    if (name === "nftables without br_netfilter")
      // Without the module the setting does not exist, and its effect is off already.
      await node.call("setSysctl", "net/bridge/bridge-nf-call-iptables", "0").catch(() => {});
    await node.call("open", name, bridge, gateway, serviceCIDR);
  });
  afterAll(async () => {
    if (testbed === undefined) return;
    const { node, pods, outside } = testbed;
    await Promise.all([node, ...pods, outside].map((one) => one.end()));
  });
  return () => {
    if (testbed === undefined) throw new TypeError("Cannot use the testbed before the tests run");
    return testbed;
  };
}

async function layOut({ node, pods, outside }: Testbed): Promise<void> {
  const plug = (index: number, peer: Namespace) =>
    `link add veth${index} type veth peer name eth0 netns ${peer.pid}`;
  await Promise.all([node, ...pods, outside].map((one) => one.ip("link set lo up")));
  await node.ip(
    `link add ${bridge} type bridge`,
    `address add ${gateway}/24 dev ${bridge}`,
    `link set ${bridge} up`,
    ...pods.flatMap((pod, i) => [plug(i, pod), `link set veth${i} master ${bridge} up`]),
    plug(pods.length, outside),
    `address add ${nodeAddress}/24 dev veth${pods.length}`,
    `link set veth${pods.length} up`,
    `route add default via ${outsideAddress}`,
  );
  for (const [index, pod] of pods.entries()) {
    await pod.ip(
      `address add ${podAddress(index)}/24 dev eth0`,
      "link set eth0 up",
      `route add default via ${gateway}`,
    );
    await pod.call("serve", `pod-${index}`, 8080);
  }
  await outside.ip(
    `address add ${outsideAddress}/24 dev eth0`,
    "link set eth0 up",
    `route add local ${serviceCIDR} dev lo`,
    // It has no route to Pods: only packets with the node's address get an answer.
    "route add blackhole 10.244.0.0/16",
  );
  await outside.call("serve", "outside", 8080);
}
