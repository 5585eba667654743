import { type FieldError, type FieldPath, forbidden, requiredValue } from "../../../../meta/field-error.ts";

/** The validation of one type of source. Upstream spells some fields differently in its messages. */
export interface SourceRule<Volume, Owner> {
  readonly name: keyof Volume & string;
  /** The field's spelling in errors about the source itself. */
  readonly at: string;
  /**
   * The field's spelling in the error about a second source. Absent if upstream permits this source next to
   * another.
   */
  readonly excess: string | undefined;
  readonly check: (volume: Volume, owner: Owner, path: FieldPath) => Iterable<FieldError>;
}

/** Makes a rule. `Owner` is the information about the volume's object that rules depend on. */
export const sourceRule =
  <Volume, Owner>() =>
  <Name extends keyof Volume & string>(
    name: Name,
    check: (source: NonNullable<Volume[Name]>, path: FieldPath, owner: Owner) => Iterable<FieldError>,
    { at = name, excess = name }: { readonly at?: string; readonly excess?: string | null } = {},
  ): SourceRule<Volume, Owner> => ({
    name,
    at,
    excess: excess ?? undefined,
    check(volume, owner, path) {
      const source = volume[name];
      return source === undefined || source === null ? [] : check(source, path.child(at), owner);
    },
  });

/**
 * Requires exactly one source. The first one in the order of the rules is validated, the others are refused.
 */
export function* validateSources<Volume, Owner>(
  volume: Volume,
  rules: readonly SourceRule<Volume, Owner>[],
  owner: Owner,
  path: FieldPath,
): Generator<FieldError> {
  const set = rules.filter(({ name }) => volume[name] !== undefined);
  if (set.length === 0) yield requiredValue(path, "must specify a volume type");
  for (const [i, { excess, check }] of set.entries()) {
    if (i === 0 || excess === undefined) yield* check(volume, owner, path);
    else yield forbidden(path.child(excess), "may not specify more than 1 volume type");
  }
}

/** Makes a check that these strings and lists are not empty. */
export const needs = <Source>(...names: readonly (keyof Source & string)[]) =>
  function* (source: Source, path: FieldPath): Generator<FieldError> {
    for (const name of names) {
      const value = source[name];
      const isEmpty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
      if (isEmpty) yield requiredValue(path.child(name));
    }
  };
