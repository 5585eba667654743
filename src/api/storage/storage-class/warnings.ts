import { root } from "../../../meta/field-error.ts";
import { deprecatedLabels } from "../../core/deprecated-labels.ts";
import type { StorageClass } from "./schema.ts";

export function storageClassWarnings({ allowedTopologies = [] }: StorageClass): readonly string[] {
  const texts: string[] = [];
  for (const [i, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
    for (const [j, { key }] of matchLabelExpressions.entries()) {
      const place = root.child("allowedTopologies").index(i).child("matchLabelExpressions").index(j);
      const problem = deprecatedLabels[key];
      if (problem !== undefined) texts.push(`${place.child("key").toString()}: ${problem}`);
    }
  }
  return texts;
}
