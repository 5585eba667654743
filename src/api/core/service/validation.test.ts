import { describe, expect, test } from "vitest";
import { change, create, type Manifest, update } from "../../pipeline.suite.ts";

const service: Manifest = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }], clusterIP: "10.0.0.1" },
};

type Case = readonly [path: string, value: unknown, ...errors: readonly string[]];

const cases: readonly Case[] = [
  ["spec.ports", [], "spec.ports: Required value"],
  [
    "spec.ports.0.port",
    0,
    "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
    "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive",
  ],
  ["spec.ports.1", { port: 81 }, "spec.ports[0].name: Required value", "spec.ports[1].name: Required value"],
  [
    "spec.ports",
    [
      { name: "a", port: 80 },
      { name: "a", port: 81 },
    ],
    'spec.ports[1].name: Duplicate value: "a"',
  ],
  [
    "spec.ports",
    [
      { name: "a", port: 80 },
      { name: "b", port: 80 },
    ],
    'spec.ports[1]: Duplicate value: {"port":80,"protocol":"TCP","targetPort":0}',
  ],
  [
    "spec.ports.0.nodePort",
    30000,
    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  ],
  [
    "spec.ports.0.targetPort",
    "no_name",
    'spec.ports[0].targetPort: Invalid value: "no_name": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
  ],
  [
    "spec.type",
    "Magic",
    'spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  ],
  ["spec.clusterIP", "None"],
  [
    "spec.clusterIP",
    "10.0.0",
    'spec.clusterIPs[0]: Invalid value: "10.0.0": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
  [
    "spec.clusterIPs",
    ["10.0.0.2"],
    'spec.clusterIPs: Invalid value: ["10.0.0.2"]: first value must match `clusterIP`',
  ],
  [
    "spec.clusterIPs",
    ["10.0.0.1", "10.0.0.2"],
    'spec.clusterIPs: Invalid value: ["10.0.0.1","10.0.0.2"]: may specify no more than one IP for each IP family',
  ],
  [
    "spec.ipFamilies",
    ["IPv6"],
    'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
  ],
  [
    "spec.externalIPs",
    ["127.0.0.1"],
    'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [
    "spec.externalTrafficPolicy",
    "Local",
    'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
  ],
  [
    "spec.sessionAffinity",
    "Cookie",
    'spec.sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None"',
  ],
  [
    "spec.loadBalancerSourceRanges",
    ["10.0.0.0/8"],
    "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
  ],
  [
    "spec.loadBalancerClass",
    "example.com/x",
    "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
  ],
  [
    "spec.trafficDistribution",
    "Near",
    'spec.trafficDistribution: Unsupported value: "Near": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
  ],
];

describe("a new Service", () => {
  test("is valid without changes", () => expect(create(service).errors).toEqual([]));

  for (const [path, value, ...errors] of cases) {
    test(`${path} = ${JSON.stringify(value)}`, () => {
      expect(create(change(service, path, value)).errors).toEqual(errors);
    });
  }

  test("of type ExternalName has no addresses", () => {
    const external = { ...service, spec: { type: "ExternalName", externalName: "example.com" } };
    expect(create(external).errors).toEqual([]);
    expect(create(change(external, "spec.clusterIP", "10.0.0.1")).errors).toEqual([
      "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
    ]);
    expect(create(change(external, "spec.externalName", "")).errors).toEqual([
      "spec.externalName: Required value",
    ]);
  });
});

describe("an update of a Service", () => {
  const spec = (manifest: Manifest, next: Manifest) =>
    (update(manifest, next).object as unknown as { readonly spec: Record<string, unknown> }).spec;

  test("keeps allocated values that the client does not send", () => {
    const nodePort = change(change(service, "spec.type", "NodePort"), "spec.ports.0.nodePort", 30080);
    const sparse = change(change(nodePort, "spec.clusterIP", undefined), "spec.ports.0.nodePort", undefined);
    expect(update(nodePort, sparse).errors).toEqual([]);
    expect(spec(nodePort, sparse)).toMatchObject({
      clusterIP: "10.0.0.1",
      clusterIPs: ["10.0.0.1"],
      ports: [{ port: 80, nodePort: 30080 }],
    });
  });

  test("cannot change the cluster IP", () => {
    expect(update(service, change(service, "spec.clusterIP", "10.0.0.2")).errors).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
    ]);
  });

  test("drops the values of the old type", () => {
    const before = change(change(service, "spec.type", "NodePort"), "spec.ports.0.nodePort", 30080);
    const after = change(before, "spec.type", "ExternalName");
    const external = spec(before, change(after, "spec.externalName", "example.com"));
    expect(external["clusterIP"]).toBeUndefined();
    expect(external["clusterIPs"]).toBeUndefined();
    expect(external["externalTrafficPolicy"]).toBeUndefined();
    expect(external["ports"]).toEqual([{ port: 80, protocol: "TCP", targetPort: 80 }]);
  });

  test("has valid addresses in its load balancer's ingress", () => {
    const balanced = change(service, "spec.type", "LoadBalancer");
    const ingress = (entry: object) => ({ ...balanced, status: { loadBalancer: { ingress: [entry] } } });
    expect(update(balanced, ingress({ ip: "1.2.3.4" }), "status").errors).toEqual([]);
    expect(update(balanced, ingress({ hostname: "1.2.3.4" }), "status").errors).toEqual([
      'status.loadBalancer.ingress[0].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ]);
    expect(
      update(service, { ...service, status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } }, "status")
        .errors,
    ).toEqual([
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
  });
});
