import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { type FieldError, type FieldPath, invalid } from "../field-error.ts";
import { report } from "./report.ts";

export type IpFamily = "IPv4" | "IPv6";

/** Reports whether upstream's lenient parser accepts an address only because it ignores leading zeros. */
function hasLeadingZeros(address: string): boolean {
  return isIp(withoutLeadingZeros(address)) && !isIp(address);
}

/** Removes the zeros that upstream's lenient parser ignores: in decimal octets and in the prefix length. */
function withoutLeadingZeros(text: string): string {
  const plain = text.replace(/(?<![\d.])\d+\.\d+\.\d+\.\d+/, (octets) =>
    octets.replaceAll(/\b0+(?=\d)/g, ""),
  );
  return plain.replace(/\/0+(?=\d)/, "/");
}

/** The family of an address; undefined when it is invalid. Zones are refused, as in Go. */
export function ipFamily(address: string): IpFamily | undefined {
  if (isIPv4(address)) return "IPv4";
  return isIPv6(address) && !address.includes("%") ? "IPv6" : undefined;
}

export const isIp = (address: string): boolean => ipFamily(address) !== undefined;

/** The form that Go prints: RFC 5952 for IPv6, dotted decimal for IPv4, including IPv4-mapped addresses. */
export function canonicalIp(address: string): string {
  return ipaddr.process(address).toString();
}

function isMapped(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress();
}

/** Forbids leading zeros and IPv4-mapped addresses, because parsers interpret them differently. */
function ipProblems(address: string): readonly string[] {
  if (hasLeadingZeros(address)) return ["must not have leading 0s"];
  if (!isIp(address)) return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
  return isMapped(address) ? ["must not be an IPv4-mapped IPv6 address"] : [];
}

/** Requires an address in canonical form. */
export function canonicalIpProblems(address: string): readonly string[] {
  const problems = ipProblems(address);
  if (problems.length > 0 || canonicalIp(address) === address) return problems;
  return [`must be in canonical form (${JSON.stringify(canonicalIp(address))})`];
}

/** Validates an address in a field that is older than strict validation. Any notation of IPv6 is accepted. */
export function* validateIp(address: string, path: FieldPath): Generator<FieldError> {
  yield* report(path, address, ipProblems(address));
}

/** Validates an address in a newer field. It must be canonical. */
export function* validateCanonicalIp(address: string, path: FieldPath): Generator<FieldError> {
  yield* report(path, address, canonicalIpProblems(address));
}

/** The family of a subnet; undefined when it is invalid. */
export function cidrFamily(range: string): IpFamily | undefined {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(range);
  const family = ipFamily(match?.[1] ?? "");
  return Number(match?.[2]) <= (family === "IPv4" ? 32 : 128) ? family : undefined;
}

export const isCidr = (range: string): boolean => cidrFamily(range) !== undefined;

/** Validates a subnet: `10.9.8.0/24`. */
export function* validateCidr(range: string, path: FieldPath): Generator<FieldError> {
  const problem = cidrProblem(range);
  if (problem !== undefined) yield invalid(path, range, problem);
}

/** Validates a subnet in a newer field. It must be canonical. */
export function* validateCanonicalCidr(range: string, path: FieldPath): Generator<FieldError> {
  const problem = cidrProblem(range);
  if (problem !== undefined) yield invalid(path, range, problem);
  else if (canonicalCidr(range) !== range) {
    yield invalid(path, range, `must be in canonical form (${JSON.stringify(canonicalCidr(range))})`);
  }
}

/** Validates a canonical interface address with its prefix length: `10.9.8.7/24`. */
export function* validateInterfaceAddress(address: string, path: FieldPath): Generator<FieldError> {
  const plain = withoutLeadingZeros(address);
  if (!isCidr(plain)) {
    const form = "(e.g. 10.9.8.7/24 or 2001:db8::1/64)";
    yield invalid(path, address, `must be a valid address in CIDR form, ${form}`);
    return;
  }
  const [ip = "", bits = ""] = plain.split("/");
  const length = Number(bits) - (isMapped(ip) && Number(bits) > 32 ? 96 : 0);
  const canonical = `${canonicalIp(ip)}/${length}`;
  if (canonical !== address) {
    yield invalid(path, address, `must be in canonical form (${JSON.stringify(canonical)})`);
  }
}

function cidrProblem(range: string): string | undefined {
  const plain = withoutLeadingZeros(range);
  if (isCidr(plain) && plain !== range) return "must not have leading 0s in IP or prefix length";
  if (!isCidr(range)) return "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
  const [address = ""] = range.split("/");
  if (isMapped(address)) return "must not have an IPv4-mapped IPv6 address";
  return networkOf(range) === canonicalIp(address)
    ? undefined
    : "must not have bits set beyond the prefix length";
}

/** The form of a subnet that Go prints. */
export function canonicalCidr(range: string): string {
  return `${networkOf(range)}/${Number(range.split("/")[1])}`;
}

function networkOf(range: string): string {
  const family = ipFamily(range.split("/")[0] ?? "");
  const parser = family === "IPv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  return parser.networkAddressFromCIDR(range).toString();
}

/** Reports whether a subnet is a proper part of another one. */
export function isStrictSubnet(inner: string, outer: string): boolean {
  const [base, length] = ipaddr.parseCIDR(outer);
  const [address, innerLength] = ipaddr.parseCIDR(inner);
  return base.kind() === address.kind() && length < innerLength && address.match(base, length);
}
