import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { PodCondition } from "../../api/core/pod/status.ts";
import type { Client } from "../../client/client.ts";
import { ignoreGone } from "../ignore-gone.ts";
import { patchCondition } from "./patch-condition.ts";

/**
 * Sets the condition that gives the reason of an eviction, then deletes the Pod. A Pod that is gone, or another one of its
 * name, is left alone.
 */
export async function evict(client: Client, pod: Pod, condition: PodCondition): Promise<void> {
  await patchCondition(client, pod, condition);
  const { name = "", namespace, uid = "" } = pod.metadata;
  await ignoreGone(client.of(pods, namespace).delete(name, { preconditions: { uid } }), "Conflict");
}
