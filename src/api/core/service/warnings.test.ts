import { expect, test } from "vitest";
import { load, type Manifest } from "../../pipeline.suite.ts";
import type { Service } from "./schema.ts";
import { serviceWarnings } from "./warnings.ts";

const warningsOf = (spec: object, annotations = {}) => {
  const manifest: Manifest = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "a", annotations },
    spec,
  };
  return serviceWarnings(load(manifest) as unknown as Service);
};

test.each<[string, object, readonly string[]]>([
  ["a plain one", { ports: [{ port: 80 }] }, []],
  [
    "external addresses",
    { externalIPs: ["192.0.2.1"] },
    ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"],
  ],
  [
    "a headless one with what it ignores",
    {
      clusterIP: "None",
      clusterIPs: ["None"],
      externalIPs: ["192.0.2.1"],
      loadBalancerIP: "192.0.2.2",
      sessionAffinity: "ClientIP",
    },
    [
      "spec.loadBalancerIP is ignored for headless services",
      "spec.externalIPs is ignored for headless services",
      "spec.SessionAffinity is ignored for headless services",
    ],
  ],
  [
    "an external one with addresses",
    { type: "ExternalName", externalName: "example.com", externalIPs: ["192.0.2.1"] },
    ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
  ],
  [
    "a name that nobody asks for",
    { externalName: "example.com" },
    ['spec.externalName is ignored when spec.type is not "ExternalName"'],
  ],
  [
    "odd spellings",
    {
      type: "LoadBalancer",
      clusterIPs: ["2001:DB8::1"],
      loadBalancerIP: "2001:db8:0::2",
      loadBalancerSourceRanges: ["192.0.2.1/24"],
      trafficDistribution: "PreferClose",
    },
    [
      'spec.clusterIPs[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      'spec.loadBalancerIP: IPv6 address "2001:db8:0::2" should be in RFC 5952 canonical format ("2001:db8::2")',
      'spec.loadBalancerSourceRanges[0]: CIDR value "192.0.2.1/24" is ambiguous in this context (should be "192.0.2.0/24" or "192.0.2.1/32"?)',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ],
])("%s causes a warning", (_, spec, warnings) => expect(warningsOf(spec)).toEqual(warnings));

test("a renamed annotation causes a warning", () => {
  expect(warningsOf({}, { "service.kubernetes.io/topology-aware-hints": "auto" })).toEqual([
    "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead",
  ]);
});
