import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { type FieldError, type FieldPath, invalid } from "../field-error.ts";

export type IpFamily = "IPv4" | "IPv6";

/** Whether upstream's lenient parser takes an IPv4 address only because it ignores leading zeros. */
function hasLeadingZeros(address: string): boolean {
  return isIPv4(address.replace(/\b0+(?=\d)/g, "")) && !isIPv4(address);
}

/** The family of an address; undefined when it is none. Zone suffixes are refused, as Go refuses them. */
export function ipFamily(address: string): IpFamily | undefined {
  if (isIPv4(address)) return "IPv4";
  return isIPv6(address) && !address.includes("%") ? "IPv6" : undefined;
}

export const isIp = (address: string): boolean => ipFamily(address) !== undefined;

/** The form that Go prints: RFC 5952 for IPv6, plain for IPv4 also when it is mapped. */
export function canonicalIp(address: string): string {
  return ipaddr.process(address).toString();
}

function isMapped(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress();
}

/**
 * An address in a field older than strict checking: any spelling of IPv6 is fine, but leading zeros and
 * mapped addresses are not, because readers take them for different addresses.
 */
export function* validateIp(address: string, path: FieldPath): Generator<FieldError> {
  if (hasLeadingZeros(address)) yield invalid(path, address, "must not have leading 0s");
  else if (!isIp(address)) {
    yield invalid(path, address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  } else if (isMapped(address)) yield invalid(path, address, "must not be an IPv4-mapped IPv6 address");
}

/** An address in a newer field: only its canonical spelling is fine. */
export function* validateCanonicalIp(address: string, path: FieldPath): Generator<FieldError> {
  const problems = [...validateIp(address, path)];
  yield* problems;
  if (problems.length === 0 && canonicalIp(address) !== address) {
    yield invalid(path, address, `must be in canonical form (${JSON.stringify(canonicalIp(address))})`);
  }
}

export function isCidr(range: string): boolean {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(range);
  const family = ipFamily(match?.[1] ?? "");
  return family !== undefined && Number(match?.[2]) <= (family === "IPv4" ? 32 : 128);
}

/** A subnet: `10.9.8.0/24`. */
export function* validateCidr(range: string, path: FieldPath): Generator<FieldError> {
  if (!isCidr(range)) {
    yield invalid(path, range, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
    return;
  }
  const [address = "", length = ""] = range.split("/");
  if (/^0\d/.test(length)) yield invalid(path, range, "must not have leading 0s in IP or prefix length");
  else if (isMapped(address)) yield invalid(path, range, "must not have an IPv4-mapped IPv6 address");
  else if (networkOf(range) !== canonicalIp(address)) {
    yield invalid(path, range, "must not have bits set beyond the prefix length");
  }
}

function networkOf(range: string): string {
  const family = ipFamily(range.split("/")[0] ?? "");
  const parser = family === "IPv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  return parser.networkAddressFromCIDR(range).toString();
}
