import { type FieldError, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { immutableMessage, validateImmutable } from "../../../meta/validation/immutable.ts";
import { cidrFamily, validateCanonicalCidr } from "../../../meta/validation/ip.ts";
import type { ServiceCIDR } from "./schema.ts";

const cidrsPath = root.child("spec", "cidrs");

export function* validateServiceCIDR({ spec: { cidrs = [] } }: ServiceCIDR): Generator<FieldError> {
  if (cidrs.length === 0) yield requiredValue(cidrsPath, "at least one CIDR required");
  else if (cidrs.length > 2) yield invalid(cidrsPath, { cidrs }, "may only hold up to 2 values");
  else {
    for (const [i, cidr] of cidrs.entries()) yield* validateCanonicalCidr(cidr, cidrsPath.index(i));
    const [first, second] = cidrs.map(cidrFamily);
    if (first !== undefined && first === second) {
      yield invalid(
        cidrsPath,
        cidrs,
        "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
      );
    }
  }
}

/** Forbids changes of subnets, except for adding one of the other IP family. */
export function* validateServiceCIDRUpdate(cidr: ServiceCIDR, old: ServiceCIDR): Generator<FieldError> {
  const [after, before] = [cidr.spec.cidrs ?? [], old.spec.cidrs ?? []];
  const isAdded = before.length === 1 && after.length === 2;
  if (!isAdded && after.length !== before.length) {
    yield invalid(cidrsPath, after, immutableMessage);
    return;
  }
  for (const [i, one] of before.entries()) yield* validateImmutable(after[i], one, cidrsPath.index(i));
  if (isAdded) yield* validateServiceCIDR(cidr);
}
