import type { FieldPath } from "../../../meta/field-error.ts";
import { canonicalCidr, canonicalIp, isCidr, isIp, validateCidr } from "../../../meta/validation/ip.ts";

/** Warnings about an address that is not canonical (upstream `apimachinery/pkg/util/validation/ip.go`). */
export function ipWarnings(address: string, place: FieldPath): readonly string[] {
  if (!isIp(address) || canonicalIp(address) === address) return [];
  const canonical = canonicalIp(address);
  return [
    `${place.toString()}: IPv6 address "${address}" should be in RFC 5952 canonical format ("${canonical}")`,
  ];
}

/** Warnings about a subnet that is ambiguous or not canonical. */
export function cidrWarnings(subnet: string, place: FieldPath): readonly string[] {
  if (!isCidr(subnet)) return [];
  const at = place.toString();
  const canonical = canonicalCidr(subnet);
  const [address = ""] = subnet.split("/");
  const problems = [...validateCidr(subnet, place)];
  if (problems.some(({ message }) => message.endsWith("beyond the prefix length"))) {
    const single = `${address}/${address.includes(":") ? 128 : 32}`;
    return [
      `${at}: CIDR value "${subnet}" is ambiguous in this context (should be "${canonical}" or "${single}"?)`,
    ];
  }
  if (problems.length > 0)
    return [`${at}: non-standard CIDR value "${subnet}" is invalid: use "${canonical}"`];
  if (canonical === subnet) return [];
  return [`${at}: IPv6 CIDR value "${subnet}" should be in RFC 5952 canonical format ("${canonical}")`];
}
