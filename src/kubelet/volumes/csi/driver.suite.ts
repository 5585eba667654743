import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  Identity,
  Node,
  NodeServiceCapability_RPC_Type as Type,
  VolumeCapability_AccessMode_Mode as Mode,
} from "../../rpc/generated/csi_pb.ts";
import { Registration } from "../../rpc/generated/pluginregistration_pb.ts";
import { RpcError } from "../../rpc/errors.ts";
import { served, serveSocket } from "../../rpc/server.ts";

export interface TestDriverOptions {
  /** The directory of the driver's own socket. */
  readonly directory: string;
  readonly registry: string;
  readonly name?: string;
  readonly type?: string;
  readonly versions?: readonly string[];
  readonly abilities?: readonly (keyof typeof Type)[];
  readonly topology?: Readonly<Record<string, string>>;
  readonly maxVolumes?: bigint;
  /** Mounts a volume at a directory that exists. Default: the directory is the volume. */
  readonly mount?: (directory: string) => void;
  /** The inverse, which may be called twice. */
  readonly unmount?: (directory: string) => void;
}

/** A CSI driver with registrar whose volumes are empty directories. It notes each call. */
export class TestDriver {
  readonly calls: string[] = [];
  /** The requests to mount, newest last. */
  readonly requests: object[] = [];
  /** The results that the node agent has told: empty for success. */
  readonly results: string[] = [];
  /** Makes calls of this name fail. */
  failing: string | undefined;
  readonly #options: TestDriverOptions;
  readonly #stops: (() => void)[] = [];

  constructor(options: TestDriverOptions) {
    this.#options = options;
  }

  get registration(): string {
    return join(this.#options.registry, "test-reg.sock");
  }

  async start(): Promise<void> {
    const {
      directory,
      registry,
      name = "csi.test",
      type = "CSIPlugin",
      versions = ["1.0.0"],
    } = this.#options;
    const endpoint = join(directory, "csi.sock");
    mkdirSync(registry, { recursive: true });
    for (const socket of [endpoint, this.registration]) rmSync(socket, { force: true });
    this.#stops.push(await serveSocket({ socket: endpoint, methods: this.#methods() }));
    const { getInfo, notifyRegistrationStatus } = Registration.method;
    const methods = [
      served(getInfo, () => ({ type, name, endpoint, supportedVersions: [...versions] })),
      served(notifyRegistrationStatus, ({ error }) => {
        this.results.push(error);
        return {};
      }),
    ];
    this.#stops.push(await serveSocket({ socket: this.registration, methods }));
  }

  /** Ends the driver; its registration's socket is removed. */
  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    rmSync(this.registration, { force: true });
  }

  #methods() {
    const { abilities = ["STAGE_UNSTAGE_VOLUME"], topology = {}, maxVolumes = 0n } = this.#options;
    const rpc = (one: keyof typeof Type) => ({
      type: { case: "rpc" as const, value: { type: Type[one] } },
    });
    const { nodeGetInfo, nodeGetCapabilities, nodeStageVolume, nodeUnstageVolume } = Node.method;
    const { nodePublishVolume, nodeUnpublishVolume, nodeExpandVolume } = Node.method;
    return [
      served(Identity.method.probe, () => ({})),
      served(nodeGetInfo, () => ({
        nodeId: "id-1",
        maxVolumesPerNode: maxVolumes,
        accessibleTopology: { segments: topology },
      })),
      served(nodeGetCapabilities, () => ({ capabilities: abilities.map(rpc) })),
      served(nodeStageVolume, (request) => this.#note("stage", request.volumeId, request)),
      served(nodeUnstageVolume, (request) => this.#note("unstage", request.volumeId)),
      served(nodePublishVolume, (request) => {
        if (!existsSync(request.targetPath)) {
          mkdirSync(request.targetPath);
          this.#options.mount?.(request.targetPath);
        }
        return this.#note("publish", request.volumeId, request);
      }),
      served(nodeUnpublishVolume, (request) => {
        const done = this.#note("unpublish", request.volumeId);
        if (existsSync(request.targetPath)) this.#options.unmount?.(request.targetPath);
        rmSync(request.targetPath, { recursive: true, force: true });
        return done;
      }),
      served(nodeExpandVolume, ({ volumeId, capacityRange }) => {
        this.#note("expand", `${volumeId} to ${capacityRange?.requiredBytes}`);
        return { capacityBytes: capacityRange?.requiredBytes ?? 0n };
      }),
    ];
  }

  #note(call: string, volume: string, request?: object): object {
    if (this.failing === call) throw new RpcError("Internal", `${call} fails`);
    this.calls.push(`${call} ${volume}`);
    if (request !== undefined) this.requests.push(request);
    return {};
  }
}

export { Mode };
