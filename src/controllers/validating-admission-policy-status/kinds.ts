import type { NamedRuleWithOperations } from "../../api/admissionregistration/v1/matching.ts";
import type { ValidatingAdmissionPolicySpec } from "../../api/admissionregistration/policy/schema.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import { type GroupVersionKind, parseGroupVersion } from "../../meta/kind.ts";
import { by } from "../../util/compare.ts";

/** The number of kinds after which a rule adds no more. */
const mostKinds = 10;

/**
 * The kinds that a policy's rules name, in the order of group, version and kind (`typesToCheck` in
 * `apiserver/pkg/admission/plugin/policy/validating/typechecking.go`). Rules with a wildcard name none.
 */
export function kindsToCheck(
  { matchConstraints }: ValidatingAdmissionPolicySpec,
  served: readonly DiscoveredResource[],
): readonly GroupVersionKind[] {
  const kinds = new Map<string, GroupVersionKind>();
  for (const rule of matchConstraints?.resourceRules ?? []) {
    let count = 0;
    for (const kind of kindsOf(rule, served)) {
      kinds.set(`${kind.group}/${kind.version}/${kind.kind}`, kind);
      if (++count === mostKinds) return sorted(kinds);
    }
  }
  return sorted(kinds);
}

const sorted = (kinds: ReadonlyMap<string, GroupVersionKind>) =>
  [...kinds.values()].sort(by(({ group, version, kind }) => `${group}\0${version}\0${kind}`));

function* kindsOf(
  { apiGroups = [], apiVersions = [], resources = [] }: NamedRuleWithOperations,
  served: readonly DiscoveredResource[],
): Generator<GroupVersionKind> {
  if ([...apiGroups, ...apiVersions].some((one) => one.includes("*"))) return;
  const names = new Set(resources.filter((one) => !/[*/]/.test(one)).map((one) => one.toLowerCase()));
  const versions = new Set(apiVersions);
  const matching = served
    .filter(({ plural, singular, kind }) => names.has(plural) || names.has(singular || kind.toLowerCase()))
    .filter(({ version }) => versions.has(version))
    .toSorted(by(({ version, plural }) => `${version}\0${plural}`));
  const known = new Set(matching.map(({ group }) => group)).add("");
  for (const group of [...new Set(apiGroups)].filter((one) => known.has(one)).sort()) {
    // Upstream's mapper takes the core group, whose name is empty, for any group.
    yield* group === "" ? matching : matching.filter((one) => one.group === group);
  }
}

/** The kind of a policy's parameters; undefined without one. */
export function paramKindOf({ paramKind }: ValidatingAdmissionPolicySpec): GroupVersionKind | undefined {
  const parsed = parseGroupVersion(paramKind?.apiVersion ?? "");
  return paramKind === undefined || parsed === undefined
    ? undefined
    : { ...parsed, kind: paramKind.kind ?? "" };
}
