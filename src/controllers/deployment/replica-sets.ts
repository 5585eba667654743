import type { Deployment } from "../../api/apps/deployment/schema.ts";
import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import { sameTemplate } from "./template-hash.ts";
import { ascending } from "../../util/compare.ts";

/**
 * A Deployment's ReplicaSets. A plan replaces changed ReplicaSets by copies: the same object means no change.
 */
export interface Sets {
  /** The ReplicaSet of the Deployment's template; undefined before it is created. */
  readonly current: ReplicaSet | undefined;
  /** The ReplicaSets of former templates. */
  readonly old: readonly ReplicaSet[];
}

export function sizeOf({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

export function availableIn({ status }: ReplicaSet): number {
  return status.availableReplicas ?? 0;
}

/** Reports whether the ReplicaSet's desired size is above 0. */
export function isActiveSet(replicaSet: ReplicaSet): boolean {
  return sizeOf(replicaSet) > 0;
}

export function allOf({ current, old }: Sets): readonly ReplicaSet[] {
  return current === undefined ? old : [...old, current];
}

export function sum(sets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number): number {
  return sets.reduce((total, one) => total + count(one), 0);
}

/** Sorts the oldest first. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [x, y] = [a, b].map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? "") || 0);
  return (x ?? 0) - (y ?? 0) || ascending(a.metadata.name ?? "", b.metadata.name ?? "");
}

/**
 * Splits ReplicaSets into current and old. When several match the template, which only happens after an
 * upgrade, the oldest is current.
 */
export function sortOut({ spec }: Deployment, replicaSets: readonly ReplicaSet[]): Sets {
  const sorted = replicaSets.toSorted(byAge);
  const current = sorted.find((one) => sameTemplate(one.spec.template, spec.template));
  return { current, old: sorted.filter((one) => one !== current) };
}
