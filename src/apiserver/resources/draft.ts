import type { KubeObject } from "../../meta/kind.ts";
import { type Draft, draftOf } from "../../meta/schema.ts";

export type DraftObject = Draft<KubeObject>;

/** Returns a copy that may be changed in place, but for the field owners: a write replaces them as a whole. */
export function draftOfObject<O extends KubeObject>(object: O): Draft<O> {
  const { managedFields, ...metadata } = object.metadata;
  const draft = draftOf({ ...object, metadata });
  if (managedFields !== undefined) Object.assign(draft.metadata, { managedFields });
  return draft;
}
