import type { Service } from "../api/core/service/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import type { Client } from "../client/client.ts";
import type { EventSink } from "../client/event-recorder.ts";
import type { Env } from "../util/env.ts";
import type { Allocations } from "./allocation/allocations.ts";
import type { NodeAddresses } from "./pod/status.ts";
import type { ProbeResults } from "./pod/view.ts";
import type { RegistryCredentials, Runtime, SandboxStatus } from "./runtime.ts";
import type { SubPathMount } from "./safe-path/sub-path.ts";

/** The objects that the parts of the node agent share. */
export interface NodeContext {
  readonly name: string;
  readonly env: Env;
  readonly client: Client;
  readonly runtime: Runtime;
  readonly events: EventSink;
  readonly addresses: NodeAddresses;
  /** The node's resources for Pods. */
  readonly allocatable: Readonly<Record<string, string>>;
  readonly volumes: Volumes;
  readonly probes: Probes;
  readonly allocations: Allocations;
  readonly dns: ClusterDns;
  /** The directory of container logs: `<namespace>_<name>_<uid>/<container>/<attempt>.log`. */
  readonly logDirectory: string;
  /** The greatest delay before a restart of a container, in milliseconds. Default: five minutes. */
  readonly maxRestartMs?: number | undefined;
  /** The greatest number of processes and threads in a Pod; -1 for no limit. */
  readonly podPidsLimit: number;
  /** Returns the Services that Pods of a namespace get variables for. */
  readonly services: (namespace: string) => readonly Service[];
  /**
   * Returns the host's ID of the root of a Pod with a user namespace. @throws RuntimeError when there are none.
   */
  firstId(uid: string): number;
  /** Returns the credentials of the Pod's pull secrets for an image. */
  pullCredentials(pod: Pod, image: string): Promise<readonly RegistryCredentials[]>;
  /** Lists the runtime again. */
  refresh(): Promise<void>;
}

/** The resolver of Pods. Without an address the cluster has no DNS, and Pods use the host's resolver. */
export interface ClusterDns {
  readonly address: string | undefined;
  /** e.g. `cluster.local` */
  readonly domain: string;
}

/** A volume on the host. */
export interface PreparedVolume {
  readonly path: string;
  /**
   * Made from API objects: containers never write to it, whatever their mounts say (since CVE-2017-1002102).
   */
  readonly readOnly: boolean;
  /** True if `path` is a block device. */
  readonly isBlock?: true;
  /** The group by which the volume's files are shared; the Pod's containers get it. */
  readonly group?: number;
}

/** Makes a Pod's volumes on the host, from objects that the node may read. */
export interface Volumes {
  /** True when the contents do not follow API objects: there is nothing to update. */
  readonly areConstant?: true;
  /**
   * Returns each volume by name. Idempotent; contents from API objects are updated.
   * Waits for volumes that must be attached first, until `signal` fires.
   * @throws RuntimeError CreateContainerConfigError when a required object is missing.
   */
  prepare(node: NodeContext, pod: Pod, signal?: AbortSignal): Promise<ReadonlyMap<string, PreparedVolume>>;
  /**
   * Creates missing directories of a `subPath`. @throws RuntimeError CreateContainerConfigError when it
   * leaves the volume.
   */
  prepareSubPath(mount: SubPathMount): void;
  /**
   * Returns the directories on disk that the Pod fills: its emptyDirs by name, and the files made from API
   * objects.
   */
  diskPlaces(pod: Pod): {
    readonly emptyDirs: ReadonlyMap<string, string>;
    readonly other: readonly string[];
  };
  /** Runs beside the Pods until the signal fires; absent when there is nothing to run. */
  run?(node: NodeContext, signal: AbortSignal): Promise<void>;
  /** Returns the UIDs of the Pods that have volumes, so that those of deleted Pods are removed after a restart. */
  pods?(): Promise<readonly string[]>;
  /** Unmounts and deletes everything that `prepare` made for the Pod. */
  remove(node: NodeContext, uid: string): Promise<void>;
}

/** Runs the probes of all Pods on the node. */
export interface Probes {
  /** Starts and stops probes to match the running containers. `changed` is called when a result changes. */
  follow(pod: Pod, sandboxes: readonly SandboxStatus[], changed: () => void): void;
  forget(uid: string): void;
  /** Stops all probes. */
  close(): void;
  /** The results by container ID, for all running containers of the Pod. */
  results(uid: string): ReadonlyMap<string, ProbeResults>;
}
