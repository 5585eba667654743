import { createHash } from "node:crypto";

/** A volume as its CSI driver names it. */
export interface CsiHandle {
  readonly driver: string;
  readonly handle: string;
}

/** The volume's name in a node's status. */
export function uniqueName({ driver, handle }: CsiHandle): string {
  return `kubernetes.io/csi/${driver}^${handle}`;
}

/** The name of the VolumeAttachment of a volume and a node (`csi_attacher.go`). */
export function attachmentName({ driver, handle }: CsiHandle, node: string): string {
  const hash = createHash("sha256").update(`${handle}${driver}${node}`).digest("hex");
  return `csi-${hash}`;
}
