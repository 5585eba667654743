import type { Namespace, NamespaceCondition } from "../../api/core/namespace/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import { formatTime } from "../../util/clock.ts";
import { isTerminal } from "../pods/pod-state.ts";

export const finalizer = "kubernetes";
/** Creates that were admitted just before the deletion are committed within this time. */
export const settleMs = 1_000;
/** The estimated time that controllers need to remove finalizers. */
const finalizerSeconds = 15;

/** The result of deleting the contents of one resource. */
export interface Remains {
  readonly resource: Pick<DiscoveredResource, "group" | "version" | "plural">;
  readonly count: number;
  /** The number of objects with each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Seconds until the rest is expected to be gone; 0 without such an estimate. */
  readonly estimateSeconds: number;
  /** The reason why deleting failed. */
  readonly error?: string;
}

/** The result of one attempt at deleting a namespace's contents. */
export interface Attempt {
  /** Group versions whose discovery failed. */
  readonly undiscovered: readonly string[];
  readonly remains: readonly Remains[];
}

/**
 * Sorts the resources to be deleted: Pods first, because the objects that they use must outlive them
 * (KEP-5080).
 */
export function deletionOrder(
  resources: readonly DiscoveredResource[],
): readonly (readonly DiscoveredResource[])[] {
  const deletable = resources.filter(({ namespaced, verbs }) => namespaced && verbs.includes("delete"));
  const isPods = ({ group, plural }: DiscoveredResource) => group === "" && plural === "pods";
  return [deletable.filter(isPods), deletable.filter((one) => !isPods(one))];
}

/**
 * Returns the greatest grace period of the running Pods; 0 when it has passed since the namespace was
 * deleted.
 */
export function graceSeconds(pods: readonly Pod[], deletedAt: number, now: number): number {
  const longest = pods
    .filter((pod) => !isTerminal(pod))
    .reduce((most, { spec }) => Math.max(most, spec.terminationGracePeriodSeconds ?? 0), 0);
  return now - deletedAt >= longest * 1000 ? 0 : longest;
}

/**
 * Classifies the objects that remain of a resource after its deletion (upstream
 * `deleteAllContentForGroupVersionResource`).
 */
export function judge(
  resource: Remains["resource"],
  left: readonly { readonly metadata: { readonly finalizers?: readonly string[] } }[],
  grace: number,
  namespace: string,
): Remains {
  const finalizers = countAll(
    left.flatMap(({ metadata }) => metadata.finalizers ?? []).map((name) => [name, 1]),
  );
  const estimateSeconds = grace > 0 ? grace : finalizers.size > 0 ? finalizerSeconds : 0;
  const result = { resource, count: left.length, finalizers, estimateSeconds };
  if (left.length === 0) return { ...result, estimateSeconds: 0 };
  if (estimateSeconds > 0) return result;
  const { group, version, plural } = resource;
  const gvr = `${group}/${version}, Resource=${plural}`;
  return { ...result, error: `unexpected items still remain in namespace: ${namespace} for gvr: ${gvr}` };
}

function countAll(counts: Iterable<readonly [string, number]>): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}

export function errorsOf({ undiscovered, remains }: Attempt): readonly string[] {
  const discovery = undiscovered.map((one) => `unable to discover ${one}`);
  return [...discovery, ...remains.flatMap(({ error }) => error ?? [])];
}

/** Milliseconds until the next attempt; undefined when nothing remains. */
export function retryMs({ remains }: Attempt): number | undefined {
  if (remains.every(({ count }) => count === 0)) return undefined;
  const estimate = Math.max(...remains.map(({ estimateSeconds }) => estimateSeconds));
  return (Math.floor(estimate / 2) + 1) * 1000;
}

const noTrouble = {
  NamespaceDeletionDiscoveryFailure: ["ResourcesDiscovered", "All resources successfully discovered"],
  NamespaceDeletionGroupVersionParsingFailure: [
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
  ],
  NamespaceDeletionContentFailure: [
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  NamespaceContentRemaining: ["ContentRemoved", "All content successfully removed"],
  NamespaceFinalizersRemaining: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
} as const;

type ConditionType = keyof typeof noTrouble;

/** Returns the namespace's conditions after the attempt; the same list when nothing changes. */
export function conditionsAfter(
  attempt: Attempt,
  { status }: Namespace,
  now: number,
): readonly NamespaceCondition[] {
  const present = status.conditions ?? [];
  const trouble: ReadonlyMap<string, readonly [reason: string, message: string]> = troubles(attempt);
  const next = Object.entries(noTrouble).map(([type, [reason, message]]): NamespaceCondition => {
    const found = trouble.get(type);
    const old = present.find((one) => one.type === type);
    const condition = {
      type,
      status: found === undefined ? "False" : "True",
      reason: found?.[0] ?? reason,
      message: found?.[1] ?? message,
    };
    const same = old?.status === condition.status;
    return {
      ...condition,
      lastTransitionTime: (same ? old.lastTransitionTime : undefined) ?? formatTime(now),
    };
  });
  const changed = next.some((one) => {
    const old = present.find(({ type }) => type === one.type);
    return old?.status !== one.status || old.reason !== one.reason || old.message !== one.message;
  });
  if (!changed) return present;
  return [
    ...present.map((old) => next.find(({ type }) => type === old.type) ?? old),
    ...next.filter(({ type }) => !present.some((old) => old.type === type)),
  ];
}

function troubles({ undiscovered, remains }: Attempt): ReadonlyMap<ConditionType, readonly [string, string]> {
  const found = new Map<ConditionType, readonly [string, string]>();
  if (undiscovered.length > 0) {
    const text = `Discovery failed for some groups, ${undiscovered.length} failing: unable to retrieve the complete list of server APIs: ${undiscovered.join(", ")}`;
    found.set("NamespaceDeletionDiscoveryFailure", ["DiscoveryFailed", text]);
  }
  const errors = remains.flatMap(({ error }) => error ?? []).toSorted();
  if (errors.length > 0) {
    const text = `Failed to delete all resource types, ${errors.length} remaining: ${errors.join(", ")}`;
    found.set("NamespaceDeletionContentFailure", ["ContentDeletionFailed", text]);
  }
  const left = remains.filter(({ count }) => count > 0);
  if (left.length > 0) {
    const texts = left.map(
      ({ resource, count }) => `${resource.plural}.${resource.group} has ${count} resource instances`,
    );
    const text = `Some resources are remaining: ${texts.toSorted().join(", ")}`;
    found.set("NamespaceContentRemaining", ["SomeResourcesRemain", text]);
  }
  const finalizers = countAll(left.flatMap((one) => [...one.finalizers]));
  if (finalizers.size > 0) {
    const texts = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`);
    const text = `Some content in the namespace has finalizers remaining: ${texts.toSorted().join(", ")}`;
    found.set("NamespaceFinalizersRemaining", ["SomeFinalizersRemain", text]);
  }
  return found;
}
