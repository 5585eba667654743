import { type FieldError, type FieldPath, forbidden, requiredValue } from "../../../../meta/field-error.ts";

/** What holds for one kind of source, and how upstream spells its field where it spells it in another way. */
export interface SourceRule<Volume, Owner> {
  readonly name: keyof Volume & string;
  /** In errors about the source itself. */
  readonly at: string;
  /** In the error about a source too many; absent where upstream lets it stand beside another. */
  readonly excess: string | undefined;
  readonly check: (volume: Volume, owner: Owner, path: FieldPath) => Iterable<FieldError>;
}

/** `Owner` is what rules may need to know of the object that the volume stands in. */
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

/** Exactly one source is set: the first one in the order of the rules counts as meant, the others as too many. */
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

/** A check that these texts and lists are not empty. */
export const needs = <Source>(...names: readonly (keyof Source & string)[]) =>
  function* (source: Source, path: FieldPath): Generator<FieldError> {
    for (const name of names) {
      const value = source[name];
      const isEmpty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
      if (isEmpty) yield requiredValue(path.child(name));
    }
  };
