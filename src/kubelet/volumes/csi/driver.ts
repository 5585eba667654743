import type { MessageInitShape } from "@bufbuild/protobuf";
import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { Clock } from "../../../util/clock.ts";
import { RpcConnection } from "../../rpc/connection.ts";
import {
  Node,
  NodeServiceCapability_RPC_Type as Type,
  VolumeCapability_AccessMode_Mode as Mode,
} from "../../rpc/generated/csi_pb.ts";
import { type AccessMode, accessModeOf, type CsiVolume } from "./csi-volume.ts";

/** Upstream's `csiTimeout`. */
const deadlineMs = 120_000;
const maxMessageBytes = 4 << 20;

export interface DriverInfo {
  readonly nodeId: string;
  /** The greatest number of volumes on the node; 0 for no limit. */
  readonly maxVolumes: number;
  readonly topology: Readonly<Record<string, string>>;
}

/** The abilities of a driver that the node agent uses. */
export interface DriverAbilities {
  readonly stages: boolean;
  readonly expands: boolean;
  /** The driver gives volumes to the Pod's group itself. */
  readonly mountsWithGroup: boolean;
  readonly tellsPodsApart: boolean;
}

export interface MountRequest {
  readonly volume: CsiVolume;
  readonly context: Readonly<Record<string, string>>;
  readonly publishContext: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Empty for a driver that does not stage. */
  readonly stagingPath: string;
  /** The Pod's group, for a driver that mounts with it. */
  readonly group: number | undefined;
}

/** A registered CSI driver: the calls of its node service. */
export class CsiDriver {
  readonly name: string;
  readonly #connection: RpcConnection;
  #abilities: Promise<DriverAbilities> | undefined;

  constructor(name: string, endpoint: string, clock: Clock) {
    this.name = name;
    this.#connection = new RpcConnection({ clock, socket: endpoint, maxMessageBytes });
  }

  async info(signal: AbortSignal): Promise<DriverInfo> {
    const answer = await this.#call(Node.method.nodeGetInfo, {}, signal);
    const { nodeId, maxVolumesPerNode, accessibleTopology } = answer;
    if (nodeId === "") throw new Error("the driver's node ID is empty");
    return { nodeId, maxVolumes: Number(maxVolumesPerNode), topology: accessibleTopology?.segments ?? {} };
  }

  /** Returns the driver's abilities, which it is asked about once. */
  abilities(): Promise<DriverAbilities> {
    this.#abilities ??= this.#readAbilities();
    this.#abilities.catch(() => (this.#abilities = undefined));
    return this.#abilities;
  }

  async #readAbilities(): Promise<DriverAbilities> {
    const { capabilities } = await this.#call(Node.method.nodeGetCapabilities, {});
    const types = new Set<number>(capabilities.map(({ type }) => type.value?.type ?? Type.UNKNOWN));
    return {
      stages: types.has(Type.STAGE_UNSTAGE_VOLUME),
      expands: types.has(Type.EXPAND_VOLUME),
      mountsWithGroup: types.has(Type.VOLUME_MOUNT_GROUP),
      tellsPodsApart: types.has(Type.SINGLE_NODE_MULTI_WRITER),
    };
  }

  async stage(request: MountRequest): Promise<void> {
    await this.#call(Node.method.nodeStageVolume, {
      volumeId: request.volume.handle,
      publishContext: request.publishContext,
      stagingTargetPath: request.stagingPath,
      volumeCapability: await this.#capability(request),
      secrets: request.secrets,
      volumeContext: request.volume.attributes,
    });
  }

  async publish(request: MountRequest, targetPath: string): Promise<void> {
    await this.#call(Node.method.nodePublishVolume, {
      volumeId: request.volume.handle,
      publishContext: request.publishContext,
      stagingTargetPath: request.stagingPath,
      targetPath,
      volumeCapability: await this.#capability(request),
      readonly: request.volume.readOnly,
      secrets: request.secrets,
      volumeContext: request.context,
    });
  }

  async unpublish(volumeId: string, targetPath: string): Promise<void> {
    await this.#call(Node.method.nodeUnpublishVolume, { volumeId, targetPath });
  }

  async unstage(volumeId: string, stagingTargetPath: string): Promise<void> {
    await this.#call(Node.method.nodeUnstageVolume, { volumeId, stagingTargetPath });
  }

  /** Grows the file system of a published volume to at least `bytes`. Returns its new size; 0 if unknown. */
  async expand(request: MountRequest, volumePath: string, bytes: bigint): Promise<bigint> {
    const { capacityBytes } = await this.#call(Node.method.nodeExpandVolume, {
      volumeId: request.volume.handle,
      volumePath,
      stagingTargetPath: request.stagingPath,
      capacityRange: { requiredBytes: bytes },
      volumeCapability: await this.#capability(request),
      secrets: request.secrets,
    });
    return capacityBytes;
  }

  close(): void {
    this.#connection.close();
  }

  async #capability({ volume, group }: MountRequest) {
    const { tellsPodsApart } = await this.abilities();
    const mode: AccessMode = accessModeOf(volume, tellsPodsApart);
    const mount = {
      fsType: volume.fsType,
      mountFlags: [...volume.mountOptions],
      volumeMountGroup: group === undefined ? "" : String(group),
    };
    return {
      accessMode: { mode: Mode[mode] },
      accessType: { case: "mount" as const, value: mount },
    };
  }

  #call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    signal?: AbortSignal,
  ) {
    return this.#connection.call(method, request, { deadlineMs, signal });
  }
}
