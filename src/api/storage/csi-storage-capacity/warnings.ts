import { root } from "../../../meta/field-error.ts";
import { deprecatedLabels } from "../../core/deprecated-labels.ts";
import type { CSIStorageCapacity } from "./schema.ts";

export function storageCapacityWarnings({ nodeTopology = {} }: CSIStorageCapacity): readonly string[] {
  const { matchExpressions = [], matchLabels = {} } = nodeTopology;
  const texts: string[] = [];
  for (const [i, { key }] of matchExpressions.entries()) {
    const place = root.child("nodeTopology", "matchExpressions").index(i).child("key").toString();
    const problem = deprecatedLabels[key];
    if (problem !== undefined) texts.push(`${place}: ${key} is ${problem}`);
  }
  for (const key of Object.keys(matchLabels)) {
    const problem = deprecatedLabels[key];
    if (problem !== undefined) texts.push(`nodeTopology.matchLabels.${key}: ${problem}`);
  }
  return texts;
}
