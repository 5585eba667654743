import { type FieldError, type FieldPath, invalid, requiredValue } from "../../../meta/field-error.ts";
import { parseGroupVersion } from "../../../meta/kind.ts";
import { report } from "../../../meta/validation/report.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import type { CrossVersionObjectReference } from "./metrics.ts";

/** The API versions that a reference may have: with a group, also of the core group, or any. */
export type AllowedVersions = "group" | "core" | "any";

export function* validateReference(
  reference: CrossVersionObjectReference,
  place: FieldPath,
  versions: AllowedVersions,
): Generator<FieldError> {
  for (const name of ["kind", "name"] as const) {
    const value = reference[name];
    if (value === "") yield requiredValue(place.child(name));
    else yield* report(place.child(name), value, pathSegmentProblems(value));
  }
  const problem = versionProblem(reference, versions);
  if (problem !== undefined) yield invalid(place.child("apiVersion"), reference.apiVersion ?? "", problem);
}

/** Returns the reason why the API version of a reference is not allowed. */
export function versionProblem(
  { apiVersion = "" }: CrossVersionObjectReference,
  versions: AllowedVersions,
): string | undefined {
  if (versions === "any") return undefined;
  const parsed = parseGroupVersion(apiVersion);
  if (parsed === undefined) return `unexpected GroupVersion string: ${apiVersion}`;
  return versions === "group" && parsed.group === "" ? "apiVersion must specify API group" : undefined;
}
