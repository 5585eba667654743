import { expect, test } from "vitest";
import { aService, aSlice, endpoint } from "../builders.suite.ts";
import { ServicePlanner, type ServicePort } from "./plan.ts";

const node = { name: "node-1", zone: "zone-a" };
const planServices = (
  services: Parameters<ServicePlanner["plan"]>[0],
  slices: Parameters<ServicePlanner["plan"]>[1],
): readonly ServicePort[] => new ServicePlanner().plan(services, slices, node);
const ready = endpoint("10.244.0.1");
const ending = endpoint("10.244.0.2", { ready: false, serving: true, terminating: true });
const broken = endpoint("10.244.0.3", { ready: false, serving: false, terminating: false });
const unsure = endpoint("10.244.0.4", {});
const slow = endpoint("10.244.0.6", { ready: false, serving: true, terminating: false });
const dual = { ...ready, addresses: ["10.244.0.1", "10.244.0.7"] };
const dead = endpoint("10.244.0.5", { ready: false, serving: false, terminating: true });

test.each([
  ["ready endpoints", [ready, unsure], ["10.244.0.1", "10.244.0.4"]],
  ["none that is not ready", [broken, ready], ["10.244.0.1"]],
  ["none that is ending, while others are ready", [ending, ready], ["10.244.0.1"]],
  ["those that still serve while they end, when none is ready", [ending, broken, dead], ["10.244.0.2"]],
  ["no endpoint when none serves", [broken, dead], []],
  ["none that serves but is not ready, unless it is ending", [slow, ending], ["10.244.0.2"]],
  ["the first address of each endpoint", [dual], ["10.244.0.1"]],
  ["each address once", [ready, ready], ["10.244.0.1"]],
])("a Service's connections are sent to %s", (_, endpoints, addresses) => {
  const [port] = planServices([aService("web")], [aSlice("web", endpoints)]);
  expect(port?.endpoints.map(({ address }) => address)).toEqual(addresses);
});

test("each port of a Service is matched by name and protocol, over all its slices", () => {
  const ports = [
    { name: "dns", port: 53, protocol: "UDP" },
    { name: "dns-tcp", port: 53 },
  ];
  const slices = [
    aSlice("dns", [endpoint("10.244.0.2")], {
      ports: [{ name: "dns", protocol: "UDP", port: 1053 }],
      suffix: "a",
    }),
    aSlice("dns", [endpoint("10.244.0.1")], {
      ports: [{ name: "dns", protocol: "UDP", port: 1053 }],
      suffix: "b",
    }),
    aSlice("dns", [endpoint("10.244.0.1")], { ports: [{ name: "dns-tcp", port: 2053 }], suffix: "c" }),
    aSlice("dns", [endpoint("fd00::1")], {
      ports: [{ name: "dns-tcp", port: 2053 }],
      addressType: "IPv6",
      suffix: "d",
    }),
    aSlice("other", [endpoint("10.244.0.9")]),
  ];
  expect(planServices([aService("dns", { ports })], slices)).toEqual([
    {
      name: "default/dns:dns",
      address: "10.96.0.10",
      port: 53,
      protocol: "UDP",
      endpoints: [
        { address: "10.244.0.1", port: 1053 },
        { address: "10.244.0.2", port: 1053 },
      ],
      affinityMs: 0,
    },
    {
      name: "default/dns:dns-tcp",
      address: "10.96.0.10",
      port: 53,
      protocol: "TCP",
      endpoints: [{ address: "10.244.0.1", port: 2053 }],
      affinityMs: 0,
    },
  ]);
});

test("a port without a name is matched by slices' ports without a name", () => {
  const ports = [{ port: 80 }];
  const named = aSlice("web", [endpoint("10.244.0.2")], { suffix: "named" });
  const unnamed = aSlice("web", [ready], { ports: [{ port: 8080 }] });
  expect(planServices([aService("web", { ports })], [named, unnamed])).toMatchObject([
    { name: "default/web:80", endpoints: [{ address: "10.244.0.1", port: 8080 }] },
  ]);
});

test("a port finds its own among the ports of a slice, by name and by protocol", () => {
  const ports = [
    { name: "a", port: 1 },
    { name: "b", protocol: "UDP", port: 2 },
    { name: "b", protocol: "TCP", port: 3 },
  ];
  const slice = aSlice("web", [ready], { ports: ports.map((one) => ({ ...one, port: one.port + 8000 })) });
  const plan = planServices([aService("web", { ports })], [slice]);
  expect(plan.map(({ port, endpoints }) => [port, endpoints.map((one) => one.port)])).toEqual([
    [1, [8001]],
    [2, [8002]],
    [3, [8003]],
  ]);
});

test("a slice without labels serves no Service", () => {
  const slice = aSlice("web", [ready]);
  const { labels: _, ...metadata } = slice.metadata;
  expect(planServices([aService("web")], [{ ...slice, metadata }])[0]?.endpoints).toEqual([]);
});

test.each([
  ["is headless", { clusterIP: "None" }],
  ["has no address yet", { clusterIP: undefined }],
  ["is only a name", { type: "ExternalName", externalName: "example.com" }],
])("a Service is left out when it %s", (_, spec) => {
  expect(planServices([aService("web", spec)], [])).toEqual([]);
});

test.each([
  [{}, 0],
  [{ sessionAffinity: "None" }, 0],
  [{ sessionAffinity: "ClientIP" }, 10_800_000],
  [{ sessionAffinity: "ClientIP", sessionAffinityConfig: {} }, 10_800_000],
  [{ sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 7 } } }, 7000],
])("a client keeps its endpoint for the time in %j", (spec, affinityMs) => {
  expect(planServices([aService("web", spec)], [])[0]?.affinityMs).toBe(affinityMs);
});

test("the order of the inputs does not matter", () => {
  const both = [aService("a"), aService("b")];
  // Pods on the host's network share its address.
  const slices = [8080, 9090].map((port) =>
    aSlice("a", [ready, unsure], { ports: [{ name: "http", port }], suffix: `${port}` }),
  );
  const plan = planServices(both, slices);
  expect(plan[0]?.endpoints).toHaveLength(4);
  expect(planServices(both.toReversed(), slices.toReversed())).toEqual(plan);
});

const ports = [{ name: "http", port: 80, nodePort: 30_080 }];
const here = endpoint("10.244.0.1", { ready: true }, { nodeName: "node-1" });
const there = endpoint("10.244.0.2", { ready: true }, { nodeName: "node-2" });
const [mine, others] = ["10.244.0.1", "10.244.0.2"].map((address) => ({ address, port: 8080 }));

/** Returns the plan of a Service's only port. */
function planOf(spec: object, endpoints: readonly object[] = [here, there], status: object = {}) {
  const service = aService("web", { ports, ...spec }, status);
  return planServices([service], [aSlice("web", endpoints)])[0];
}

test("a Service of the type ClusterIP has no external access", () => {
  expect(planOf({})?.external).toBeUndefined();
});

test("a node port leads to every endpoint", () => {
  expect(planOf({ type: "NodePort" })?.external).toEqual({
    nodePort: 30_080,
    addresses: [],
    endpoints: [mine, others],
  });
});

test("the policies Local restrict external and internal traffic to the node's endpoints", () => {
  const external = planOf({ type: "NodePort", externalTrafficPolicy: "Local" });
  expect(external?.endpoints).toEqual([mine, others]);
  expect(external?.external).toMatchObject({ endpoints: [mine, others], localEndpoints: [mine] });
  const internal = planOf({ type: "NodePort", internalTrafficPolicy: "Local" });
  expect(internal?.endpoints).toEqual([mine]);
  expect(internal?.external).toMatchObject({ endpoints: [mine, others] });
});

test("a cluster IP with remote endpoints alone is dropped, and one without any is not", () => {
  expect(planOf({ internalTrafficPolicy: "Local" }, [there])).toMatchObject({ endpoints: [], drops: true });
  expect(planOf({ internalTrafficPolicy: "Local" }, [])?.drops).toBeUndefined();
});

test("external IPs and a load balancer's addresses are served, unless the balancer is a proxy", () => {
  const ingress = [
    { ip: "192.0.2.8" },
    { ip: "192.0.2.7", ipMode: "Proxy" },
    { hostname: "lb" },
    { ip: "::1" },
  ];
  const spec = {
    type: "LoadBalancer",
    externalIPs: ["192.0.2.9", "::2"],
    loadBalancerSourceRanges: [" 10.0.0.0/8 ", "fd00::/8"],
    ports: [{ name: "http", port: 80 }],
  };
  expect(planOf(spec, [here], { loadBalancer: { ingress } })?.external).toEqual({
    addresses: [{ address: "192.0.2.9" }, { address: "192.0.2.8", sources: ["10.0.0.0/8"] }],
    endpoints: [mine],
  });
  const former = planOf({ ...spec, type: "ClusterIP" }, [here], { loadBalancer: { ingress } });
  expect(former?.external?.addresses).toEqual([{ address: "192.0.2.9" }]);
});

test("SCTP is planned like other protocols", () => {
  const [port] = planServices([aService("web", { ports: [{ port: 80, protocol: "SCTP" }] })], []);
  expect(port?.protocol).toBe("SCTP");
});

test("a Service keeps its planned ports, as the same values, until it, its slices or the node change", () => {
  const planner = new ServicePlanner();
  const [web, other] = [aService("web"), aService("other")];
  const [first, second] = [aSlice("web", [here]), aSlice("web", [here, there])];
  const portOf = (slice: typeof first, zone = "zone-a") =>
    planner
      .plan([web, other], [slice], { name: "node-1", zone })
      .find(({ name }) => name === "default/web:http");
  const planned = portOf(first);
  expect(portOf(first)).toBe(planned);
  expect(portOf(second)?.endpoints).toEqual([mine, others]);
  expect(portOf(first)).not.toBe(planned);
  expect(portOf(first, "zone-b")).not.toBe(portOf(first));
});
