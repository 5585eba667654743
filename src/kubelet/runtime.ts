import type { Duplex } from "node:stream";
import type { Probe } from "../api/core/pod/probe.ts";
import type { Labels } from "../meta/labels.ts";
import type { AttachOptions, ExecOptions, ExecSession } from "../meta/node-endpoint.ts";
import type { ContainerRole } from "./pod/roles.ts";

export type { AttachOptions, ExecOptions, ExecSession } from "../meta/node-endpoint.ts";

/** The action of a probe or a lifecycle hook. */
export type CheckAction = Pick<Probe, "exec" | "httpGet" | "tcpSocket">;

/**
 * The node agent's interface to container runtimes. It follows CRI v1's nouns (a sandbox holds a Pod's
 * network and namespaces, and containers run in it), without gRPC: an embedded runtime, a CRI client and a
 * simulated node all implement it. One shared suite tests each implementation.
 *
 * Calls are idempotent where CRI's are: stopping a stopped container and removing a missing one succeed.
 */
export interface Runtime {
  /** The Node status' `containerRuntimeVersion`, e.g. `native://0.1.0`. */
  readonly version: string;
  readonly images: ImageService;
  /** True if seccomp profiles are loaded into containers. */
  readonly appliesSeccomp: boolean;
  /** True if `Strict` containers do not get the image's groups. */
  readonly obeysGroupsPolicy: boolean;
  /** True if `Mount.recursiveReadOnly` is obeyed. */
  readonly mountsRecursivelyReadOnly?: true;
  /** True if `ContainerConfig.devices` is obeyed. */
  readonly mapsDevices?: true;
  /** True if Pods can have user namespaces of their own (`hostUsers: false`). */
  readonly hasUserNamespaces: boolean;
  /** False if the Pods' host ports are not served; an Event on the Pod reports that. */
  readonly servesHostPorts: boolean;
  /** True if most starts end at once, so that a Pod's first report can wait for them. */
  readonly startsAtOnce?: true;

  /** Creates namespaces, cgroup and network. The returned sandbox is ready. */
  runSandbox(config: SandboxConfig): Promise<SandboxStatus>;
  /**
   * Stops the sandbox's containers, releases its address, and removes its namespaces. Its status stays
   * readable.
   */
  stopSandbox(id: string): Promise<void>;
  /** Stops the sandbox if necessary, then removes it with its containers. Leaves nothing on the host. */
  removeSandbox(id: string): Promise<void>;

  /** Prepares the root filesystem. @throws RuntimeError with `reason` CreateContainerError or ImageNotFound. */
  createContainer(sandboxId: string, config: ContainerConfig): Promise<string>;
  /** @throws RuntimeError with `reason` RunContainerError, e.g. when the command does not exist. */
  startContainer(id: string): Promise<void>;
  /** Sends the stop signal, waits `graceMs`, then kills. Resolves when the container has exited. */
  stopContainer(id: string, graceMs: number): Promise<void>;
  removeContainer(id: string): Promise<void>;
  /** Changes the limits of a running container in place. */
  updateContainer(id: string, resources: Resources): Promise<void>;
  /** Makes the runtime write to a new file at the log's path, after a rotation; absent when there are no logs to rotate. */
  reopenLog?(id: string): Promise<void>;
  /** Changes the limits of a whole sandbox in place; absent when it has none of its own. */
  updateSandbox?(id: string, resources: Resources): Promise<void>;

  /**
   * Returns everything that the runtime holds, including the state of an earlier process: Pods are adopted by
   * this. An array that was returned before means that nothing has changed since.
   */
  list(): Promise<readonly SandboxStatus[]>;
  /** Yields the UIDs of changed Pods. A hint only causes a `list`, which is authoritative. */
  watch(signal: AbortSignal): AsyncIterable<string>;

  exec(id: string, options: ExecOptions): Promise<ExecSession>;
  attach(id: string, options: AttachOptions): Promise<ExecSession>;
  /**
   * Checks a simulated container, so that no probe or hook reaches a real network; absent for real
   * containers. Resolves to the reason of the failure, or undefined.
   */
  check?(id: string, action: CheckAction): Promise<string | undefined>;
  /**
   * Connects to `port` on the sandbox's loopback. Where nothing listens, it fails, or, for runtimes that report this
   * late, its stream does.
   */
  dial(sandboxId: string, port: number): Promise<Duplex>;
  /**
   * Returns the host directory with the files that a container has written; absent for simulated containers.
   */
  writableLayer?(id: string): string;
  /** Measures the machine and the running containers; absent when the runtime cannot measure. */
  usage?(): Promise<RuntimeUsage>;
  /** Returns the present rates by the IDs of running containers; absent when they must be measured. */
  rates?(): ReadonlyMap<string, UsageRate>;

  /** Stops watching. Containers keep running, and the next start adopts them. */
  close(): Promise<void>;
}

/** The usage of a machine or a container. */
export interface Usage {
  /** The CPU time since the start, in nanoseconds. */
  readonly cpuNanos: number;
  /** The working set: the memory in use without the cached files that are not active. */
  readonly memoryBytes: number;
}

/** The usage at a time. */
export interface UsageRate {
  /** Billionths of a core. */
  readonly cpuNanoCores: number;
  readonly memoryBytes: number;
}

export interface RuntimeUsage {
  readonly machine: Usage;
  /** The usage by container ID. A container that has just ended may be absent. */
  readonly containers: ReadonlyMap<string, Usage>;
}

export interface ImageService {
  /**
   * Resolves when the image is on this node. `pod` is the Pod that needs it, for simulated images. @throws
   * RuntimeError with `reason` ErrImagePull or InvalidImageName. Without credentials, the pull is anonymous.
   */
  pull(reference: string, pod?: PodFacts, credentials?: RegistryCredentials): Promise<ImageStatus>;
  /** Resolves to undefined when the image is not on this node. */
  inspect(reference: string, pod?: PodFacts): Promise<ImageStatus | undefined>;
  list(): Promise<readonly ImageStatus[]>;
  remove(reference: string): Promise<void>;
  /**
   * Returns the layers of an image on this node, and keeps them until `release` with their holder. Absent where
   * images have no directories that the node agent could mount. Resolves to undefined when the image is not on this
   * node.
   */
  layers?(reference: string, holder: string): Promise<ImageLayers | undefined>;
  release?(holder: string): Promise<void>;
}

export interface ImageLayers {
  /** The image's ID. */
  readonly id: string;
  /** The holder to `release`: the given one for this image, because its reference may name another one later. */
  readonly holder: string;
  readonly directory: string;
  /** Names in `directory`, topmost first: overlayfs' order. */
  readonly names: readonly string[];
}

/** A user of an image registry. */
export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}

export interface ImageStatus {
  /** Digest of the image's configuration, `sha256:…`. */
  readonly id: string;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  readonly sizeBytes: number;
}

/** The identity of a sandbox's Pod. The runtime stores it, so that a restarted agent finds its Pods. */
export interface PodIdentity {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** The properties of a Pod that decide about simulated containers. */
export interface PodFacts {
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
}

export interface SandboxConfig {
  readonly pod: PodIdentity;
  /** Grows with each new sandbox of the same Pod, from 0. */
  readonly attempt: number;
  /** The kernel's host name, at most 64 characters. */
  readonly hostname: string;
  /** The names of the Pod's address in `/etc/hosts`. Absent: the host name. */
  readonly addressNames?: readonly string[];
  readonly hostNetwork: boolean;
  readonly hostPID: boolean;
  readonly hostIPC: boolean;
  /**
   * The host's ID of the Pod's root: the Pod has a user namespace with `idsOfPod` IDs from there. Undefined: it uses the host's
   * IDs.
   */
  readonly firstId?: number;
  /** The containers see each other's processes. */
  readonly sharesProcesses: boolean;
  readonly dns: {
    readonly servers: readonly string[];
    readonly searches: readonly string[];
    readonly options: readonly string[];
  };
  /** Lines of `/etc/hosts` beyond the Pod's own name, as `address name…`. */
  readonly hostAliases: readonly string[];
  readonly sysctls: Readonly<Record<string, string>>;
  /** Limits of the whole Pod. */
  readonly resources: Resources;
  /** The directory of the container logs, `<container>/<attempt>.log`, in CRI log format. */
  readonly logDirectory: string;
  /** The host ports, for runtimes with `servesHostPorts`. */
  readonly portMappings?: readonly PortMapping[];
  /** True if the Pod has a privileged container. Runtimes of CRI refuse one in another sandbox. */
  readonly hasPrivileged?: boolean;
  /** The handler of the Pod's RuntimeClass. Default: the runtime's own. */
  readonly runtimeHandler?: string;
}

export interface PortMapping {
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly containerPort: number;
  readonly hostPort: number;
  /** Empty for all addresses of the host. */
  readonly hostIP: string;
}

/** The number of IDs in a Pod's user namespace. */
export const idsOfPod = 65_536;

/** cgroup limits; absent means unlimited. */
export interface Resources {
  readonly cpuShares?: number;
  /** Microseconds of CPU for each `cpuPeriod`. */
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  readonly memoryLimitBytes?: number;
  readonly pidsLimit?: number;
}

export interface ContainerConfig {
  readonly name: string;
  /** Grows with each restart of the container in its Pod, from 0. */
  readonly attempt: number;
  /** The Pod spec's image; `createContainer` resolves it among the images on this node. */
  readonly image: string;
  /** Overrides the image's entrypoint when not empty. */
  readonly command: readonly string[];
  /** Overrides the image's command when not empty. */
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly mounts: readonly Mount[];
  /** The block devices of volumes; only for a runtime that `mapsDevices`. */
  readonly devices?: readonly Device[];
  readonly resources: Resources;
  readonly security: ContainerSecurity;
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  /** Overrides the image's stop signal, e.g. `SIGTERM`. */
  readonly stopSignal: string;
  /**
   * The path in the container of its termination message, which becomes the status' `message` after the exit.
   */
  readonly terminationMessagePath: string;
  /** The source of the message when that file is empty and the container failed. */
  readonly terminationMessagePolicy: "File" | "FallbackToLogsOnError";
  readonly role: ContainerRole;
  /** The ID of the container whose processes this one sees. */
  readonly target?: string;
  readonly pod: PodFacts;
}

export interface Mount {
  readonly hostPath: string;
  /**
   * A path below `hostPath`. Its content belongs to the workload, which may change it at any time: it is
   * resolved when the mount is made, and never leaves `hostPath`.
   */
  readonly subPath?: string;
  readonly containerPath: string;
  readonly readOnly: boolean;
  /** The mounts below `hostPath` are read-only too (KEP-3857). */
  readonly recursiveReadOnly?: true;
  readonly propagation: "None" | "HostToContainer" | "Bidirectional";
}

/** A block device of the host in a container. */
export interface Device {
  readonly hostPath: string;
  readonly containerPath: string;
  readonly readOnly: boolean;
}

export interface ContainerSecurity {
  readonly privileged: boolean;
  readonly readOnlyRootFilesystem: boolean;
  /** Hides nothing of `/proc` and `/sys` (`procMount: Unmasked`); only in a user namespace of the Pod's own. */
  readonly unmasked?: true;
  readonly allowPrivilegeEscalation: boolean;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly supplementalGroups: readonly number[];
  /** `Merge` adds the groups that the image's `/etc/group` lists for the user. */
  readonly supplementalGroupsPolicy: "Merge" | "Strict";
  /** @throws RuntimeError `CreateContainerConfigError` at create when set and the user would be root. */
  readonly runAsNonRoot: boolean;
  /** Names without `CAP_`; `ALL` is allowed. */
  readonly addCapabilities: readonly string[];
  readonly dropCapabilities: readonly string[];
  readonly seccomp: Seccomp;
}

/** The filter of a container's system calls. */
export type Seccomp =
  | { readonly type: "Unconfined" | "RuntimeDefault" }
  /** The profile is a file's path below the node's directory of profiles. */
  | { readonly type: "Localhost"; readonly profile: string };

export interface SandboxStatus {
  readonly id: string;
  readonly pod: PodIdentity;
  readonly attempt: number;
  readonly state: "ready" | "notReady";
  /** Milliseconds since the epoch, as are all times here. */
  readonly createdAt: number;
  /** The host's ID of its root, if it has a user namespace. */
  readonly firstId?: number;
  /** Empty for host network, and once stopped. */
  readonly ips: readonly string[];
  readonly containers: readonly ContainerStatus[];
}

export interface ContainerStatus {
  readonly id: string;
  readonly name: string;
  readonly attempt: number;
  readonly image: string;
  readonly imageId: string;
  readonly state: "created" | "running" | "exited";
  /** True while a simulated container runs and is not ready, whatever its probes answer. */
  readonly warmsUp?: true;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** 128 + signal when a signal killed it. Present when exited. */
  readonly exitCode?: number;
  /** `Completed`, `Error`, `OOMKilled`, or a reason of the runtime's own. Present when exited. */
  readonly reason?: string;
  /** The reason why it could not start, or its termination message. */
  readonly message?: string;
  /** The identity of the first process at its start; absent for simulated containers. */
  readonly user?: ContainerUser;
  readonly logPath: string;
}

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/**
 * The reason of a runtime's error, shown in the container's waiting state (upstream `kubelet/images`,
 * `kubelet/container`).
 */
export type RuntimeReason =
  | "CreateContainerConfigError"
  | "CreateContainerError"
  | "RunContainerError"
  | "ErrImagePull"
  | "ErrImageNeverPull"
  | "InvalidImageName"
  | "ImageNotFound"
  | "CreatePodSandboxError"
  | "NotFound"
  | "Unavailable";

export class RuntimeError extends Error {
  override readonly name = "RuntimeError";
  readonly reason: RuntimeReason;

  constructor(reason: RuntimeReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
