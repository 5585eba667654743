import { type CostModel, fixed, perCharacter, reading, sizeAt, sizeOf } from "../cost/model.ts";
import { exactly, one, plus, type Range, scaled } from "../cost/range.ts";
import { type FunctionDeclaration, global, type Library, member } from "../declarations.ts";
import { bool, int, string } from "../types.ts";
import { CelError, noSuchOverload, type Result } from "../values.ts";
import { Cidr, cidrType, Ip, ipType, parseCidr, parseIp } from "./network-address.ts";

/** IP addresses and networks (`k8s.io/apiserver/pkg/cel/library/ip.go`, `cidr.go`). */

const containsCidr = (outer: Cidr, inner: Cidr) =>
  outer.bits <= inner.bits && (outer.equals(inner) === true || outer.contains(inner.ip));

function containsCidrText(outer: Cidr, text: string): boolean | CelError {
  const inner = parseCidr(text);
  return inner instanceof CelError ? inner : containsCidr(outer, inner);
}

function containsIpText(cidr: Cidr, text: string): boolean | CelError {
  const ip = parseIp(text);
  // Upstream drops the error about the address.
  return ip instanceof CelError ? noSuchOverload : cidr.contains(ip);
}

function isCanonical(text: string): boolean | CelError {
  const ip = parseIp(text);
  return ip instanceof CelError ? ip : ip.text === text;
}

/** The size of an address: 4 or 16 bytes. */
const addressSize: Range = { min: 4, max: 16 };

/** The cost of comparing networks, and of parsing the argument if it is a text. */
function containing(isNetwork: boolean, isText: boolean): CostModel {
  const comparing = scaled(plus(addressSize, addressSize), perCharacter);
  const masking = isNetwork ? plus(scaled(addressSize, perCharacter), one) : exactly(0);
  return {
    estimate: (args) => {
      const parsing = isText ? scaled(sizeAt(args, 1), perCharacter) : exactly(0);
      return { cost: plus(plus(comparing, masking), parsing) };
    },
    actual: ([network = null, other = null]) => {
      const charge = (value: Result, times = 1) => Math.ceil(sizeOf(value) * times * perCharacter);
      const masking = isNetwork ? charge(network) + 1 : 0;
      return charge(network, 2) + masking + (isText ? charge(other) : 0);
    },
  };
}

const ipFunctions: readonly FunctionDeclaration[] = [
  { name: "ip", overloads: [global("string_to_ip", [string], ipType, parseIp)], cost: reading(0) },
  { name: "family", overloads: [member("ip_family", [ipType], int, (ip) => (ip.isV4 ? 4 : 6))] },
  {
    name: "ip.isCanonical",
    overloads: [global("ip_is_canonical", [string], bool, isCanonical)],
    cost: reading(0, 2),
  },
  {
    name: "isUnspecified",
    overloads: [member("ip_is_unspecified", [ipType], bool, (ip) => ip.isUnspecified)],
  },
  { name: "isLoopback", overloads: [member("ip_is_loopback", [ipType], bool, (ip) => ip.isLoopback)] },
  {
    name: "isLinkLocalMulticast",
    overloads: [member("ip_is_link_local_multicast", [ipType], bool, (ip) => ip.isLinkLocalMulticast)],
  },
  {
    name: "isLinkLocalUnicast",
    overloads: [member("ip_is_link_local_unicast", [ipType], bool, (ip) => ip.isLinkLocalUnicast)],
  },
  {
    name: "isGlobalUnicast",
    overloads: [member("ip_is_global_unicast", [ipType], bool, (ip) => ip.isGlobalUnicast)],
  },
  {
    name: "isIP",
    overloads: [global("is_ip", [string], bool, (text) => parseIp(text) instanceof Ip)],
    cost: reading(0),
  },
  { name: "string", overloads: [global("ip_to_string", [ipType], string, (ip) => ip.text)] },
];

const cidrFunctions: readonly FunctionDeclaration[] = [
  { name: "cidr", overloads: [global("string_to_cidr", [string], cidrType, parseCidr)], cost: reading(0) },
  {
    name: "containsIP",
    overloads: [
      member("cidr_contains_ip_string", [cidrType, string], bool, containsIpText, containing(false, true)),
      member("cidr_contains_ip_ip", [cidrType, ipType], bool, (cidr, ip) => cidr.contains(ip)),
    ],
    cost: containing(false, false),
  },
  {
    name: "containsCIDR",
    overloads: [
      member("cidr_contains_cidr_string", [cidrType, string], bool, containsCidrText, containing(true, true)),
      member("cidr_contains_cidr", [cidrType, cidrType], bool, containsCidr),
    ],
    cost: containing(true, false),
  },
  { name: "ip", overloads: [member("cidr_ip", [cidrType], ipType, ({ ip }) => ip, fixed(1))] },
  { name: "prefixLength", overloads: [member("cidr_prefix_length", [cidrType], int, ({ bits }) => bits)] },
  {
    name: "masked",
    overloads: [
      member("cidr_masked", [cidrType], cidrType, ({ ip, bits }) => new Cidr(ip.masked(bits), bits)),
    ],
  },
  {
    name: "isCIDR",
    overloads: [global("is_cidr", [string], bool, (text) => parseCidr(text) instanceof Cidr)],
    cost: reading(0),
  },
  { name: "string", overloads: [global("cidr_to_string", [cidrType], string, ({ text }) => text)] },
];

export const addresses: Library = {
  functions: [...ipFunctions, ...cidrFunctions],
  types: [ipType, cidrType],
  equality: { [ipType.name]: () => ({ cost: one }), [cidrType.name]: () => ({ cost: one }) },
};
