import type { PolicyRule } from "./authorizer.ts";

/** Formats rules of one verb on one resource each: grouped by resource, sorted, without duplicates. */
export function ruleTexts(rules: readonly PolicyRule[]): readonly string[] {
  const byThing = Map.groupBy(rules, ({ verbs, ...thing }) =>
    JSON.stringify(thing.nonResourceURLs === undefined ? thing : [thing, verbs]),
  );
  const texts = [...byThing.values()].map((some) =>
    ruleText({ ...some[0], verbs: some.flatMap(({ verbs }) => verbs) }),
  );
  return [...new Set(texts)].sort();
}

/** Formats a rule as upstream's `CompactString` (`pkg/apis/rbac/v1/helpers.go`). */
function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  }).flatMap(([name, values = []]) =>
    values.length === 0 ? [] : [`${name}:[${values.map((value) => JSON.stringify(value)).join(" ")}]`],
  );
  return `{${parts.join(", ")}}`;
}
