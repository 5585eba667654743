import type { KubeObject } from "../meta/kind.ts";

/** Reports whether the object terminates and only waits for finalizers, this one among them. */
export function isDeletionCandidate({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true;
}

/** Reports whether the object lacks the finalizer and may still get it. */
export function lacksFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.deletionTimestamp === undefined && metadata.finalizers?.includes(finalizer) !== true;
}

export function withFinalizer<O extends KubeObject>(object: O, finalizer: string): O {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, finalizers: [...(metadata.finalizers ?? []), finalizer] } };
}

export function withoutFinalizer<O extends KubeObject>(object: O, finalizer: string): O {
  const { metadata } = object;
  const finalizers = metadata.finalizers?.filter((one) => one !== finalizer);
  return { ...object, metadata: { ...metadata, finalizers } };
}
