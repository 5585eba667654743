import type { OwnerReference } from "../../meta/v1.ts";
import { type GraphNode, isOrphaning, isWaitingForDependents } from "./graph.ts";

/** How an owner stands; `waiting` is for its dependents to go. Of an `unknown` one nobody can ever tell. */
export type OwnerState = "solid" | "absent" | "waiting" | "unknown";

/** What is to be done about one object. */
export type Action =
  | { readonly type: "nothing" }
  /** The node is only known by name: is it there? */
  | { readonly type: "verify" }
  | { readonly type: "orphanDependents" }
  /** Nothing blocks the owner any more. */
  | { readonly type: "removeFinalizer"; readonly finalizer: string }
  | { readonly type: "lookAtDependents" }
  /** Owners that are gone, or going, are struck out; others remain. */
  | { readonly type: "dropOwners"; readonly uids: readonly string[] }
  | {
      readonly type: "delete";
      readonly propagationPolicy: "Orphan" | "Foreground" | "Background";
      readonly unblock: boolean;
    };

const nothing: Action = { type: "nothing" };

/**
 * Decides by the graph and the state of the object's owners (upstream `garbagecollector.attemptToDeleteItem`).
 * `dependents` are the object's own.
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
    // A circle of objects that wait for each other is broken by first taking back what blocks.
    return {
      type: "delete",
      propagationPolicy: "Foreground",
      unblock: dependents.some(isWaitingForDependents) && node.owners.some(blocks),
    };
  }
  return { type: "delete", propagationPolicy: policyOf(node), unblock: false };
}

/** Dependents that the owner may not go before. */
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

/** A finalizer that is there already says how the user wanted it. */
function policyOf({ finalizers }: GraphNode): "Orphan" | "Foreground" | "Background" {
  if (finalizers.includes("orphan")) return "Orphan";
  return finalizers.includes("foregroundDeletion") ? "Foreground" : "Background";
}
