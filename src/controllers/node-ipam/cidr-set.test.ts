import { describe, expect, test } from "vitest";
import { CidrSet, CidrSetError } from "./cidr-set.ts";

describe("a set of ranges", () => {
  /** The cases of upstream's TestIndexToCIDRBlock. */
  test.each([
    ["127.123.3.0/16", 24, 0, "127.123.0.0/24"],
    ["127.123.0.0/16", 24, 15, "127.123.15.0/24"],
    ["192.168.5.219/28", 32, 5, "192.168.5.213/32"],
    ["2001:0db8:1234:3::/48", 64, 0, "2001:db8:1234::/64"],
    ["2001:0db8:1234::/48", 64, 15, "2001:db8:1234:f::/64"],
    ["2001:0db8:85a3::8a2e:0370:7334/50", 63, 6425, "2001:db8:85a3:3232::/63"],
    ["2001:0db8::/32", 48, 0, "2001:db8::/48"],
    ["2001:0db8::/32", 48, 15, "2001:db8:f::/48"],
    ["2001:0db8:85a3::8a2e:0370:7334/32", 48, 6425, "2001:db8:1919::/48"],
    ["2001:0db8:1234:ff00::/56", 72, 0, "2001:db8:1234:ff00::/72"],
    ["2001:0db8:1234:ff00::/56", 72, 15, "2001:db8:1234:ff00:f00::/72"],
    ["2001:0db8:1234:ff00::0370:7334/56", 72, 6425, "2001:db8:1234:ff19:1900::/72"],
    ["2001:0db8:1234:0:1234::/80", 96, 0, "2001:db8:1234:0:1234::/96"],
    ["2001:0db8:1234:0:1234::/80", 96, 15, "2001:db8:1234:0:1234:f::/96"],
    ["2001:0db8:1234:ff00::0370:7334/80", 96, 6425, "2001:db8:1234:ff00:0:1919::/96"],
  ])("%s divided by /%d has at %d the range %s", (cluster, prefix, index, expected) => {
    expect(new CidrSet(cluster, prefix).at(index)).toBe(expected);
  });

  test.each([
    ["127.123.234.0/30", "127.123.234.0/30"],
    ["beef:1234::/30", "beef:1234::/30"],
  ])("%s is given once until it is released (upstream's TestCIDRSetFullyAllocated)", (cluster, expected) => {
    const set = new CidrSet(cluster, 30);
    for (let i = 0; i < 2; i++) {
      expect([set.allocate(), set.allocate()]).toEqual([expected, undefined]);
      set.release(expected);
    }
  });

  test("counts each range once (upstream's TestDoubleOccupyRelease)", () => {
    const set = new CidrSet("10.42.0.0/16", 24);
    const counts = (
      [
        ["10.42.5.0/24", "occupy"],
        ["10.42.9.0/24", "occupy"],
        ["10.42.8.0/22", "occupy"],
        ["10.42.9.0/24", "occupy"],
        ["10.42.9.0/24", "release"],
        ["10.42.9.0/24", "release"],
        ["10.42.4.0/22", "release"],
      ] as const
    ).map(([cidr, operation]) => {
      set[operation](cidr);
      return set.used;
    });
    expect(counts).toEqual([1, 2, 5, 5, 4, 4, 3]);
    const free = Array.from({ length: 253 }, () => set.allocate());
    expect(new Set(free).size).toBe(253);
    expect([free.includes(undefined), set.allocate()]).toEqual([false, undefined]);
  });

  test("does not give a released range again at once", () => {
    const set = new CidrSet("10.0.0.0/22", 24);
    const first = set.allocate() ?? "";
    set.release(first);
    expect([first, set.allocate()]).toEqual(["10.0.0.0/24", "10.0.1.0/24"]);
  });

  test("ignores ranges outside, and is used up by one around it", () => {
    const set = new CidrSet("10.42.0.0/22", 24);
    for (const cidr of ["10.43.0.0/24", "10.41.255.0/24", "fd00::/64"]) set.occupy(cidr);
    expect(set.used).toBe(0);
    set.occupy("10.0.0.0/8");
    expect(set.used).toBe(4);
  });

  test.each([
    ["10.0.0.0/16", 8],
    ["10.0.0.0/8", 25],
    ["10.0.0.0/30", 33],
    ["fd00::/32", 64],
    ["nonsense", 24],
  ])("%s is not divided by /%d", (cluster, prefix) => {
    expect(() => new CidrSet(cluster, prefix)).toThrow(CidrSetError);
  });
});
