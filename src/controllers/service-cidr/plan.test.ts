import { describe, expect, test } from "vitest";
import { serviceCIDRs } from "../../api/networking/service-cidr/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { build, start as now } from "../builders.suite.ts";
import { canDelete, finalizer, planServiceCIDR } from "./plan.ts";

const cidr = (name: string, cidrs: readonly string[], metadata: object = {}, status: object = {}) =>
  build(serviceCIDRs, { metadata: { name, ...metadata }, spec: { cidrs }, status });
const both = ["192.168.0.0/24", "2001:db2::/64"];
const own = cidr("kubernetes", both);
const overlapping = (first: string) => cidr("overlapping", [first, "2001:db2::/64"]);

describe("a deletion (upstream's TestController_canDeleteCIDR)", () => {
  test.each([
    ["empty", [], [], true],
    ["no addresses", [own], [], true],
    ["an address", [own], ["192.168.0.24"], false],
    ["an address elsewhere", [own], ["192.168.1.24"], true],
    ["the network's address", [own], ["192.168.0.0"], true],
    ["the broadcast address", [own], ["192.168.0.255"], true],
    ["the last IPv6 address", [own], ["2001:0db2::ffff:ffff:ffff:ffff"], false],
    ["the network's IPv6 address", [own], ["2001:db2::"], true],
    ["the same range elsewhere", [own, overlapping("192.168.0.0/24")], ["192.168.0.23"], true],
    ["a smaller range that has the address", [own, overlapping("192.168.0.0/26")], ["192.168.0.23"], true],
    ["a smaller range without the address", [own, overlapping("192.168.0.0/28")], ["192.168.0.23"], false],
    ["a larger range", [own, overlapping("192.168.0.0/16")], ["192.168.0.23"], true],
  ])("with %s", (_, all, addresses, expected) => {
    expect(canDelete(own, all, addresses)).toBe(expected);
  });
});

describe("the plan (upstream's TestControllerSync)", () => {
  const finalizers = [finalizer];
  const ready = {
    type: "Ready",
    status: "True",
    reason: "",
    message: "Kubernetes Service CIDR is ready",
    lastTransitionTime: formatTime(now),
  };
  const blocked = {
    type: "Ready",
    status: "False",
    reason: "Terminating",
    message:
      "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
    lastTransitionTime: formatTime(now),
  };
  const deleted = (ageMs: number, status: object = {}) =>
    cidr("deleted", both, { finalizers, deletionTimestamp: formatTime(now - ageMs) }, status);
  const plan = (one: ReturnType<typeof cidr>, addresses: readonly string[] = []) =>
    planServiceCIDR({ cidr: one, all: [one], addresses }, now);
  test.each([
    ["a new one", own, [], { type: "write", addsFinalizer: true, condition: ready }],
    [
      "one with the finalizer",
      cidr("c", both, { finalizers }),
      [],
      { type: "write", addsFinalizer: false, condition: ready },
    ],
    ["one that is ready", cidr("c", both, { finalizers }, { conditions: [ready] }), [], { type: "nothing" }],
    ["a deleted one", deleted(11_000), [], { type: "release" }],
    ["one that was just deleted", deleted(2000), [], { type: "wait", ms: 8000 }],
    [
      "a deleted one with addresses",
      deleted(11_000),
      ["2001:db2::1"],
      { type: "write", addsFinalizer: false, condition: blocked },
    ],
    [
      "a deleted one that shows why it stays",
      deleted(11_000, { conditions: [blocked] }),
      ["192.168.0.1"],
      { type: "nothing" },
    ],
    [
      "one with another's finalizer",
      cidr("c", both, { finalizers: ["a.b/c"], deletionTimestamp: formatTime(now - 11_000) }),
      [],
      { type: "nothing" },
    ],
  ])("for %s", (_, one, addresses, expected) => {
    expect(plan(one, addresses)).toEqual(expected);
  });
});
