import { expect, test } from "vitest";
import { FakeHost } from "./fake-host.suite.ts";
import { HostAddresses } from "./host-addresses.ts";

function start(device = "knarr-1") {
  const host = new FakeHost();
  return { host, addresses: new HostAddresses(host, device) };
}

test("an address exists from its first add to its last remove", async () => {
  const { host, addresses } = start();
  await addresses.add("10.96.0.10");
  await addresses.add("10.96.0.10");
  await addresses.remove("10.96.0.10");
  expect(host.told).toEqual(["ip address replace 10.96.0.10/32 dev knarr-1"]);
  await addresses.remove("10.96.0.10");
  await addresses.remove("10.96.0.10");
  expect(host.told.slice(1)).toEqual(["ip address delete 10.96.0.10/32 dev knarr-1"]);
});

test("a range has an unreachable route of this cluster's own until that is removed", async () => {
  const routes = new Set<string>();
  for (const device of ["knarr-1", "knarr-2"]) {
    const { host, addresses } = start(device);
    const unguard = await addresses.guard("10.96.0.0/16");
    await unguard();
    const [added = "", ...rest] = host.told;
    expect(added).toMatch(/^ip route replace unreachable 10\.96\.0\.0\/16 metric \d+$/);
    expect(rest).toEqual([added.replace("replace", "delete")]);
    routes.add(added);
  }
  expect(routes.size).toBe(2);
});

test("removing a missing address or route succeeds", async () => {
  const { host, addresses } = start();
  host.answers.set("ip address delete", new Error("Cannot find device"));
  await addresses.add("10.96.0.10");
  await addresses.remove("10.96.0.10");
});
