import { type FieldError, invalid, requiredValue, root } from "../../meta/field-error.ts";
import { immutableMessage, validateImmutable } from "../../meta/validation/immutable.ts";
import { cidrFamily, validateCanonicalCidr } from "../../meta/validation/ip.ts";
import { report, validateSubdomain } from "../../meta/validation/report.ts";
import { pathSegmentProblems } from "../../meta/validation/text.ts";
import type { IPAddress } from "./v1/ip-address.ts";
import type { ServiceCIDR } from "./v1/service-cidr.ts";

const parentPath = root.child("spec", "parentRef");

export function* validateIPAddress({ spec: { parentRef } }: IPAddress): Generator<FieldError> {
  if (parentRef === undefined) {
    yield requiredValue(parentPath);
    return;
  }
  const { group, namespace } = parentRef;
  if (group !== undefined) yield* validateSubdomain(group, parentPath.child("group"));
  for (const name of ["resource", "name"] as const) {
    const value = parentRef[name];
    if (value === undefined) yield requiredValue(parentPath.child(name));
    else yield* report(parentPath.child(name), value, pathSegmentProblems(value));
  }
  if (namespace !== undefined) {
    yield* report(parentPath.child("namespace"), namespace, pathSegmentProblems(namespace));
  }
}

export function* validateSameParent({ spec }: IPAddress, { spec: old }: IPAddress): Generator<FieldError> {
  yield* validateImmutable(spec.parentRef, old.parentRef, parentPath);
}

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

/** Subnets stay; only the one of the other IP family may be added. */
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
