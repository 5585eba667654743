import { expect, test } from "vitest";
import { hostsFile } from "../sandbox-files.ts";
import { aPod } from "./builders.suite.ts";
import { sandboxConfig } from "./sandbox-config.ts";

const node = {
  dns: { address: undefined, domain: "cluster.local" },
  firstId: () => 0,
  logDirectory: "/logs",
  podPidsLimit: -1,
};
const full = "web.team.ns.svc.cluster.local";

test.each([
  ["the Pod's name", {}, { hostname: "p", addressNames: undefined }],
  ["its own host name", { hostname: "web" }, { hostname: "web", addressNames: undefined }],
  ["a subdomain", { hostname: "web", subdomain: "team" }, { hostname: "web", addressNames: [full, "web"] }],
  [
    "the full name",
    { hostname: "web", subdomain: "team", setHostnameAsFQDN: true },
    { hostname: full, addressNames: [full, "web"] },
  ],
  [
    "no subdomain to be full",
    { hostname: "web", setHostnameAsFQDN: true },
    { hostname: "web", addressNames: undefined },
  ],
  [
    "another name",
    { hostname: "web", hostnameOverride: "x.y" },
    { hostname: "x.y", addressNames: undefined },
  ],
])("a Pod with %s has its host names", (_, spec, expected) => {
  const { hostname, addressNames } = sandboxConfig(node, aPod(spec), 0);
  expect({ hostname, addressNames }).toEqual(expected);
});

test("a full name that is too long for the kernel is refused", () => {
  const pod = aPod({ hostname: "w".repeat(39), subdomain: "team", setHostnameAsFQDN: true });
  expect(() => sandboxConfig(node, pod, 0)).toThrow(
    "is too long (64 characters is the max, 65 characters requested)",
  );
});

test.each([
  [{ hostname: "web" }, "10.0.0.9\tweb\n"],
  [{ hostname: "web", subdomain: "team" }, `10.0.0.9\t${full}\tweb\n`],
])("the file of hosts of a Pod with %j ends with %j", async (spec, expected) => {
  const file = await hostsFile(sandboxConfig(node, aPod(spec), 0), "10.0.0.9");
  expect(file.slice(-expected.length - 1)).toBe(`\n${expected}`);
});
