import type { Client, UntypedObject } from "../../client/client.ts";
import { hasReason } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { GraphNode } from "./graph.ts";

/** The number of attempts on an object that other clients write to, before the back-off takes over. */
const tries = 5;

export type Propagation = "Orphan" | "Foreground" | "Background";

/** The graph is stale, or other clients write to the object; the caller retries later. */
export class StaleNodeError extends Error {
  override readonly name = "StaleNodeError";
}

/**
 * Changes and deletes objects of the graph. Preconditions on UID and resourceVersion bind each write to the
 * observed object.
 */
export class Objects {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Removes owners from the object's references. */
  dropOwners(node: GraphNode, uids: ReadonlySet<string>): Promise<void> {
    return this.#change(node, ({ ownerReferences = [] }) => {
      const kept = ownerReferences.filter(({ uid }) => !uids.has(uid));
      return kept.length === ownerReferences.length ? undefined : { ownerReferences: kept };
    });
  }

  /** Sets `blockOwnerDeletion` to false in all owner references of the object. */
  unblockOwners(node: GraphNode): Promise<void> {
    return this.#change(node, ({ ownerReferences = [] }) => {
      if (!ownerReferences.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true)) return undefined;
      return { ownerReferences: ownerReferences.map((one) => ({ ...one, blockOwnerDeletion: false })) };
    });
  }

  removeFinalizer(node: GraphNode, finalizer: string): Promise<void> {
    return this.#change(node, ({ finalizers = [] }) =>
      finalizers.includes(finalizer)
        ? { finalizers: finalizers.filter((one) => one !== finalizer) }
        : undefined,
    );
  }

  /**
   * Deletes the object if its owners are still those that the decision was based on. Returns false when the
   * object does not exist.
   * @throws StaleNodeError when the owners changed: another owner may have adopted the object.
   */
  async delete(node: GraphNode, propagationPolicy: Propagation): Promise<boolean> {
    const client = this.#resource(node);
    return this.#retry(node, async ({ ownerReferences = [], uid = "", resourceVersion = "" }) => {
      if (!deepEqual(ownerReferences, node.owners))
        throw new StaleNodeError("Cannot delete: its owners changed");
      const preconditions = { uid, resourceVersion };
      await client.delete(node.name, { propagationPolicy, preconditions });
    });
  }

  async #change(
    node: GraphNode,
    change: (metadata: UntypedObject["metadata"]) => object | undefined,
  ): Promise<void> {
    const client = this.#resource(node);
    await this.#retry(node, async (metadata) => {
      const changes = change(metadata);
      if (changes === undefined) return;
      const { uid, resourceVersion } = metadata;
      await client.patch(node.name, { metadata: { uid, resourceVersion, ...changes } }, { type: "merge" });
    });
  }

  /**
   * Reads the object and acts on it, again after each conflict. Returns false when the object does not exist.
   */
  async #retry(
    node: GraphNode,
    act: (metadata: UntypedObject["metadata"]) => Promise<void>,
  ): Promise<boolean> {
    for (let attempt = 1; attempt <= tries; attempt++) {
      try {
        const { metadata } = await this.#resource(node).get(node.name);
        if (metadata.uid !== node.uid) return false;
        await act(metadata);
        return true;
      } catch (error) {
        if (hasReason(error, "NotFound")) return false;
        if (!hasReason(error, "Conflict")) throw error;
      }
    }
    throw new StaleNodeError(`Cannot change ${node.kind} ${node.name}: too many conflicts`);
  }

  #resource({ resource, namespace }: GraphNode) {
    if (resource === undefined) throw new TypeError("Cannot change a virtual node");
    return this.#client.resource(resource, namespace);
  }
}
