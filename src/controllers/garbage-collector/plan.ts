import type { OwnerReference } from "../../meta/v1.ts";
import { type GraphNode, isOrphaning, isWaitingForDependents } from "./graph.ts";

/**
 * An owner's state. A `waiting` owner is being deleted in the foreground. An `unknown` owner can never be
 * looked up.
 */
export type OwnerState = "solid" | "absent" | "waiting" | "unknown";

/** The work on one object. */
export type Action =
  | { readonly type: "nothing" }
  /** The node is virtual: the API server must be asked whether the owner exists. */
  | { readonly type: "verify" }
  | { readonly type: "orphanDependents" }
  /** No dependent blocks the owner any more. */
  | { readonly type: "removeFinalizer"; readonly finalizer: string }
  | { readonly type: "lookAtDependents" }
  /** Removes references to absent and waiting owners, because another owner remains. */
  | { readonly type: "dropOwners"; readonly uids: readonly string[] }
  | {
      readonly type: "delete";
      readonly propagationPolicy: "Orphan" | "Foreground" | "Background";
      readonly unblock: boolean;
    };

const nothing: Action = { type: "nothing" };

/**
 * Decides by the graph and the states of the object's owners (upstream
 * `garbagecollector.attemptToDeleteItem`). `dependents` are the object's own.
 */
export function planObject(
  node: GraphNode,
  dependents: readonly GraphNode[],
  stateOf: (owner: OwnerReference) => OwnerState,
): Action {
  if (node.resource === undefined) return { type: "verify" };
  if (isOrphaning(node)) return { type: "orphanDependents" };
  if (isWaitingForDependents(node)) {
    return blockers(node, dependents).length === 0
      ? { type: "removeFinalizer", finalizer: "foregroundDeletion" }
      : { type: "lookAtDependents" };
  }
  if (node.deleting || node.owners.length === 0) return nothing;
  const by = (state: OwnerState) => node.owners.filter((owner) => stateOf(owner) === state);
  if (by("unknown").length > 0) return nothing;
  const [solid, absent, waiting] = [by("solid"), by("absent"), by("waiting")];
  if (solid.length > 0) {
    const gone = [...absent, ...waiting].map(({ uid }) => uid);
    return gone.length === 0 ? nothing : { type: "dropOwners", uids: gone };
  }
  if (waiting.length > 0 && dependents.length > 0) {
    // Unblocking first breaks a circle of objects that wait for each other.
    return {
      type: "delete",
      propagationPolicy: "Foreground",
      unblock: dependents.some(isWaitingForDependents) && node.owners.some(blocks),
    };
  }
  return { type: "delete", propagationPolicy: policyOf(node), unblock: false };
}

/** Returns the dependents that must be deleted before the owner. */
export function blockers(owner: GraphNode, dependents: readonly GraphNode[]): GraphNode[] {
  return dependents.filter(
    ({ resource, owners }) =>
      resource !== undefined &&
      owners.some(({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion === true),
  );
}

function blocks({ blockOwnerDeletion }: OwnerReference): boolean {
  return blockOwnerDeletion === true;
}

/** The propagation policy follows from the object's finalizers, because they state the user's choice. */
function policyOf({ finalizers }: GraphNode): "Orphan" | "Foreground" | "Background" {
  if (finalizers.includes("orphan")) return "Orphan";
  return finalizers.includes("foregroundDeletion") ? "Foreground" : "Background";
}
