import type { Draft } from "../meta/schema.ts";
import type { StrategyContext } from "../meta/strategy.ts";
import type { ObjectMeta } from "../meta/v1.ts";

const kept = ["labels", "annotations", "finalizers", "ownerReferences"] as const;

/**
 * Restores the metadata, for kinds whose `/status` must not change it (apimachinery
 * `ResetObjectMetaForStatus`).
 */
export function keepMetadata(metadata: Draft<ObjectMeta>, old: ObjectMeta): void {
  for (const name of kept) {
    if (old[name] === undefined) delete metadata[name];
    else Object.assign(metadata, { [name]: structuredClone(old[name]) });
  }
}

/** Prepares an update of most of these kinds. */
export function prepareStatusUpdate(
  { metadata }: { readonly metadata: Draft<ObjectMeta> },
  old: { readonly metadata: ObjectMeta },
  { subresource }: StrategyContext,
): void {
  if (subresource === "status") keepMetadata(metadata, old.metadata);
}
