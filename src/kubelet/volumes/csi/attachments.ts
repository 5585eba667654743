import { nodes } from "../../../api/core/node/schema.ts";
import { attachmentName, type CsiHandle, uniqueName } from "../../../api/core/persistent-volume/csi-names.ts";
import { volumeAttachments } from "../../../api/storage/volume-attachment/schema.ts";
import { hasReason } from "../../../meta/status.ts";
import { sleep } from "../../../util/clock.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import type { NodeContext } from "../../node-context.ts";
import type { SourceContext } from "../sources.ts";

/** Upstream's `podAttachAndMountTimeout`. */
const timeoutMs = 123_000;
const pollMs = 500;

/** The volumes that the node's status shows as in use, so that the controller does not detach them. */
export class VolumesInUse {
  readonly #names = new Set<string>();
  /** Settles with the latest write. */
  #writing: Promise<unknown> = Promise.resolve();

  /** Begins with the volumes that an earlier node agent has mounted, and removes all others from the status. */
  async restore(node: NodeContext, volumes: readonly CsiHandle[]): Promise<void> {
    for (const volume of volumes) this.#names.add(uniqueName(volume));
    try {
      await this.#write(node);
    } catch {
      this.#names.clear(); // A node that is not registered yet, or not reached: each volume writes again.
    }
  }

  async add(node: NodeContext, volume: CsiHandle): Promise<void> {
    if (this.#names.has(uniqueName(volume))) return this.#settled();
    this.#names.add(uniqueName(volume));
    try {
      await this.#write(node);
    } catch (error) {
      this.#names.delete(uniqueName(volume)); // The next call writes again.
      throw error;
    }
  }

  async remove(node: NodeContext, volume: CsiHandle): Promise<void> {
    if (this.#names.delete(uniqueName(volume))) await this.#write(node);
  }

  async #settled(): Promise<void> {
    await this.#writing;
  }

  async #write(node: NodeContext): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#patch(node));
    await this.#writing;
  }

  async #patch(node: NodeContext): Promise<void> {
    const client = node.client.of(nodes);
    const names = [...this.#names].sort();
    const { status } = await client.get(node.name);
    if (deepEqual(status.volumesInUse ?? [], names)) return;
    const volumesInUse = names.length === 0 ? null : names;
    await client.patch(node.name, { status: { volumesInUse } }, { type: "merge", subresource: "status" });
  }
}

/**
 * Waits until the controller has attached the volume to the node. Returns the driver's metadata of the attachment.
 * The node's status must show the volume, because the controller removes it there before it detaches.
 * @throws Error after two minutes, or when the signal fires
 */
export async function untilAttached(
  { node, signal }: SourceContext,
  volume: CsiHandle,
): Promise<Readonly<Record<string, string>>> {
  const { clock } = node.env;
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const metadata = await attachment(node, volume);
    if (metadata !== undefined) return metadata;
    if (clock.monotonic() >= deadline) throw new Error("timed out waiting for the condition");
    await sleep(clock, pollMs, signal);
    signal?.throwIfAborted();
  }
}

async function attachment(
  node: NodeContext,
  volume: CsiHandle,
): Promise<Readonly<Record<string, string>> | undefined> {
  const name = attachmentName(volume, node.name);
  try {
    const { metadata, status } = await node.client.of(volumeAttachments).get(name);
    if (!status.attached || metadata.deletionTimestamp !== undefined) return undefined;
    const { volumesAttached = [] } = (await node.client.of(nodes).get(node.name)).status;
    const isReported = volumesAttached.some((one) => one.name === uniqueName(volume));
    return isReported ? (status.attachmentMetadata ?? {}) : undefined;
  } catch (error) {
    // The node authorizer knows no object that does not exist.
    if (hasReason(error, "NotFound", "Forbidden")) return undefined;
    throw error;
  }
}
