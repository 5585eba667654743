import { expect, test } from "vitest";
import { evaluator } from "../cel.suite.ts";
import { addresses } from "./addresses.ts";

const evaluate = evaluator([addresses], { long: "1".repeat(1_000_000) });

const conversion = "network address parse error during conversion from string";

test.each<[string, unknown]>([
  ["string(ip('2001:DB8:0:0:1:0:0:1'))", "2001:db8::1:0:0:1"],
  ["ip('::1') == ip('0:0:0:0:0:0:0:1')", true],
  ["ip('1.2.3.4') == dyn('1.2.3.4')", "error: no such overload"],
  ["ip('1.2.3.4').family() + ip('::').family()", 10],
  ["ip.isCanonical('::01')", false],
  ["isIP('1.2.3.04') || isIP('::ffff:1.2.3.4') || isIP('fe80::1%eth0')", false],
  ["ip('10.0.0.1').isGlobalUnicast() && ip('fd00::1').isGlobalUnicast()", true],
  ["ip('255.255.255.255').isGlobalUnicast()", false],
  ["ip('169.254.0.1').isLinkLocalUnicast() && ip('febf::1').isLinkLocalUnicast()", true],
  ["ip('224.0.0.1').isLinkLocalMulticast() && ip('ff12::1').isLinkLocalMulticast()", true],
  ["ip('127.9.9.9').isLoopback() && ip('::').isUnspecified()", true],
  ["type(ip('1.2.3.4')) == net.IP && type(cidr('::/0')) == net.CIDR", true],
  ["string(cidr('10.1.2.3/8'))", "10.1.2.3/8"],
  ["string(cidr('2001:db8:ffff::/33').masked())", "2001:db8:8000::/33"],
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", true],
  ["cidr('0.0.0.0/0').containsIP(ip('::1'))", false],
  ["cidr('10.0.0.0/8').containsIP('x')", "error: no such overload"],
  ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", true],
  ["cidr('10.0.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", false],
  ["cidr('10.1.2.3/8').prefixLength()", 8],
  ["isCIDR('10.0.0.0/33') || isCIDR('10.0.0.0/08')", false],
  [
    "ip('1.2.3')",
    'error: IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): IPv4 address too short',
  ],
  ["ip('::1%z')", 'error: IP address "::1%z" with zone value is not allowed'],
  ["ip('::ffff:1.2.3.4')", 'error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
  ["cidr('1.2.3.4')", `error: ${conversion}: ${conversion}: netip.ParsePrefix("1.2.3.4"): no '/'`],
])("%s is %j", (source, value) => {
  expect(evaluate(source).value).toEqual(value);
});

test.each<[string, number]>([
  ["ip('192.168.0.10')", 2],
  ["cidr('::/0').containsIP(ip('::1'))", 1 + 1 + 0],
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", 1 + 1 + 1],
  ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", 1 + 1 + 2 + 2],
])("%s costs %d", (source, cost) => {
  expect(evaluate(`${source} == ${source}`).cost).toBe(2 * cost + 1);
});

test("long texts are parsed in linear time", () => {
  for (const text of ["long", "'::' + long", "'1.' + long", "long + '/8'"]) {
    expect(evaluate(`isIP(${text}) || isCIDR(${text})`).value).toBe(false);
  }
});
