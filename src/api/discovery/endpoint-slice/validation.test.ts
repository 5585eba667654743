import { expect, test } from "vitest";
import { change, create, type Manifest, update } from "../../pipeline.suite.ts";

const slice: Manifest = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "web-1", namespace: "default" },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.0.0.1"], hints: { forZones: [{ name: "a" }] } }],
  ports: [{ port: 80 }],
};

test.each<readonly [path: string, value: unknown, errors: readonly string[]]>([
  ["ports", [{ name: "http", port: 80 }], []],
  ["addressType", "IPX", ['addressType: Unsupported value: "IPX": supported values: "FQDN", "IPv4", "IPv6"']],
  ["addressType", "IPv6", ['endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address']],
  ["endpoints.0.addresses", [], ["endpoints[0].addresses: Required value: must contain at least 1 address"]],
  [
    "endpoints.0.addresses",
    ["169.254.0.1"],
    [
      'endpoints[0].addresses[0]: Invalid value: "169.254.0.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
  ],
  [
    "endpoints.0.hints.forZones.1",
    { name: "a" },
    ['endpoints[0].hints.forZones[1].name: Duplicate value: "a"'],
  ],
  ["ports.1", { port: 81 }, ['ports[1].name: Duplicate value: ""']],
  [
    "ports.0.protocol",
    "ICMP",
    ['ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'],
  ],
  [
    "endpoints",
    Array.from({ length: 1001 }, () => ({ addresses: ["10.0.0.1"] })),
    ["endpoints: Too many: 1001: must have at most 1000 items"],
  ],
])("%s = %j", (path, value, errors) => expect(create(change(slice, path, value)).errors).toEqual(errors));

test("the address type is immutable", () => {
  const after = change(change(slice, "addressType", "FQDN"), "endpoints.0.addresses", ["a.example.com"]);
  expect(update(slice, after).errors).toEqual(['addressType: Invalid value: "FQDN": field is immutable']);
});
