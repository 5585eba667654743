import { beforeEach, expect, test } from "vitest";
import { atOnce } from "../../../util/steps.ts";
import { FakeHost } from "../../fake-host.suite.ts";
import { aPod, aPolicy } from "../builders.suite.ts";
import { PolicyIndex } from "../policy-index.ts";
import { NftablesPolicyBackend } from "./backend.ts";

let host = new FakeHost();
let index = new PolicyIndex("node-1");
let backend = new NftablesPolicyBackend({ host, bridge: "knarr-1", linkPrefix: "kn" });

beforeEach(() => {
  host = new FakeHost();
  index = new PolicyIndex("node-1");
  backend = new NftablesPolicyBackend({ host, bridge: "knarr-1", linkPrefix: "kn" });
});

async function sync(): Promise<void> {
  atOnce(index.settle());
  await backend.sync(index.state, index.state.takeChanges());
}

const removal = ["ip", "bridge"]
  .map((family) => `add table ${family} knarr-1-policy\ndelete table ${family} knarr-1-policy\n`)
  .join("");

test("without policies leftovers are removed once, and nothing else happens", async () => {
  index.setPod(aPod("a", "10.244.0.2"));
  await sync();
  await sync();
  expect(host.told).toEqual(["nft -f -"]);
  expect(host.inputs.get("nft")).toBe(removal);
});

test("the first policy makes the bridge pass packets to the rules, and loads all", async () => {
  index.setPod(aPod("a", "10.244.0.2"));
  await sync();
  index.setPolicy(aPolicy("deny", {}));
  await sync();
  expect(host.told.slice(1)).toEqual(["ip link set dev knarr-1 type bridge nf_call_iptables 1", "nft -f -"]);
  const script = host.inputs.get("nft") ?? "";
  expect(script.startsWith(`${removal}table ip knarr-1-policy {`)).toBe(true);
  expect(script).toContain(
    "add element ip knarr-1-policy ingress { 10.244.0.2 : goto ingress-of/10.244.0.2 }",
  );
  await sync();
  expect(host.told).toHaveLength(3);
});

test("the end of the last policy removes the tables", async () => {
  index.setPolicy(aPolicy("deny", {}));
  await sync();
  index.deletePolicy("default", "deny");
  await sync();
  expect(host.inputs.get("nft")).toBe(removal);
});

test("after a refusal the next transaction replaces all", async () => {
  index.setPolicy(aPolicy("deny", {}));
  await sync();
  host.answers.set("nft", new Error("Cannot run nft -f -: Error: No such file or directory"));
  index.setPod(aPod("a", "10.244.0.2"));
  await expect(sync()).rejects.toThrow("No such file or directory");
  host.answers.delete("nft");
  await sync();
  expect(host.inputs.get("nft")?.startsWith(removal)).toBe(true);
  expect(host.inputs.get("nft")).toContain("add chain ip knarr-1-policy ingress-of/10.244.0.2");
});

test("sets are loaded in lines of a hundred elements", async () => {
  index.setPolicy(aPolicy("allow", { ingress: [{ from: [{ podSelector: {} }] }] }));
  for (let i = 0; i < 250; i++)
    index.setPod(aPod(`pod-${i}`, `10.244.1.${i}`, { node: i === 0 ? "node-1" : "node-2" }));
  await sync();
  const lines = (host.inputs.get("nft") ?? "")
    .split("\n")
    .filter((line) => line.includes(" peers/") && line.startsWith("add element"));
  expect(lines.map((line) => line.split(", ").length)).toEqual([100, 100, 50]);
});
