import { type FieldError, requiredValue, root } from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { report, validateSubdomain } from "../../../meta/validation/report.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import type { IPAddress } from "./schema.ts";

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
