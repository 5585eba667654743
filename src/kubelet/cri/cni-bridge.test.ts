import { expect, test } from "vitest";
import { bridgeIn, cgroupfsIn } from "./cni-bridge.ts";

/** Returns a description in containerd's form. */
function description(...plugins: readonly object[]): string {
  const network = (list: readonly object[]) => ({
    Config: { Plugins: list.map((plugin) => ({ Source: JSON.stringify(plugin) })) },
  });
  return JSON.stringify({ Networks: [network([{ type: "loopback" }]), network(plugins)] });
}

const ipam = { type: "host-local", ranges: [[{ subnet: "10.1.2.0/24" }]] };
const found = { bridge: "cni0", gateway: "10.1.2.1", podCIDR: "10.1.2.0/24" };

test.each([
  ["the default bridge", { type: "bridge", isGateway: true, ipam }, found],
  ["a default gateway", { type: "bridge", isDefaultGateway: true, ipam }, found],
  [
    "a bridge with a name",
    { type: "bridge", bridge: "br", isGateway: true, ipam },
    { ...found, bridge: "br" },
  ],
  [
    "one range, and a gateway",
    {
      type: "bridge",
      isGateway: true,
      ipam: { type: "host-local", subnet: "10.1.2.0/24", gateway: "10.1.2.254" },
    },
    { ...found, gateway: "10.1.2.254" },
  ],
  ["another plugin", { type: "calico", ipam }, undefined],
  ["a bridge without the machine's address", { type: "bridge", ipam }, undefined],
  ["other addresses", { type: "bridge", isGateway: true, ipam: { type: "dhcp" } }, undefined],
  ["IPv6", { type: "bridge", isGateway: true, ipam: { type: "host-local", subnet: "fd00::/64" } }, undefined],
  ["a name that is no link's", { type: "bridge", bridge: "a b", isGateway: true, ipam }, undefined],
])("%s", (_, plugin, expected) => {
  expect(bridgeIn(description(plugin, { type: "portmap" }))).toEqual(expected);
});

test.each([[""], ["{"], ["[]"], ["null"], [JSON.stringify({ Networks: [null, { Config: 1 }] })]])(
  "%j describes no bridge",
  (text) => {
    expect(bridgeIn(text)).toBeUndefined();
  },
);

test.each([
  [{ options: null }, true],
  [{ options: { SystemdCgroup: false } }, true],
  [{ options: { SystemdCgroup: true } }, false],
])("cgroups of %j are known", (runtime, expected) => {
  const of = (defaultRuntimeName: string) =>
    cgroupfsIn(JSON.stringify({ containerd: { defaultRuntimeName, runtimes: { runc: runtime } } }));
  expect(of("runc")).toBe(expected);
  expect(of("toString")).toBe(false);
  expect(cgroupfsIn("")).toBe(false);
});
