import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { PodCondition } from "../../api/core/pod/status.ts";
import type { Client } from "../../client/client.ts";
import { ignoreGone } from "../ignore-gone.ts";

/** Sets a condition of a Pod. A Pod that is gone, or another one of its name, is left alone. */
export async function patchCondition(
  client: Client,
  { metadata }: Pod,
  condition: PodCondition,
): Promise<void> {
  const patch = { metadata: { uid: metadata.uid }, status: { conditions: [condition] } };
  const options = { type: "strategic", subresource: "status" } as const;
  await ignoreGone(
    client.of(pods, metadata.namespace).patch(metadata.name ?? "", patch, options),
    "Conflict",
  );
}
