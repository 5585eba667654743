import type { Draft } from "../meta/schema.ts";
import type { ObjectMeta } from "../meta/v1.ts";

const kept = ["labels", "annotations", "finalizers", "ownerReferences"] as const;

/** For kinds whose `/status` leaves metadata alone (apimachinery `ResetObjectMetaForStatus`). */
export function keepMetadata(metadata: Draft<ObjectMeta>, old: ObjectMeta): void {
  for (const name of kept) {
    if (old[name] === undefined) delete metadata[name];
    else Object.assign(metadata, { [name]: structuredClone(old[name]) });
  }
}
