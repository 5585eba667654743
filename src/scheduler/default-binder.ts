import { bindings } from "../api/core/binding/schema.ts";
import { type Pod, pods } from "../api/core/pod/schema.ts";
import type { Client } from "../client/client.ts";
import { hasReason } from "../meta/status.ts";
import type { Extender } from "./extenders/extender.ts";

/** A chosen node, and the attempt that chose it. */
export interface Placement {
  readonly node: string;
  /** The last revision of Pods that the decision has seen. */
  readonly seen: string;
  /** The start of the attempt, on the monotonic clock. */
  readonly began: number;
}

export interface BindOptions {
  readonly client: Client;
  readonly extenders: readonly Extender[];
  /** True when other schedulers bind Pods at the same time: the API server compares what they have seen. */
  readonly isShared: boolean;
}

/** Binds a Pod that no plugin binds, by the extender that binds, or else by the API. @throws when that fails */
export async function bind(pod: Pod, { node, seen }: Placement, options: BindOptions): Promise<void> {
  const { client, extenders, isShared } = options;
  const { name = "", namespace, uid } = pod.metadata;
  const binder = extenders.find((one) => one.isBinder && one.isInterested(pod));
  if (binder !== undefined) return binder.bind(pod, node);
  const { apiVersion, kind } = bindings;
  const own = client.of(pods, namespace).subresource(name, "binding");
  const target = { kind: "Node", name: node, ...(isShared ? { resourceVersion: seen } : {}) };
  await own.create({ apiVersion, kind, metadata: { name, namespace, uid }, target });
}

/** True when another shard has bound a Pod that the decision had not seen (`apiserver/subresources/placements.ts`). */
export function isConflictOnNode(error: unknown): boolean {
  return hasReason(error, "Conflict") && error.status.details?.kind === "nodes";
}
