import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from "../../api/apiextensions/custom-resource-definition/schema.ts";
import type { Wanted } from "./conditions.ts";

/** The accepted names of a definition, and whether these are all its names (`NamingConditionController`). */
export interface NameDecision {
  readonly acceptedNames: CustomResourceDefinitionNames;
  readonly condition: Wanted;
}

interface TakenNames {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function takenNames(group: readonly CustomResourceDefinition[]): TakenNames {
  const accepted = group.map(({ status }) => status.acceptedNames);
  return {
    resources: new Set(
      accepted.flatMap(({ plural, singular = "", shortNames = [] }) => [plural, singular, ...shortNames]),
    ),
    kinds: new Set(accepted.flatMap(({ kind, listKind = "" }) => [kind, listKind])),
  };
}

/**
 * `group` has all definitions of the group, including this one: the first definition with a name has it
 * accepted.
 */
export function decideNames(
  { spec: { names }, status }: CustomResourceDefinition,
  group: readonly CustomResourceDefinition[],
): NameDecision {
  const { acceptedNames: old } = status;
  const taken = takenNames(group);
  const isTaken = (name: string, used: ReadonlySet<string>, own: string) => name !== own && used.has(name);
  const conflicts: Pick<Wanted, "reason" | "message">[] = [];
  const refuse = (reason: string, ...wrong: readonly string[]) => {
    const texts = wrong.map((name) => `${JSON.stringify(name)} is already in use`);
    conflicts.push({ reason, message: texts.length > 1 ? `[${texts.join(", ")}]` : (texts[0] ?? "") });
  };
  /** Returns the name itself, or the former one when another definition has it. */
  const decide = (name = "", before = "", used: ReadonlySet<string>, reason: string): string => {
    if (!isTaken(name, used, before)) return name;
    refuse(reason, name);
    return before;
  };
  const plural = decide(names.plural, old.plural, taken.resources, "PluralConflict");
  const singular = decide(names.singular, old.singular, taken.resources, "SingularConflict");
  const kept = new Set(old.shortNames);
  const wrong = (names.shortNames ?? []).filter((name) => !kept.has(name) && taken.resources.has(name));
  if (wrong.length > 0) refuse("ShortNamesConflict", ...wrong);
  const shortNames = wrong.length > 0 ? old.shortNames : names.shortNames;
  const kind = decide(names.kind, old.kind, taken.kinds, "KindConflict");
  const listKind = decide(names.listKind, old.listKind, taken.kinds, "ListKindConflict");
  const { categories } = names;
  const type = "NamesAccepted";
  const conflict = conflicts.at(-1);
  return {
    acceptedNames: {
      plural,
      ...(singular === "" ? {} : { singular }),
      ...(shortNames === undefined ? {} : { shortNames }),
      kind,
      ...(listKind === "" ? {} : { listKind }),
      ...(categories === undefined ? {} : { categories }),
    },
    condition:
      conflict === undefined
        ? { type, status: "True", reason: "NoConflicts", message: "no conflicts found" }
        : { type, status: "False", ...conflict },
  };
}
