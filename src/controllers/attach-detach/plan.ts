import type { AttachedVolume, Node } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { VolumeAttachment } from "../../api/storage/volume-attachment/schema.ts";
import { isConditionTrue } from "../../meta/conditions.ts";
import { by } from "../../util/compare.ts";
import { uniqueName } from "../../api/core/persistent-volume/csi-names.ts";
import { type CsiVolume } from "./volumes.ts";

/** The time that a node that does not report has for unmounting a volume (upstream `ReconcilerMaxWaitForUnmountDuration`). */
export const maxUnmountMs = 6 * 60_000;

/** A node with this annotation leaves attaching to the controller. */
const managed = "volumes.kubernetes.io/controller-managed-attach-detach";
const outOfServiceTaint = "node.kubernetes.io/out-of-service";

/** A volume with the Pods on the node that need it. */
export interface WantedVolume {
  readonly volume: CsiVolume;
  readonly pods: readonly Pod[];
}

/** A volume with its attachment to the node. */
export interface Attachment {
  readonly volume: CsiVolume;
  readonly attachment: VolumeAttachment;
}

/** The use of a volume by other nodes. */
export interface OtherUse {
  readonly isAttached: boolean;
  /** The names of the Pods there that need the volume. */
  readonly pods: readonly string[];
}

/** All that the decision about a node depends on. */
export interface NodeView {
  /** Undefined when it is deleted. */
  readonly node: Node | undefined;
  readonly wanted: readonly WantedVolume[];
  readonly attachments: readonly Attachment[];
  readonly elsewhere: (volume: CsiVolume) => OtherUse;
  /** The time since which no Pod needs the attachment, by its UID; undefined when Pods needed it so far. */
  readonly unneededSince: (uid: string) => number | undefined;
  readonly now: number;
}

export interface PodEvent {
  readonly pod: Pod;
  readonly type: "Normal" | "Warning";
  readonly reason: "FailedAttachVolume" | "SuccessfulAttachVolume";
  readonly message: string;
}

export interface Plan {
  readonly attach: readonly CsiVolume[];
  /** Deleted after the node's status no longer has the volumes. */
  readonly detach: readonly VolumeAttachment[];
  /** The new `volumesAttached` of the node's status; undefined when it stays. */
  readonly volumesAttached: readonly AttachedVolume[] | undefined;
  /** The attachments that no Pod needs, and that are not to be deleted yet. */
  readonly waiting: readonly VolumeAttachment[];
  /** Milliseconds until one of them is to be deleted even if the node still has it mounted. */
  readonly wakeMs: number | undefined;
  readonly events: readonly PodEvent[];
}

/** Decides which volumes are attached to a node and detached from it (upstream `attachdetach/reconciler`). */
export function planNode(view: NodeView): Plan {
  const { node, wanted, attachments, now } = view;
  const names = new Set(wanted.map(({ volume }) => uniqueName(volume)));
  const unneeded = attachments.filter(
    ({ volume, attachment }) =>
      !names.has(uniqueName(volume)) && attachment.metadata.deletionTimestamp === undefined,
  );
  const [detach, waiting] = divide(unneeded, (one) => isDetachable(one, view));
  const deadlines = waiting.map(({ attachment }) => since(attachment, view) + maxUnmountMs - now + 1);
  const gone = new Set(detach.map(({ attachment }) => attachment));
  const present = attachments.filter(({ attachment }) => !gone.has(attachment));
  return {
    ...planAttach(view, present),
    detach: detach.map(({ attachment }) => attachment),
    volumesAttached: node === undefined ? undefined : attachedTo(node, present),
    waiting: waiting.map(({ attachment }) => attachment),
    wakeMs: deadlines.filter((ms) => ms > 0).sort((a, b) => a - b)[0],
  };
}

function divide<T>(all: readonly T[], test: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(test), all.filter((one) => !test(one))];
}

function since({ metadata }: VolumeAttachment, { unneededSince, now }: NodeView): number {
  return unneededSince(metadata.uid ?? "") ?? now;
}

/**
 * Reports whether an unneeded volume can be detached: it is not mounted, or its node is out of service, or its node has not
 * reported for long.
 */
function isDetachable({ volume, attachment }: Attachment, view: NodeView): boolean {
  const { node, now } = view;
  // A deleted node can no longer say what it has mounted.
  const isMounted = node === undefined || node.status.volumesInUse?.includes(uniqueName(volume)) === true;
  if (!isMounted) return true;
  if (node?.spec.taints?.some(({ key }) => key === outOfServiceTaint) === true) return true;
  const isHealthy = isConditionTrue(node?.status.conditions, "Ready");
  return !isHealthy && now - since(attachment, view) > maxUnmountMs;
}

/** The list for the node's status; undefined when the status has it already. */
function attachedTo({ status }: Node, present: readonly Attachment[]): readonly AttachedVolume[] | undefined {
  const names = present.flatMap(({ volume, attachment }) =>
    attachment.status.attached && attachment.metadata.deletionTimestamp === undefined
      ? [uniqueName(volume)]
      : [],
  );
  const before = new Set(status.volumesAttached?.map(({ name }) => name));
  if (before.symmetricDifference(new Set(names)).size === 0) return undefined;
  return names.map((name) => ({ name, devicePath: "" })).sort(by(({ name }) => name));
}

function planAttach(
  { node, wanted, elsewhere }: NodeView,
  present: readonly Attachment[],
): Pick<Plan, "attach" | "events"> {
  if (node?.metadata.annotations?.[managed] === undefined) return { attach: [], events: [] };
  const attach: CsiVolume[] = [];
  const events: PodEvent[] = [];
  const reported = new Set(node.status.volumesAttached?.map(({ name }) => name));
  for (const { volume, pods } of wanted) {
    const found = present.find((one) => uniqueName(one.volume) === uniqueName(volume))?.attachment;
    const tell = (type: PodEvent["type"], reason: PodEvent["reason"], message: string) =>
      events.push(...pods.map((pod) => ({ pod, type, reason, message })));
    // A volume that is being detached is attached again afterwards.
    if (found?.metadata.deletionTimestamp !== undefined) continue;
    if (found === undefined) {
      const other = volume.isShared ? undefined : elsewhere(volume);
      if (other?.isAttached !== true) attach.push(volume);
      else tell("Warning", "FailedAttachVolume", multiAttach(volume, other));
    } else if (found.status.attached) {
      const message = `AttachVolume.Attach succeeded for volume "${volume.volume}" `;
      if (!reported.has(uniqueName(volume))) tell("Normal", "SuccessfulAttachVolume", message);
    } else if (found.status.attachError !== undefined) {
      const why = found.status.attachError.message ?? "";
      tell(
        "Warning",
        "FailedAttachVolume",
        `AttachVolume.Attach failed for volume "${volume.volume}" : ${why}`,
      );
    }
  }
  return { attach, events };
}

function multiAttach({ volume }: CsiVolume, { pods }: OtherUse): string {
  const why =
    pods.length > 0
      ? `Volume is already used by pod(s) ${pods.join(", ")}`
      : "Volume is already exclusively attached to one node and can't be attached to another";
  return `Multi-Attach error for volume "${volume}" ${why}`;
}
