import type { Node } from "../api/core/node/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import type { Kind, KubeObject, ObjectOf } from "../meta/kind.ts";

/** A change of the cluster that may make a rejected Pod schedulable (scheduler `framework.ClusterEvent`). */
export type ClusterEvent =
  | { readonly type: "nodeAdded"; readonly node: Node }
  | { readonly type: "nodeUpdated"; readonly old: Node; readonly node: Node }
  | { readonly type: "nodeDeleted"; readonly node: Node }
  /** A Pod came to a node. */
  | { readonly type: "podAssigned"; readonly pod: Pod }
  | { readonly type: "assignedPodUpdated"; readonly old: Pod; readonly pod: Pod }
  /** A Pod left its node, or its binding failed. */
  | { readonly type: "podRemoved"; readonly pod: Pod }
  /** The labels of a namespace have changed, or the namespace is new. */
  | { readonly type: "namespaceChanged"; readonly name: string }
  /** An object of a kind that a plugin reads: new without `old`, deleted without `object`. */
  | {
      readonly type: "objectChanged";
      readonly kind: Kind;
      readonly old: KubeObject | undefined;
      readonly object: KubeObject | undefined;
    };

/** A change of an object of one kind; undefined for any other event. */
export function changeOf<K extends Kind>(
  kind: K,
  event: ClusterEvent,
): { readonly old: ObjectOf<K> | undefined; readonly object: ObjectOf<K> | undefined } | undefined {
  if (event.type !== "objectChanged" || event.kind !== kind) return undefined;
  // Safe: the event's objects are of its kind.
  const { old, object } = event as { old: ObjectOf<K> | undefined; object: ObjectOf<K> | undefined };
  return { old, object };
}
