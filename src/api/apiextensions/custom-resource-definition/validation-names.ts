import { type FieldError, type FieldPath, invalid } from "../../../meta/field-error.ts";
import { label1035Problems } from "../../../meta/validation/dns.ts";
import type { CustomResourceDefinitionNames } from "./schema.ts";

/** Requires DNS labels as names. Kinds may contain capitals. */
export function* validateNames(
  names: CustomResourceDefinitionNames,
  place: FieldPath,
): Generator<FieldError> {
  const check = function* (own: FieldPath, name: string, prefix = ""): Generator<FieldError> {
    const problems = label1035Problems(prefix === "" ? name : name.toLowerCase());
    if (problems.length > 0) yield invalid(own, name, prefix + problems.join(","));
  };
  const mixed = "may have mixed case, but should otherwise match: ";
  const { plural, singular, kind, listKind, shortNames = [], categories = [] } = names;
  if (plural !== "") yield* check(place.child("plural"), plural);
  if (singular !== undefined) yield* check(place.child("singular"), singular);
  if (kind !== "") yield* check(place.child("kind"), kind, mixed);
  if (listKind !== undefined) yield* check(place.child("listKind"), listKind, mixed);
  for (const [i, name] of shortNames.entries()) yield* check(place.child("shortNames").index(i), name);
  if (kind !== "" && kind === listKind) {
    yield invalid(place.child("listKind"), listKind, "kind and listKind may not be the same");
  }
  for (const [i, name] of categories.entries()) yield* check(place.child("categories").index(i), name);
}
