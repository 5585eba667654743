import { expect, test } from "vitest";
import { type Node, nodes } from "../../api/core/node/schema.ts";
import { decode } from "../../meta/decode.ts";
import { joinHostPort, kubeletLocation } from "./location.ts";

const ip = { type: "InternalIP", address: "10.0.0.7" };
const hostname = { type: "Hostname", address: "worker-1" };
const external = { type: "ExternalIP", address: "203.0.113.7" };

function node(addresses: readonly object[], Port: number): Node {
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port } } };
  return {
    apiVersion: "v1",
    kind: "Node",
    ...decode(nodes.schema, { metadata: { name: "w" }, status }),
  };
}

test.each([
  ["the host name first by default", [ip, hostname], undefined, "worker-1:10250"],
  ["an internal address before an external one", [external, ip], undefined, "10.0.0.7:10250"],
  ["the preferred type", [hostname, ip, external], ["ExternalIP", "Hostname"], "203.0.113.7:10250"],
  ["brackets around IPv6", [{ type: "InternalIP", address: "fd00::7" }], undefined, "[fd00::7]:10250"],
])("a kubelet's address has %s", (_, addresses, preferred, expected) => {
  expect(joinHostPort(kubeletLocation(node(addresses, 10_250), preferred))).toBe(expected);
});

test.each([
  ["without a preferred address", [ip], 10_250, ["Hostname"], "known addresses: [{InternalIP 10.0.0.7}]"],
  ["without a port", [ip], 0, undefined, "error dialing backend: node w cannot be reached"],
  ["with an impossible port", [ip], 70_000, undefined, "error dialing backend: node w cannot be reached"],
  ["with a path in its address", [{ type: "Hostname", address: "a/b" }], 1, undefined, "invalid address"],
  ["with a user in its address", [{ type: "Hostname", address: "u@b" }], 1, undefined, "invalid address"],
])("a node %s has no kubelet to connect to", (_, addresses, port, preferred, message) => {
  expect(() => kubeletLocation(node(addresses, port), preferred)).toThrow(message);
});
