import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { atOnce } from "../../util/steps.ts";
import { aServicePort } from "../builders.suite.ts";
import { thisHost } from "../host.ts";
import type { Namespace } from "../namespace.suite.ts";
import { bridge, nodeAddress, outsideAddress, podAddress, useTestbed } from "../testbed.suite.ts";
import { aNamespace, aPod, aPolicy, labelled, nodeName } from "./builders.suite.ts";
import { NftablesPolicyBackend } from "./nftables/backend.ts";
import { policyObstacle } from "./nftables/obstacle.ts";
import { PolicyIndex } from "./policy-index.ts";

const obstacle = process.getuid?.() === 0 ? await policyObstacle(thisHost) : "network namespaces need root";
if (obstacle !== undefined) process.stderr.write(`Policies are not tried on packets: ${obstacle}\n`);

const [server, client] = [podAddress(0), podAddress(1)];
const otherPort = 9090;

describe.skipIf(obstacle !== undefined)("policies, with real packets", () => {
  const testbed = useTestbed("nftables", true);
  let index = new PolicyIndex(nodeName);
  let backend: NftablesPolicyBackend | undefined;
  let prepared = false;

  beforeEach(async () => {
    const { node, pods, outside } = testbed();
    if (!prepared) {
      await pods[0].call("serve", "pod-0", otherPort);
      await pods[0].call("echo", 9091);
      await outside.ip("route replace 10.244.0.0/16 via 192.0.2.1");
      prepared = true;
    }
    index = new PolicyIndex(nodeName);
    const run = (program: string, args: readonly string[], input?: string) =>
      node.call("run", program, args, input);
    const host = { ...thisHost, run };
    backend = new NftablesPolicyBackend({ host, bridge, linkPrefix: "veth" });
    index.setNamespace(aNamespace("default"));
    index.setPod(serverPod());
    index.setPod(aPod("client", client, { labels: { app: "yes" } }));
  });

  afterEach(() => backend?.close());

  const serverPod = (): Pod =>
    aPod("server", server, {
      labels: { server: "yes" },
      ports: [
        { name: "web", containerPort: 8080 },
        { name: "dns", containerPort: 8080, protocol: "UDP" },
      ],
    });

  async function sync(): Promise<void> {
    atOnce(index.settle());
    await backend?.sync(index.state, index.state.takeChanges());
  }

  async function apply(spec: object, name = "policy"): Promise<void> {
    index.setPolicy(aPolicy(name, spec));
    await sync();
  }

  /** Applies a policy for the server that allows connections from a peer, to ports. */
  const admit = (peer: object, ...ports: readonly object[]) =>
    apply({ podSelector: labelled("server"), ingress: [{ from: [peer], ports }] });

  /** Reports whether the server hears a client. The node's own call comes later, and always arrives. */
  async function hears(
    from: Namespace,
    { address = server, port = 8080, protocol = "TCP", as = client, by = testbed().pods[0] } = {},
  ): Promise<boolean> {
    await by.call("heard");
    if (protocol === "UDP") await from.call("tell", address, port);
    else {
      void from.call("ask", "TCP", address, port).catch(() => {});
      // Orders begin in sequence: now the first packet has been sent.
      await from.call("heard");
    }
    const own = by === testbed().outside ? outsideAddress : server;
    expect(await testbed().node.call("ask", "TCP", own, 8080)).toMatch("saw");
    return (await by.call("heard")).includes(as);
  }

  test("without a policy everything passes, and there are no rules", async () => {
    await sync();
    const { node, pods } = testbed();
    expect(await hears(pods[1])).toBe(true);
    expect(await node.call("run", "nft", ["list", "ruleset"])).not.toContain("policy");
  });

  test("default deny of ingress stops other Pods over TCP and UDP, and not the node", async () => {
    await apply({ podSelector: labelled("server") });
    const { pods } = testbed();
    expect(await hears(pods[1])).toBe(false);
    expect(await hears(pods[1], { protocol: "UDP" })).toBe(false);
    index.deletePolicy("default", "policy");
    await sync();
    expect(await hears(pods[1])).toBe(true);
  });

  test("an isolated Pod still calls others, and gets their answers", async () => {
    await apply({ podSelector: labelled("app") });
    expect(await testbed().pods[1].call("ask", "TCP", server, 8080)).toBe(`pod-0 saw ${client}`);
    expect(await testbed().pods[1].call("ask", "UDP", server, 8080)).toBe(`pod-0 saw ${client}`);
    // The server may answer, although it may call nobody.
    await apply({ podSelector: labelled("server"), policyTypes: ["Egress"] }, "answer");
    expect(await testbed().pods[1].call("ask", "TCP", server, 8080)).toBe(`pod-0 saw ${client}`);
    expect(await testbed().pods[1].call("ask", "UDP", server, 8080)).toBe(`pod-0 saw ${client}`);
  });

  test("default deny of egress stops a Pod's calls, except those to its node", async () => {
    await apply({ podSelector: labelled("app"), policyTypes: ["Egress"] });
    const { node, pods, outside } = testbed();
    expect(await hears(pods[1])).toBe(false);
    expect(await hears(pods[1], { protocol: "UDP", address: outsideAddress, by: outside })).toBe(false);
    await node.call("serve", "node", 7070);
    expect(await pods[1].call("ask", "TCP", nodeAddress, 7070)).toBe(`node saw ${client}`);
  });

  test("both ends must allow a connection", async () => {
    await admit({ podSelector: {} });
    await apply({ podSelector: labelled("app"), policyTypes: ["Egress"] }, "leave");
    expect(await hears(testbed().pods[1])).toBe(false);
    const egress = [{ to: [{ podSelector: labelled("server") }] }];
    await apply({ podSelector: labelled("app"), policyTypes: ["Egress"], egress }, "leave");
    expect(await hears(testbed().pods[1])).toBe(true);
  });

  test("a peer's Pods are admitted as long as they have its labels", async () => {
    await admit({ podSelector: labelled("app") });
    expect(await hears(testbed().pods[1])).toBe(true);
    index.setPod(aPod("client", client));
    await sync();
    expect(await hears(testbed().pods[1])).toBe(false);
  });

  test("a peer's namespaces are selected by their labels", async () => {
    await admit({ namespaceSelector: labelled("trusted"), podSelector: labelled("app") });
    expect(await hears(testbed().pods[1])).toBe(false);
    index.setNamespace(aNamespace("default", { trusted: "yes" }));
    await sync();
    expect(await hears(testbed().pods[1])).toBe(true);
  });

  test("ports are admitted by number, range, name and protocol", async () => {
    const [, pod] = testbed().pods;
    const tried = async () => [
      await hears(pod),
      await hears(pod, { port: otherPort }),
      await hears(pod, { protocol: "UDP" }),
    ];
    await admit({ podSelector: {} }, { port: 8080 });
    expect(await tried()).toEqual([true, false, false]);
    await admit({ podSelector: {} }, { port: 8081, endPort: 9090 });
    expect(await tried()).toEqual([false, true, false]);
    await admit({ podSelector: {} }, { port: "web" });
    expect(await tried()).toEqual([true, false, false]);
    await admit({ podSelector: {} }, { port: "dns", protocol: "UDP" });
    expect(await tried()).toEqual([false, false, true]);
    await admit({ podSelector: {} }, { protocol: "TCP" });
    expect(await tried()).toEqual([true, true, false]);
  });

  test("a named port of egress is that of the called Pod", async () => {
    const egress = [{ ports: [{ port: "web" }] }];
    await apply({ podSelector: labelled("app"), policyTypes: ["Egress"], egress });
    const [, pod] = testbed().pods;
    expect([await hears(pod), await hears(pod, { port: otherPort })]).toEqual([true, false]);
  });

  test("an ipBlock admits its addresses, and not the exceptions", async () => {
    const { outside, pods } = testbed();
    const from = { as: outsideAddress };
    await admit({ ipBlock: { cidr: "192.0.2.0/24" } });
    expect([await hears(outside, from), await hears(pods[1])]).toEqual([true, false]);
    await admit({ ipBlock: { cidr: "0.0.0.0/0", except: ["192.0.2.2/32"] } });
    expect([await hears(outside, from), await hears(pods[1])]).toEqual([false, true]);
  });

  test("an ipBlock of egress admits destinations beyond the machine", async () => {
    const { outside, pods } = testbed();
    const there = { protocol: "UDP", address: outsideAddress, by: outside };
    const leave = (cidr: string) =>
      apply({
        podSelector: labelled("app"),
        policyTypes: ["Egress"],
        egress: [{ to: [{ ipBlock: { cidr } }] }],
      });
    await leave("192.0.2.0/31");
    expect(await hears(pods[1], there)).toBe(false);
    await leave("192.0.2.2/31");
    expect(await hears(pods[1], there)).toBe(true);
  });

  test("policies see Services' connections with the endpoint's address and the client's", async () => {
    const { node, pods } = testbed();
    const service = aServicePort([server]);
    const udp = aServicePort([server], { protocol: "UDP" });
    await node.call("sync", [service, udp]);
    const there = { address: service.address, port: service.port };
    await admit({ podSelector: labelled("app") }, { port: 8080 });
    expect(await hears(pods[1], there)).toBe(true);
    expect(await hears(pods[1], { ...there, protocol: "UDP" })).toBe(false);
    await admit({ podSelector: labelled("app") }, { port: "dns", protocol: "UDP" });
    expect(await hears(pods[1], there)).toBe(false);
    await apply({ podSelector: labelled("app") }, "client");
    expect(await pods[1].call("ask", "UDP", udp.address, udp.port)).toBe(`pod-0 saw ${client}`);
    await admit({ podSelector: labelled("app") }, { port: service.port });
    expect(await hears(pods[1], there)).toBe(false);
    // A Pod reaches itself, also through a Service.
    await apply({ podSelector: labelled("server"), policyTypes: ["Ingress", "Egress"] });
    expect(await pods[0].call("ask", "TCP", service.address, service.port)).toMatch("pod-0 saw");
    await node.call("sync", []);
  });

  test("established connections continue when a policy would refuse them, and new ones are refused", async () => {
    const [, pod] = testbed().pods;
    await pod.call("connect", server, 9091);
    await apply({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
    expect(await pod.call("exchange", "still here")).toBe("still here");
    expect(await hears(pod, { port: 9091 })).toBe(false);
  });

  test("a Pod that is not known yet is isolated while the cluster has policies", async () => {
    const { pods } = testbed();
    index.deletePod("default", "client");
    await apply({ podSelector: labelled("other") });
    expect(await hears(pods[1])).toBe(false);
    expect(await hears(pods[0], { as: server, by: pods[1], protocol: "UDP", address: client })).toBe(false);
    index.setPod(aPod("client", client));
    await sync();
    expect(await hears(pods[1])).toBe(true);
  });

  test("isolated Pods cannot use IPv6 instead", async () => {
    const { pods } = testbed();
    for (const [i, pod] of pods.entries()) await pod.ip(`address replace fd00::${i + 1}/64 dev eth0 nodad`);
    await pods[0].call("echo", 9092, "::");
    const there = { address: "fd00::1", port: 9092, as: "fd00::2" };
    await sync();
    // Neighbour discovery takes part in this call: only its end shows that the packets have passed.
    await pods[1].call("connect", there.address, there.port);
    expect(await hears(pods[1], there)).toBe(true);
    await apply({});
    expect(await hears(pods[1], there)).toBe(false);
  });

  test("a killed process's rules are replaced, and closing leaves nothing", async () => {
    const { node } = testbed();
    const list = () => node.call("run", "nft", ["list", "ruleset"]);
    await backend?.close();
    const before = await list();
    await apply({ podSelector: labelled("server") });
    expect(await list()).not.toBe(before);
    const host = {
      ...thisHost,
      run: (program: string, args: readonly string[], input?: string) =>
        node.call("run", program, args, input),
    };
    backend = new NftablesPolicyBackend({ host, bridge, linkPrefix: "veth" });
    index.deletePolicy("default", "policy");
    await sync();
    expect(await list()).toBe(before);
  });
});
