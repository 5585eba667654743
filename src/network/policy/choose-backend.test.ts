import { expect, test } from "vitest";
import { FakeHost } from "../fake-host.suite.ts";
import { choosePolicyBackend } from "./choose-backend.ts";

function aHost(): FakeHost {
  const host = new FakeHost();
  host.sysctls.set("net/bridge/bridge-nf-call-iptables", "1");
  return host;
}

const choose = (host: FakeHost, services = "nftables") =>
  choosePolicyBackend({ host, bridge: "knarr-1", linkPrefix: "kn", services });

test("nftables is chosen where the kernel accepts each kind of rule", async () => {
  const host = aHost();
  const { backend, why } = await choose(host);
  expect([backend === undefined, why]).toEqual([false, "nft works"]);
  expect(host.told).toEqual(["nft --check -f -"]);
});

test.each<readonly [string, (host: FakeHost) => void, string, string]>([
  [
    "br_netfilter",
    (host) => host.sysctls.clear(),
    "nftables",
    "packets between Pods pass no rules without the kernel module br_netfilter",
  ],
  [
    "nft",
    (host) => host.answers.set("nft --check", new Error("nft is not installed")),
    "nftables",
    "nft is not installed",
  ],
  [
    "Services in the kernel",
    () => {},
    "userspace",
    "connections by the userspace proxy for Services have the node's address",
  ],
])("without %s there is no backend, and remains are removed", async (_, spoil, services, reason) => {
  const host = aHost();
  spoil(host);
  expect(await choose(host, services)).toEqual({ backend: undefined, why: reason });
  expect(host.inputs.get("nft")).toMatch(/^add table ip knarr-1-policy\ndelete table ip knarr-1-policy\n/);
});
