import { root } from "../../meta/field-error.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { deprecatedLabels } from "../core/deprecated-labels.ts";
import type { CSIDriver } from "./v1/csi-driver.ts";
import type { CSIStorageCapacity } from "./v1/csi-storage-capacity.ts";
import type { StorageClass } from "./v1/storage-class.ts";

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

/** Only who changes something about tokens hears of them. */
export function driverWarnings({ spec }: CSIDriver, old: CSIDriver | undefined): readonly string[] {
  const { tokenRequests = [], serviceAccountTokenInSecrets } = spec;
  const isNew = !deepEqual(tokenRequests, old?.spec.tokenRequests ?? []);
  if (!isNew || serviceAccountTokenInSecrets !== undefined) return [];
  return [
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
  ];
}
