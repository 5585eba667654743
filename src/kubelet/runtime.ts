import type { Duplex } from "node:stream";
import type { Probe } from "../api/core/pod/probe.ts";
import type { AttachOptions, ExecOptions, ExecSession } from "../meta/node-endpoint.ts";

export type { AttachOptions, ExecOptions, ExecSession, TerminalSize } from "../meta/node-endpoint.ts";

/** What a probe or a lifecycle hook asks of a container. */
export type CheckAction = Pick<Probe, "exec" | "httpGet" | "tcpSocket">;

/**
 * What the node agent needs of a container runtime. It follows CRI v1's nouns (a sandbox holds a Pod's
 * network and namespaces, containers run in it), without its gRPC, so that an embedded runtime, a CRI
 * client and a simulated node stand behind the same few calls. One shared suite proves each of them.
 *
 * Every call is idempotent where CRI's is: stopping what stopped and removing what is gone succeed.
 */
export interface Runtime {
  /** What Node status reports as `containerRuntimeVersion`, e.g. `native://0.1.0`. */
  readonly version: string;
  readonly images: ImageService;
  /** Whether seccomp profiles are loaded into containers. */
  readonly appliesSeccomp: boolean;
  /** False where nothing answers at the host ports of Pods; an event on the Pod says so. */
  readonly servesHostPorts: boolean;

  /** Makes namespaces, cgroup and network. The returned sandbox is ready. */
  runSandbox(config: SandboxConfig): Promise<SandboxStatus>;
  /** Stops what runs in the sandbox, gives its address back, and undoes its namespaces. Status stays readable. */
  stopSandbox(id: string): Promise<void>;
  /** Stops if need be, then forgets the sandbox with its containers. Leaves nothing on the host. */
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

  /** Everything the runtime holds, also what an earlier process of ours left: this is how Pods are adopted. */
  list(): Promise<readonly SandboxStatus[]>;
  /** Names of Pods (by UID) in which something changed: a hint to call `list`, never the truth itself. */
  watch(signal: AbortSignal): AsyncIterable<string>;

  exec(id: string, options: ExecOptions): Promise<ExecSession>;
  attach(id: string, options: AttachOptions): Promise<ExecSession>;
  /**
   * Answers for a container that only pretends, so that no probe or hook of it reaches a real network; absent where
   * containers are real. Resolves to why it failed, or undefined.
   */
  check?(id: string, action: CheckAction): Promise<string | undefined>;
  /** A connection to `port` on the sandbox's loopback. */
  dial(sandboxId: string, port: number): Promise<Duplex>;
  /** The directory on the host that holds what a container has written; absent where containers only pretend. */
  writableLayer?(id: string): string;

  /** Stops watching. Containers go on: they outlive us and are adopted by the next start. */
  close(): Promise<void>;
}

export interface ImageService {
  /** Resolves when the image is there. @throws RuntimeError with `reason` ErrImagePull or InvalidImageName. */
  pull(reference: string): Promise<ImageStatus>;
  /** undefined when the image is not on this node. */
  inspect(reference: string): Promise<ImageStatus | undefined>;
  list(): Promise<readonly ImageStatus[]>;
  remove(reference: string): Promise<void>;
}

export interface ImageStatus {
  /** Digest of the image's configuration, `sha256:…`. */
  readonly id: string;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  readonly sizeBytes: number;
}

/** What ties a sandbox to a Pod. Kept by the runtime, so that a restarted agent finds its Pods again. */
export interface PodIdentity {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

export interface SandboxConfig {
  readonly pod: PodIdentity;
  /** Grows with each new sandbox of the same Pod, from 0. */
  readonly attempt: number;
  readonly hostname: string;
  readonly hostNetwork: boolean;
  readonly hostPID: boolean;
  readonly hostIPC: boolean;
  readonly dns: {
    readonly servers: readonly string[];
    readonly searches: readonly string[];
    readonly options: readonly string[];
  };
  /** Lines of `/etc/hosts` beyond the Pod's own name, as `address name…`. */
  readonly hostAliases: readonly string[];
  readonly sysctls: Readonly<Record<string, string>>;
  /** Limits of the Pod as a whole. */
  readonly resources: Resources;
  /** Container logs go to `logDirectory/<container>/<attempt>.log`, in CRI log format. */
  readonly logDirectory: string;
}

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
  /** As the user wrote it; `createContainer` resolves it among the images on this node. */
  readonly image: string;
  /** Overrides the image's entrypoint when not empty. */
  readonly command: readonly string[];
  /** Overrides the image's command when not empty. */
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly mounts: readonly Mount[];
  readonly resources: Resources;
  readonly security: ContainerSecurity;
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  /** Overrides the image's stop signal, e.g. `SIGTERM`. */
  readonly stopSignal: string;
  /** Where in the container its last message is read from; shown as the status' `message` once it has exited. */
  readonly terminationMessagePath: string;
  /** Whether the end of the log serves when that file is empty and the container failed. */
  readonly terminationMessagePolicy: "File" | "FallbackToLogsOnError";
  /** Whether the Pod waits for the container's end: an init container that is no sidecar. */
  readonly isInit: boolean;
}

export interface Mount {
  readonly hostPath: string;
  /**
   * Below `hostPath`. What is there belongs to the workload, which may change it at any moment: it is resolved when
   * the mount is made, and never leaves `hostPath`.
   */
  readonly subPath?: string;
  readonly containerPath: string;
  readonly readOnly: boolean;
  readonly propagation: "None" | "HostToContainer" | "Bidirectional";
}

export interface ContainerSecurity {
  readonly privileged: boolean;
  readonly readOnlyRootFilesystem: boolean;
  readonly allowPrivilegeEscalation: boolean;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly supplementalGroups: readonly number[];
  /** @throws RuntimeError `CreateContainerConfigError` at create when set and the user would be root. */
  readonly runAsNonRoot: boolean;
  /** Names without `CAP_`; `ALL` is allowed. */
  readonly addCapabilities: readonly string[];
  readonly dropCapabilities: readonly string[];
  readonly seccomp: "RuntimeDefault" | "Localhost" | "Unconfined";
}

export interface SandboxStatus {
  readonly id: string;
  readonly pod: PodIdentity;
  readonly attempt: number;
  readonly state: "ready" | "notReady";
  /** Milliseconds since the epoch, as are all times here. */
  readonly createdAt: number;
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
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** 128 + signal when killed by one. Present when exited. */
  readonly exitCode?: number;
  /** `Completed`, `Error` or `OOMKilled`. Present when exited. */
  readonly reason?: string;
  /** Why it could not start, where that is the reason. */
  readonly message?: string;
  readonly logPath: string;
}

/** Why a runtime refused. `reason` is what the container's waiting state shows (upstream `kubelet/images`, `kubelet/container`). */
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
