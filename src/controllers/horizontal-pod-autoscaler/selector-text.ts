import type { LabelSelector } from "../../meta/v1.ts";
import { sortedEntries } from "../../util/compare.ts";

/** The form in which Go prints a pointer to a LabelSelector, which upstream's messages contain. */
export function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return "nil";
  const labels = sortedEntries(selector.matchLabels ?? {}).map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
