import { root } from "../../../meta/field-error.ts";
import { claimSpecWarnings } from "../../core/persistent-volume-claim/warnings.ts";
import { isChanged, templateWarnings } from "../../core/pod/warnings/pod.ts";
import type { StatefulSet } from "./schema.ts";

export function statefulSetWarnings(object: StatefulSet, old: StatefulSet | undefined): readonly string[] {
  if (!isChanged(object, old)) return [];
  const { template, volumeClaimTemplates = [], revisionHistoryLimit = 0 } = object.spec;
  const claims = root.child("spec", "volumeClaimTemplates");
  return [
    ...templateWarnings(template, root.child("spec", "template")),
    ...volumeClaimTemplates.flatMap(({ spec }, i) =>
      claimSpecWarnings(spec, old === undefined ? claims.index(i) : claims.index(i).child("Spec")),
    ),
    ...(revisionHistoryLimit < 0
      ? [
          "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
        ]
      : []),
  ];
}
