import { dirname, join } from "node:path";
import { type Pod, pods } from "../api/core/pod/schema.ts";
import { type Service, services } from "../api/core/service/schema.ts";
import { allSynced } from "../client/all-synced.ts";
import { Client } from "../client/client.ts";
import type { EventCorrelator } from "../client/event-correlator.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import { Informer } from "../client/informer.ts";
import type { Transport } from "../client/transport.ts";
import { WorkQueue } from "../client/work-queue.ts";
import type { NodeStats } from "../meta/node-endpoint.ts";
import { every } from "../util/clock.ts";
import { by } from "../util/compare.ts";
import { deepEqual } from "../util/deep-equal.ts";
import type { Env } from "../util/env.ts";
import { yieldToSockets } from "../util/yield.ts";
import type { ClusterDns, NodeContext, Volumes } from "./node-context.ts";
import { Allocations } from "./allocation/allocations.ts";
import { PodAdmission } from "./allocation/pod-admission.ts";
import { sysctlRefusal } from "./allocation/sysctls.ts";
import { EvictionManager } from "./eviction/eviction-manager.ts";
import { observe } from "./eviction/observe.ts";
import { PressureManager } from "./eviction/pressure-manager.ts";
import type { EvictionSettings } from "./eviction/thresholds.ts";
import { defaultLogSettings, LogRotation, type LogSettings } from "./logs/log-rotation.ts";
import { removePodLogs } from "./logs/remove-logs.ts";
import { NodeStatus, type NodeStatusOptions } from "./node/node-status.ts";
import { defaultPodPidsLimit } from "./node/pids-limit.ts";
import { UserNamespaces } from "./pod/user-namespaces.ts";
import type { PodEnd } from "./pod/view.ts";
import { PodWorker } from "./pod/worker.ts";
import { ProbeManager } from "./probes/manager.ts";
import type { ProbeCount } from "./probes/probe-counts.ts";
import { pullCredentials } from "./pull-secrets.ts";
import { type Runtime, RuntimeError, type SandboxStatus } from "./runtime.ts";
import { UsageMonitor } from "./usage/usage-monitor.ts";

export interface KubeletOptions extends NodeStatusOptions {
  /** Aggregates the node's Events; the nodes of one process can share it. Default: its own. */
  readonly eventCorrelator?: EventCorrelator;
  readonly nodeName: string;
  readonly env: Env;
  /** Acts as `system:node:<name>`. */
  readonly transport: Transport;
  readonly runtime: Runtime;
  readonly volumes: Volumes;
  readonly dns: ClusterDns;
  readonly logDirectory: string;
  /**
   * The greatest number of processes and threads in a Pod (kubelet `podPidsLimit`); -1 for no limit, which is
   * upstream's default. Default here: a quarter of the machine's limit, and 16,384 at most, so that no Pod
   * alone can keep the machine from starting processes.
   */
  readonly podPidsLimit?: number;
  /** The sysctls beyond the safe ones that Pods may set for themselves; `*` at the end of a name stands for any rest. */
  readonly allowedUnsafeSysctls?: readonly string[];
  readonly maxRestartMs?: number;
  /** The thresholds of evictions; undefined: Pods are evicted by their own limits alone. */
  readonly eviction?: EvictionSettings;
  /** The rotation of containers' logs. Default: upstream's. */
  readonly logs?: LogSettings;
  /** The directory in which the agent remembers what it has granted to Pods; undefined: it does not. */
  readonly stateDirectory?: string;
}

/** The number of Pods that are synced at the same time. A sync is short; long work runs beside it. */
const workers = 8;
/** The interval at which the runtime is listed without any hint (kubelet `pleg`). */
const relistMs = 10_000;
const resyncMs = 60_000;
/** The age of the last list at which the agent is unhealthy. */
const stuckMs = 180_000;
const noSandboxes: readonly SandboxStatus[] = [];
/** Upstream's `immediateEvictionGracePeriodSeconds`. */
const immediateMs = 1000;
/** The end of a Pod that makes room for a critical one (kubelet `preemption`). */
const preempted: PodEnd = {
  reason: "Preempting",
  message: "Preempted in order to admit critical pod",
  disruption: "Pod was preempted by Kubelet to accommodate a critical pod.",
};
/** The time after which a silent agent looks at a Pod again. */
const silentMs = 10_000;

/** The node agent: runs the Pods that are bound to its node, and reports their status to the API. */
export class Kubelet {
  readonly context: NodeContext;
  readonly #options: KubeletOptions;
  readonly #pods: Informer<Pod>;
  readonly #services: Informer<Service>;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;
  readonly #usage: UsageMonitor;
  readonly #userNamespaces = new UserNamespaces();
  readonly #probes = new ProbeManager(() => this.context);
  #lookedAt: number;
  readonly #node: NodeStatus;
  readonly #pressure: PressureManager | undefined;
  readonly #admission: PodAdmission;
  readonly #workers = new Map<string, PodWorker>();
  readonly #byUid = new Map<string, Pod>();
  /** The runtime's last answer by Pod UID, newest attempt last. */
  readonly #sandboxes = new Map<string, readonly SandboxStatus[]>();
  /** The runtime's last answer. A runtime may give the same objects again for what has not changed. */
  #listed: readonly SandboxStatus[] = noSandboxes;
  #refreshing: Promise<void> | undefined;
  #refreshAgain = false;

  constructor(options: KubeletOptions) {
    const { env, transport, nodeName, runtime } = options;
    const client = new Client(transport, { fieldManager: "kubelet" });
    const fieldSelector = `spec.nodeName=${nodeName}`;
    this.#options = options;
    this.#lookedAt = env.clock.monotonic();
    this.#queue = new WorkQueue({ clock: env.clock });
    this.#pods = new Informer(client.of(pods), env, { name: "pods", fieldSelector });
    this.#services = new Informer(client.of(services), env, { name: "services" });
    this.#usage = new UsageMonitor(runtime, env, () => [...this.#sandboxes.values()].flat());
    const source = { component: "kubelet", host: nodeName };
    this.#events = new EventRecorder(client, env, source, options.eventCorrelator);
    this.context = {
      name: nodeName,
      env,
      client,
      runtime,
      events: this.#events,
      addresses: { hostIPs: options.hostIPs, runtimeName: runtime.version.split("://")[0] ?? "unknown" },
      allocatable: { ...options.capacity, ...options.allocatable },
      volumes: options.volumes,
      probes: this.#probes,
      allocations: this.#openAllocations(),
      dns: options.dns,
      logDirectory: options.logDirectory,
      maxRestartMs: options.maxRestartMs,
      podPidsLimit: options.podPidsLimit ?? defaultPodPidsLimit(),
      services: (namespace) => this.#services.cache.list({ namespace }),
      firstId: (uid) => this.#firstId(uid),
      pullCredentials: (pod, image) => pullCredentials(this.context, pod, image),
      refresh: () => this.#refresh(),
    };
    this.#pressure = this.#openPressure();
    this.#node = new NodeStatus(options, this.context, () => this.#pressure?.conditions() ?? []);
    this.#admission = new PodAdmission({
      node: this.context,
      allocations: this.context.allocations,
      readNode: () => this.#node.read(),
      refuse: (pod) => this.#pressure?.refuse(pod) ?? sysctlRefusal(pod, options.allowedUnsafeSysctls ?? []),
      again: (uid) => this.#workers.get(uid)?.wake(),
    });
  }

  #openPressure(): PressureManager | undefined {
    const { eviction, stateDirectory } = this.#options;
    if (eviction === undefined || stateDirectory === undefined) return undefined;
    return new PressureManager({
      node: this.context,
      settings: eviction,
      pods: () => this.#byUid.values(),
      sandboxes: (uid) => this.sandboxes(uid),
      observe: () => observe(dirname(stateDirectory)),
      end: (pod, end) => this.#end(pod, end),
      changed: () => void this.#node.reportNow(),
    });
  }

  #openAllocations(): Allocations {
    const { env, stateDirectory, runtime } = this.#options;
    return new Allocations({
      env,
      events: this.#events,
      ...(stateDirectory !== undefined && { file: join(stateDirectory, "allocated_pods_state") }),
      facts: () => {
        const node = this.#node.present();
        const { allocatable } = this.context;
        return node && { node, allocatable, obeysGroupsPolicy: runtime.obeysGroupsPolicy };
      },
      preempt: (pod) => this.#end(pod, preempted),
    });
  }

  /** Returns the Pod from the node agent's cache, for logs and exec. */
  pod(namespace: string, name: string): Pod | undefined {
    return this.#pods.cache.get(`${namespace}/${name}`);
  }

  /** Returns the Pods that are bound to the node. */
  pods(): readonly Pod[] {
    return [...this.#byUid.values()];
  }

  /** Returns true unless the runtime has not been listed for three minutes (kubelet `pleg`). */
  isSyncing(): boolean {
    return this.#options.env.clock.monotonic() - this.#lookedAt < stuckMs;
  }

  /** Returns the last measurements of the node and its containers. */
  samples(): ReturnType<UsageMonitor["samples"]> {
    return this.#usage.samples();
  }

  /** Returns the results of the probes of running containers. */
  probeCounts(): Iterable<ProbeCount> {
    return this.#probes.counts();
  }

  /** Returns the runtime's sandboxes of a Pod, newest attempt last. */
  sandboxes(uid: string): readonly SandboxStatus[] {
    return this.#sandboxes.get(uid) ?? [];
  }

  /** Returns the usage of the node and of its Pods, as measured last. */
  stats(): NodeStats {
    return this.#usage.stats();
  }

  /** Runs until the signal fires. Containers keep running, and the next run adopts them. */
  async run(signal: AbortSignal): Promise<void> {
    const { env, volumes, runtime, logs = defaultLogSettings } = this.#options;
    this.#pods.addHandler(({ type, object }) => {
      const { uid = "" } = object.metadata;
      if (type === "deleted") this.#byUid.delete(uid);
      else this.#byUid.set(uid, object);
      this.#queue.add(uid);
    });
    await this.#refresh();
    const eviction = new EvictionManager({
      node: this.context,
      pods: () => this.#byUid.values(),
      sandboxes: (uid) => this.sandboxes(uid),
      evict: (pod, message) => this.#end(pod, { reason: "Evicted", message, graceMs: immediateMs }),
    });
    // Volumes follow changes of their objects, and lost hints are made up for.
    const resync = every(env.clock, resyncMs, signal, () => {
      if (volumes.areConstant !== true) for (const worker of this.#workers.values()) worker.volumesDue();
      this.#enqueueAll();
    });
    const relist = every(env.clock, relistMs, signal, () => this.#refresh());
    const running = [
      this.#pods.run(signal),
      this.#services.run(signal),
      this.#events.run(signal),
      this.#node.run(signal),
      this.#admission.run(signal),
      eviction.run(signal),
      this.#pressure?.run(signal),
      new LogRotation({
        env,
        runtime,
        settings: logs,
        sandboxes: () => [...this.#sandboxes.values()].flat(),
      }).run(signal),
      this.#usage.run(signal),
      this.#followRuntime(signal),
      volumes.run?.(this.context, signal),
      resync,
      relist,
    ];
    await allSynced(signal, this.#pods, this.#services);
    this.#enqueueAll();
    // The volumes of Pods that were deleted while no agent ran.
    for (const uid of (await volumes.pods?.()) ?? []) if (!this.#byUid.has(uid)) this.#queue.add(uid);
    const stop = () => this.#queue.shutDown();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    await Promise.all([...running, ...Array.from({ length: workers }, () => this.#work())]);
    this.context.probes.close();
  }

  async #work(): Promise<void> {
    for (let uid = await this.#queue.next(); uid !== undefined; uid = await this.#queue.next()) {
      try {
        const againMs = await this.#sync(uid);
        this.#queue.forget(uid);
        if (againMs !== undefined) this.#queue.addAfter(uid, againMs);
      } catch (error) {
        this.context.env.log.warn("Cannot sync a Pod", { uid, error: String(error) });
        this.#queue.addRateLimited(uid);
      } finally {
        this.#queue.done(uid);
      }
    }
  }

  async #sync(uid: string): Promise<number | undefined> {
    if (this.#options.isSilent?.() === true) return silentMs;
    const pod = this.#byUid.get(uid);
    if (pod === undefined) return this.#cleanUp(uid);
    const sandboxes = this.#sandboxes.get(uid) ?? noSandboxes;
    const admitted = await this.#admission.admit(pod, sandboxes.length > 0);
    if (admitted === undefined || typeof admitted === "number") return admitted;
    return this.#workerOf(uid).sync(admitted, sandboxes);
  }

  #workerOf(uid: string): PodWorker {
    const known = this.#workers.get(uid);
    if (known !== undefined) return known;
    const worker = new PodWorker(this.context, () => this.#queue.add(uid));
    this.#workers.set(uid, worker);
    return worker;
  }

  /** Removes the remains of a Pod that the API no longer has. */
  async #cleanUp(uid: string): Promise<undefined> {
    const { runtime } = this.#options;
    for (const { id } of this.#sandboxes.get(uid) ?? []) await runtime.removeSandbox(id);
    const worker = this.#workers.get(uid) ?? new PodWorker(this.context, () => {});
    await worker.forget(uid);
    if (runtime.reopenLog !== undefined) await removePodLogs(this.#options.logDirectory, uid);
    this.#workers.delete(uid);
    this.#userNamespaces.release(uid);
    this.#admission.release(uid);
    if (this.#sandboxes.has(uid)) await this.#refresh();
  }

  #firstId(uid: string): number {
    if (!this.#options.runtime.hasUserNamespaces)
      throw new RuntimeError(
        "CreatePodSandboxError",
        "the container runtime does not support user namespaces",
      );
    return this.#userNamespaces.rangeOf(uid, [...this.#sandboxes.values()].flat());
  }

  #end(pod: Pod, end: PodEnd): void {
    const isNew = this.#workerOf(pod.metadata.uid ?? "").end(end);
    if (isNew) this.#events.event(pod, "Warning", end.reason, end.message);
  }

  #enqueueAll(): void {
    for (const uid of [...this.#byUid.keys(), ...this.#sandboxes.keys()])
      if (!this.#isSettled(uid)) this.#queue.add(uid);
  }

  /** Spares the queue thousands of Pods at rest at each resync. */
  #isSettled(uid: string): boolean {
    const pod = this.#byUid.get(uid);
    if (pod === undefined) return false;
    const seen = this.context.allocations.decidedOf(pod);
    const sandboxes = this.#sandboxes.get(uid) ?? noSandboxes;
    return seen !== undefined && this.#workers.get(uid)?.isSettled(seen, sandboxes) === true;
  }

  async #followRuntime(signal: AbortSignal): Promise<void> {
    for await (const _ of this.#options.runtime.watch(signal)) await this.#refresh();
  }

  /**
   * Lists the runtime once at a time. A caller during a listing waits for the next one, because the present
   * one may have missed the change.
   */
  #refresh(): Promise<void> {
    if (this.#refreshing !== undefined) {
      this.#refreshAgain = true;
      return this.#refreshing;
    }
    this.#refreshing = this.#look().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #look(): Promise<void> {
    do {
      this.#refreshAgain = false;
      const listed = await this.#options.runtime.list();
      this.#lookedAt = this.#options.env.clock.monotonic();
      this.#compare(this.#listed, listed);
      this.#listed = listed;
      if (this.#refreshAgain) await yieldToSockets();
    } while (this.#refreshAgain);
  }

  /** Notes the sandboxes of the Pods that differ between two answers, and queues these Pods. */
  #compare(before: readonly SandboxStatus[], listed: readonly SandboxStatus[]): void {
    const uids = new Set<string>();
    for (let i = 0; i < Math.max(before.length, listed.length); i++) {
      if (before[i] === listed[i]) continue;
      for (const one of [before[i], listed[i]]) if (one !== undefined) uids.add(one.pod.uid);
    }
    if (uids.size === 0) return;
    const found = Map.groupBy(
      listed.filter(({ pod }) => uids.has(pod.uid)),
      ({ pod }) => pod.uid,
    );
    for (const uid of uids) {
      const sandboxes = found.get(uid)?.sort(by(({ attempt }) => attempt));
      // What has not changed stays the same object, so that the next comparison is short.
      if (deepEqual(this.#sandboxes.get(uid), sandboxes)) continue;
      if (sandboxes === undefined) this.#sandboxes.delete(uid);
      else this.#sandboxes.set(uid, sandboxes);
      this.#queue.add(uid);
    }
  }
}
