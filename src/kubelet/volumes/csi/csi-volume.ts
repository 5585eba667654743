import { createHash } from "node:crypto";
import type { PersistentVolume } from "../../../api/core/persistent-volume/schema.ts";
import type { Pod } from "../../../api/core/pod/schema.ts";
import type { CSIVolumeSource } from "../../../api/core/volume/schema.ts";
import type { CSIDriverSpec } from "../../../api/storage/csi-driver/schema.ts";

/** A volume of a CSI driver, for one Pod. */
export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
  /** The PersistentVolume's name; for a volume inside a Pod's spec, the volume's own. */
  readonly name: string;
  /** True for a volume inside a Pod's spec, which lives and ends with the Pod. */
  readonly isEphemeral: boolean;
  readonly fsType: string;
  readonly readOnly: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly mountOptions: readonly string[];
  readonly accessModes: readonly string[];
  readonly stageSecret?: SecretPlace | undefined;
  readonly publishSecret?: SecretPlace | undefined;
}

export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the CSI volume behind a PersistentVolume; undefined for another kind. */
export function csiVolumeOf(
  { metadata, spec }: PersistentVolume,
  claimReadOnly: boolean,
): CsiVolume | undefined {
  if (spec.csi === undefined) return undefined;
  const { csi } = spec;
  return {
    driver: csi.driver,
    handle: csi.volumeHandle,
    name: metadata.name ?? "",
    isEphemeral: false,
    fsType: csi.fsType ?? "",
    readOnly: claimReadOnly || (csi.readOnly ?? false),
    attributes: csi.volumeAttributes ?? {},
    mountOptions: spec.mountOptions ?? [],
    accessModes: spec.accessModes ?? [],
    stageSecret: placeOf(csi.nodeStageSecretRef),
    publishSecret: placeOf(csi.nodePublishSecretRef),
  };
}

function placeOf(ref?: { readonly name?: string; readonly namespace?: string }): SecretPlace | undefined {
  return ref === undefined ? undefined : { namespace: ref.namespace ?? "", name: ref.name ?? "" };
}

/** Returns the volume of a CSI source in a Pod's spec. The handle is upstream's (`csi_plugin.go`). */
export function inlineVolume({ metadata }: Pod, name: string, source: CSIVolumeSource): CsiVolume {
  const hash = createHash("sha256").update(`${metadata.uid}${name}`).digest("hex");
  const { namespace = "" } = metadata;
  const secret = source.nodePublishSecretRef?.name;
  return {
    driver: source.driver,
    handle: `csi-${hash}`,
    name,
    isEphemeral: true,
    fsType: source.fsType ?? "",
    readOnly: source.readOnly ?? false,
    attributes: source.volumeAttributes ?? {},
    mountOptions: [],
    accessModes: ["ReadWriteOnce"],
    publishSecret: secret === undefined ? undefined : { namespace, name: secret },
  };
}

export type AccessMode =
  | "SINGLE_NODE_WRITER"
  | "SINGLE_NODE_SINGLE_WRITER"
  | "SINGLE_NODE_MULTI_WRITER"
  | "MULTI_NODE_READER_ONLY"
  | "MULTI_NODE_MULTI_WRITER";

/**
 * Returns CSI's access mode (upstream `csi_client.go`). A driver with SINGLE_NODE_MULTI_WRITER tells several Pods of one
 * node from one Pod.
 */
export function accessModeOf({ accessModes }: CsiVolume, tellsPodsApart: boolean): AccessMode {
  switch (accessModes[0]) {
    case "ReadOnlyMany":
      return "MULTI_NODE_READER_ONLY";
    case "ReadWriteMany":
      return "MULTI_NODE_MULTI_WRITER";
    case "ReadWriteOncePod":
      return tellsPodsApart ? "SINGLE_NODE_SINGLE_WRITER" : "SINGLE_NODE_WRITER";
    default:
      return tellsPodsApart ? "SINGLE_NODE_MULTI_WRITER" : "SINGLE_NODE_WRITER";
  }
}

/** Reports whether the node agent gives the volume to the Pod's group (upstream `csi_mounter.go` `supportsFSGroup`). */
export function changesGroup(volume: CsiVolume, policy: string): boolean {
  if (policy === "None" || volume.readOnly) return false;
  if (policy === "File") return true;
  if (volume.fsType === "") return false;
  return volume.accessModes.includes("ReadWriteOnce") || volume.accessModes.includes("ReadWriteOncePod");
}

const prefix = "csi.storage.k8s.io";

/** Returns the attributes for the driver, with the Pod's facts where its CSIDriver asks for them. */
export function volumeContext(
  { attributes, isEphemeral }: CsiVolume,
  { metadata, spec }: Pod,
  { podInfoOnMount = false }: Partial<CSIDriverSpec>,
): Readonly<Record<string, string>> {
  if (!podInfoOnMount) return attributes;
  return {
    ...attributes,
    [`${prefix}/pod.name`]: metadata.name ?? "",
    [`${prefix}/pod.namespace`]: metadata.namespace ?? "",
    [`${prefix}/pod.uid`]: metadata.uid ?? "",
    [`${prefix}/serviceAccount.name`]: spec.serviceAccountName ?? "",
    [`${prefix}/ephemeral`]: String(isEphemeral),
  };
}

/** The key of the tokens that a CSIDriver requests. */
export const tokensKey = `${prefix}/serviceAccount.tokens`;

/** @throws Error when the driver does not serve volumes of this life */
export function checkLifecycle({ driver, isEphemeral }: CsiVolume, spec: CSIDriverSpec | undefined): void {
  const mode = isEphemeral ? "Ephemeral" : "Persistent";
  const modes = spec?.volumeLifecycleModes ?? ["Persistent"];
  if (modes.includes(mode)) return;
  const only = modes.map((one) => JSON.stringify(one)).join(" ");
  throw new Error(
    `volume mode ${JSON.stringify(mode)} not supported by driver ${driver} (only supports [${only}])`,
  );
}
