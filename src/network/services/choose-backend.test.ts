import { expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { FakeHost } from "../fake-host.suite.ts";
import { HostAddresses } from "../host-addresses.ts";
import { chooseBackend } from "./choose-backend.ts";

async function choose(host: FakeHost) {
  const env = { clock: new VirtualClock(), random: seededRandom(1), log: silentLogger };
  const addresses = new HostAddresses(host, "knarr-1");
  const place = { bridge: "knarr-1", gateway: "10.244.0.1", serviceCIDR: "10.96.0.0/16" };
  const { backend, why } = await chooseBackend({ env, host, addresses, ...place });
  return `${backend.name}: ${why}`;
}

test("nftables is chosen where it works", async () => {
  expect(await choose(new FakeHost())).toBe("nftables: nft works");
});

test("otherwise userspace is chosen, with the reason, after nftables' remains were removed", async () => {
  const host = new FakeHost();
  host.answers.set("nft --check", new Error("nft is not installed"));
  expect(await choose(host)).toBe("userspace: no nftables: nft is not installed");
  expect(host.inputs.get("nft")).toBe("add table ip knarr-1\ndelete table ip knarr-1\n");
  host.answers.set("nft", new Error("nft is not installed"));
  expect(await choose(host)).toBe("userspace: no nftables: nft is not installed");
});
