import { expect, test } from "vitest";
import { loadBalancerRangeOf } from "./node-network-flags.ts";

const rangeOf = (cidr: string, directory = "/data") =>
  loadBalancerRangeOf({ "load-balancer-cidr": cidr }, directory);

test("load balancers get a range of loopback by default, another for each directory", () => {
  const found = Array.from({ length: 100 }, (_, index) => rangeOf("auto", `/data/${index}`));
  for (const range of found) {
    expect(range?.prefix).toBe(24);
    expect(Math.floor((range?.base ?? 0) / 2 ** 24)).toBe(127);
    // 127.0.0.0/24 has the usual loopback address.
    expect(range?.base).not.toBe(127 * 2 ** 24);
  }
  expect(new Set(found.map((range) => range?.base)).size).toBeGreaterThan(95);
  expect(rangeOf("auto", "/data/1")).toEqual(found[1]);
});

test("a range may be given, or none", () => {
  expect(rangeOf("192.0.2.0/24")).toMatchObject({ prefix: 24, size: 256 });
  expect(rangeOf("")).toBeUndefined();
});

test.each(["192.0.2.0", "fd00::/64", "none"])("%s is no range", (cidr) => {
  expect(() => rangeOf(cidr)).toThrow("--load-balancer-cidr must be an IPv4 range");
});
