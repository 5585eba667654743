import type { FieldPath } from "../../../meta/field-error.ts";
import { labelValueProblems } from "../../../meta/label-syntax.ts";
import { deprecatedLabels } from "../deprecated-labels.ts";
import type { NodeSelectorTerm } from "../v1/scheduling.ts";

/** Warnings about deprecated labels and, with `checksValues`, about invalid label values. */
export function termWarnings(
  { matchExpressions = [] }: NodeSelectorTerm,
  place: FieldPath,
  checksValues: boolean,
): readonly string[] {
  return matchExpressions.flatMap(({ key, values = [] }, i) => {
    const at = place.child("matchExpressions").index(i);
    const problem = deprecatedLabels[key];
    const texts = problem === undefined ? [] : [`${at.child("key").toString()}: ${key} is ${problem}`];
    if (!checksValues) return texts;
    const odd = values.flatMap((value, j) =>
      labelValueProblems(value).map(
        (why) => `${at.child("values").index(j).toString()}: ${value} is invalid, ${why}`,
      ),
    );
    return [...texts, ...odd];
  });
}
