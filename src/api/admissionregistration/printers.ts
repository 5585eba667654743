import type { LabelSelector } from "../../meta/v1.ts";

/** A label selector as Go prints the struct. Clients see this form in a column. */
export function goText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
