import type { PersistentVolumeClaim } from "../../api/core/persistent-volume-claim/schema.ts";
import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";

/** An Event about one side of a binding. */
export interface Told {
  readonly about: "volume" | "claim";
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/**
 * The objects as they are to be, and the Events. A volume is written before its claim, and the spec of each before its
 * status, so that an interrupted binding is completed later.
 */
export interface Outcome {
  readonly volume?: PersistentVolume;
  readonly claim?: PersistentVolumeClaim;
  readonly events?: readonly Told[];
  /** The contradiction that keeps the claim from being bound; it is tried again. */
  readonly failure?: string;
}

export function told(
  about: Told["about"],
  type: Told["type"],
  reason: string,
  message: string,
): { readonly events: readonly Told[] } {
  return { events: [{ about, type, reason, message }] };
}

/** The object with an annotation. */
export function annotated<O extends PersistentVolume | PersistentVolumeClaim>(
  object: O,
  added: Readonly<Record<string, string>>,
): O {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...added } } };
}

/** The object without an annotation. */
export function unannotated<O extends PersistentVolume | PersistentVolumeClaim>(object: O, name: string): O {
  const { [name]: _, ...annotations } = object.metadata.annotations ?? {};
  const rest = Object.keys(annotations).length === 0 ? undefined : annotations;
  return { ...object, metadata: { ...object.metadata, annotations: rest } };
}
