import { describe, expect, test } from "vitest";
import { describe as textOf, type FieldError, root } from "../field-error.ts";
import {
  canonicalCidr,
  cidrFamily,
  ipFamily,
  isStrictSubnet,
  validateCanonicalCidr,
  validateCanonicalIp,
  validateCidr,
  validateInterfaceAddress,
  validateIp,
} from "./ip.ts";

const path = root.child("f");

function expectProblem(found: Iterable<FieldError>, value: string, problem: string | undefined): void {
  const expected = problem === undefined ? [] : [`f: Invalid value: ${JSON.stringify(value)}: ${problem}`];
  expect([...found].map(textOf)).toEqual(expected);
}

/** After apimachinery's `TestIsValidIP`: the problem in a newer field, and in an older one. */
describe("an address", () => {
  const notAnAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
  const zeros = "must not have leading 0s";
  const mapped = "must not be an IPv4-mapped IPv6 address";
  const canonical = (form: string) => `must be in canonical form ("${form}")`;

  test.each<[address: string, newer?: string, older?: string]>([
    ["1.2.3.4"],
    ["0.0.0.0"],
    ["255.255.255.255"],
    ["1234::abcd"],
    ["::"],
    ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["0:0:0:0:0:0:0:0", canonical("::")],
    ["0001:002:03:4::", canonical("1:2:3:4::")],
    ["1234::ABCD", canonical("1234::abcd")],
    ["64:ff9b::1.2.3.4", canonical("64:ff9b::102:304")],
    ["1.1.1.01", zeros, zeros],
    ["000001.2.3.4", zeros, zeros],
    ["::ffff:1.1.1.01", zeros, zeros],
    ["::ffff:1.1.1.1", mapped, mapped],
    ...[
      "",
      "aaaaaaa",
      "myhost.mydomain",
      "1.2.3.0/24",
      "1.2.3.400",
      "1.2.3.0400",
      "-1.0.0.0",
      "2001:db8::10005",
      "1.2.3.4:80",
      "[2001:db8::1]",
      "[2001:db8::1]:80",
      "example.com:80",
      "1234::abcd%eth0",
      "169.254.0.0%eth0",
    ].map((one): [string, string, string] => [one, notAnAddress, notAnAddress]),
  ])("%j has the problem %j in a newer field, and %j in an older one", (address, newer, older) => {
    expectProblem(validateCanonicalIp(address, path), address, newer);
    expectProblem(validateIp(address, path), address, older);
  });

  test.each([
    ["10.0.0.1", "IPv4"],
    ["fd00::1", "IPv6"],
    ["::ffff:1.2.3.4", "IPv6"],
    ["fd00::1%eth0", undefined],
    ["x", undefined],
  ])("%j is of the family %j", (address, family) => expect(ipFamily(address)).toBe(family));
});

/** After apimachinery's `TestIsValidCIDR`: the problem in a newer field, and in an older one. */
describe("a subnet", () => {
  const notASubnet = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
  const zeros = "must not have leading 0s in IP or prefix length";
  const mapped = "must not have an IPv4-mapped IPv6 address";
  const bits = "must not have bits set beyond the prefix length";
  const canonical = (form: string) => `must be in canonical form ("${form}")`;

  test.each<[subnet: string, newer?: string, older?: string]>([
    ["1.0.0.0/8"],
    ["0.0.0.0/0"],
    ["1.1.1.1/32"],
    ["2001:4860:4860::/48"],
    ["::/0"],
    ["::1/128"],
    ["2a00:79e0:2:0::/64", canonical("2a00:79e0:2::/64")],
    ["2001:DB8::/64", canonical("2001:db8::/64")],
    ["1.1.01.0/24", zeros, zeros],
    ["192.168.0.0/016", zeros, zeros],
    ["192.168.0.0/00016", zeros, zeros],
    ["::ffff:1.1.01.0/120", zeros, zeros],
    ["::ffff:1.1.1.0/24", mapped, mapped],
    ["::ffff:1.1.1.0/120", mapped, mapped],
    ["1.2.3.4/24", bits, bits],
    ["2001:db8::1/64", bits, bits],
    ...[
      "",
      "aaaaaaa",
      "1.2.3.4",
      "192.168.0.1/healthz",
      "192.168.0.1/0/99",
      "192.168.0.0/-16",
      "192.168.0.0/+16",
      "192.168.0.0/33",
      "2001:db8::/129",
      "/24",
      "1.0.0.0/",
    ].map((one): [string, string, string] => [one, notASubnet, notASubnet]),
  ])("%j has the problem %j in a newer field, and %j in an older one", (subnet, newer, older) => {
    expectProblem(validateCanonicalCidr(subnet, path), subnet, newer);
    expectProblem(validateCidr(subnet, path), subnet, older);
  });

  test("its canonical form has the bits of its prefix only", () => {
    expect(["10.1.2.3/8", "10.0.0.0/08", "FD00:0::1/64"].map(canonicalCidr)).toEqual([
      "10.0.0.0/8",
      "10.0.0.0/8",
      "fd00::/64",
    ]);
    expect(["10.0.0.0/8", "fd00::/8", "10.0.0.0", "x/8"].map(cidrFamily)).toEqual([
      "IPv4",
      "IPv6",
      undefined,
      undefined,
    ]);
  });

  test.each([
    ["10.1.0.0/16", "10.0.0.0/8", true],
    ["fd00::/16", "fd00::/8", true],
    ["10.0.0.0/8", "10.0.0.0/8", false],
    ["10.0.0.0/8", "10.1.0.0/16", false],
    ["11.0.0.0/16", "10.0.0.0/8", false],
    ["0.0.0.0/8", "::/0", false],
  ])("%s is a proper part of %s: %j", (inner, outer, expected) => {
    expect(isStrictSubnet(inner, outer)).toBe(expected);
  });
});

/** After apimachinery's `TestIsValidInterfaceAddress`. */
describe("the address of an interface", () => {
  const notAnAddress = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
  const canonical = (form: string) => `must be in canonical form ("${form}")`;

  test.each<[address: string, problem?: string]>([
    ["1.2.3.4/24"],
    ["1.1.1.1/32"],
    ["2001:4860:4860::1/48"],
    ["::1/128"],
    ["::/96"],
    ...["", "aaaaaaa", "1.2.3.4", "192.168.0.1/healthz", "192.168.0.1/0/99"].map((one): [string, string] => [
      one,
      notAnAddress,
    ]),
    ["192.168.0.0/-16", notAnAddress],
    ["192.168.0.0/+16", notAnAddress],
    ["2001:0:0:0::0BCD/64", canonical("2001::bcd/64")],
    ["1.1.01.002/24", canonical("1.1.1.2/24")],
    ["::ffff:1.1.1.1/24", canonical("1.1.1.1/24")],
    ["::ffff:1.1.1.1/32", canonical("1.1.1.1/32")],
    ["::ffff:1.1.1.1/120", canonical("1.1.1.1/24")],
    ["192.168.0.5/016", canonical("192.168.0.5/16")],
  ])("%j has the problem %j", (address, problem) => {
    expectProblem(validateInterfaceAddress(address, path), address, problem);
  });
});
