import type { Service } from "../api/core/service/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import type { Client } from "../client/client.ts";
import type { EventSink } from "../client/event-recorder.ts";
import type { Env } from "../util/env.ts";
import type { NodeAddresses } from "./pod/status.ts";
import type { ProbeResults } from "./pod/view.ts";
import type { Runtime, SandboxStatus } from "./runtime.ts";
import type { SubPathMount } from "./safe-path/sub-path.ts";

/** What the parts of the node agent share. */
export interface NodeContext {
  readonly name: string;
  readonly env: Env;
  readonly client: Client;
  readonly runtime: Runtime;
  readonly events: EventSink;
  readonly addresses: NodeAddresses;
  /** The resources of the node for Pods. */
  readonly allocatable: Readonly<Record<string, string>>;
  readonly volumes: Volumes;
  readonly probes: Probes;
  readonly dns: ClusterDns;
  /** Container logs lie below: `<namespace>_<name>_<uid>/<container>/<attempt>.log`. */
  readonly logDirectory: string;
  /** How many processes and threads a Pod may have; -1 for no limit. */
  readonly podPidsLimit: number;
  /** The Services that Pods of a namespace get variables for. */
  readonly services: (namespace: string) => readonly Service[];
  /** Looks at the runtime again. */
  refresh(): Promise<void>;
}

/** Where Pods resolve names. Without an address there is no cluster DNS, and the host's is used. */
export interface ClusterDns {
  readonly address: string | undefined;
  /** e.g. `cluster.local` */
  readonly domain: string;
}

/** A volume on the host. */
export interface PreparedVolume {
  readonly path: string;
  /** Made from objects: containers never write to it, whatever their mounts say (since CVE-2017-1002102). */
  readonly readOnly: boolean;
}

/** Makes a Pod's volumes on the host, from what the node's client reads. */
export interface Volumes {
  /**
   * Each volume, by name. Idempotent; contents that come from objects are brought up to date.
   * @throws RuntimeError CreateContainerConfigError when an object that is needed is missing.
   */
  prepare(node: NodeContext, pod: Pod): Promise<ReadonlyMap<string, PreparedVolume>>;
  /** Makes what is missing of a `subPath`. @throws RuntimeError CreateContainerConfigError when it leaves the volume. */
  prepareSubPath(mount: SubPathMount): void;
  /** The directories on disk that the Pod fills: its emptyDirs by name, and the files made from objects. */
  diskPlaces(pod: Pod): {
    readonly emptyDirs: ReadonlyMap<string, string>;
    readonly other: readonly string[];
  };
  /** Unmounts and deletes what `prepare` made for the Pod. */
  remove(node: NodeContext, uid: string): Promise<void>;
}

/** Runs the probes of all Pods on the node. */
export interface Probes {
  /** Starts and stops probing so that it fits what runs. `changed` is called when a result changes. */
  follow(pod: Pod, sandboxes: readonly SandboxStatus[], changed: () => void): void;
  forget(uid: string): void;
  /** Stops all probing. */
  close(): void;
  /** By container ID, for all containers of the Pod that run. */
  results(uid: string): ReadonlyMap<string, ProbeResults>;
}
