import { duplicate, type FieldError, forbidden, invalid, root } from "../../../meta/field-error.ts";
import { isCidr, ipFamily, validateCidr } from "../../../meta/validation/ip.ts";
import type { Node } from "./schema.ts";
import { validateResourceAmount } from "../validation/resources.ts";
import { validateTaints } from "../pod/validation/scheduling.ts";

const specPath = root.child("spec");
const statusPath = root.child("status");

/** Validates a Node. Upstream reports errors of taints below `metadata`. */
export function* validateNode({ spec, status }: Node): Generator<FieldError> {
  yield* validateTaints(spec.taints ?? [], root.child("metadata", "taints"));
  for (const list of ["capacity", "allocatable"] as const) {
    for (const [name, amount] of Object.entries(status[list] ?? {})) {
      yield* validateResourceAmount(name, amount, statusPath.child(list, name));
    }
  }
  const { podCIDRs = [] } = spec;
  const place = specPath.child("podCIDRs");
  for (const [i, range] of podCIDRs.entries()) yield* validateCidr(range, place.index(i));
  const families = podCIDRs.filter(isCidr).map((range) => ipFamily(range.split("/")[0] ?? ""));
  if (new Set(families).size < families.length) {
    yield invalid(place, podCIDRs, "may specify no more than one CIDR for each IP family");
  }
}

/** Permits setting an empty field, but not changing a set one. */
export function* validateNodeUpdate({ spec, status }: Node, { spec: old }: Node): Generator<FieldError> {
  const seen = new Set<string>();
  for (const [i, address] of (status.addresses ?? []).entries()) {
    const key = `${address.type}/${address.address}`;
    if (seen.has(key)) yield duplicate(statusPath.child("addresses").index(i), address);
    seen.add(key);
  }
  const before = old.podCIDRs ?? [];
  if (before.length > 0 && before.join() !== (spec.podCIDRs ?? []).join()) {
    yield forbidden(
      specPath.child("podCIDRs"),
      'node updates may not change podCIDR except from "" to valid',
    );
  }
  if (old.providerID !== undefined && spec.providerID !== old.providerID) {
    yield forbidden(
      specPath.child("providerID"),
      'node updates may not change providerID except from "" to valid',
    );
  }
  if (spec.externalID !== old.externalID) {
    yield forbidden(specPath.child("externalID"), "may not be updated");
  }
}
