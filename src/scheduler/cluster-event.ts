import type { Node } from "../api/core/node/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";

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
  | { readonly type: "namespaceChanged"; readonly name: string };
