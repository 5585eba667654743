import type { PodTemplateSpec } from "../../api/core/pod/spec.ts";
import { sortKeys } from "../../meta/json.ts";
import { fnv32a } from "../../util/fnv.ts";
import { safeAlphabet } from "../../util/random.ts";
import { deepEqual } from "../../util/deep-equal.ts";

/** The label that distinguishes the ReplicaSets of one Deployment, and their Pods. */
export const hashLabel = "pod-template-hash";

const maxNameLength = 253;

/**
 * Returns equal hashes for equal templates, whatever the order of their keys. After a hash collision, a new
 * count of `collisions` changes the hash. (The hashes differ from upstream's, which are computed from a dump
 * of Go's memory.)
 */
export function templateHash(template: PodTemplateSpec, collisions: number | undefined): string {
  const text = JSON.stringify(sortKeys(template)) + (collisions === undefined ? "" : String(collisions));
  const digits = String(fnv32a(text));
  return digits.replaceAll(/./g, (digit) => safeAlphabet.charAt(digit.charCodeAt(0) % safeAlphabet.length));
}

export function replicaSetName(deployment: string, hash: string): string {
  return `${deployment.slice(0, maxNameLength - 1 - hash.length)}-${hash}`;
}

/** Reports whether two templates are equal except for the hash label. */
export function sameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return deepEqual(withoutHash(a), withoutHash(b));
}

function withoutHash({ metadata, spec }: PodTemplateSpec): object {
  const { [hashLabel]: _, ...labels } = metadata.labels ?? {};
  return { spec, metadata: { ...metadata, labels } };
}
