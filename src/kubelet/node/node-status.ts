import { leases } from "../../api/coordination/lease/schema.ts";
import { type Node, nodes } from "../../api/core/node/schema.ts";
import type { In } from "../../meta/schema.ts";
import type { NodeCondition, NodeStatus as Status } from "../../api/core/node/schema.ts";
import { hasReason } from "../../meta/status.ts";
import { every, formatMicroTime, formatTime } from "../../util/clock.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { Taint } from "../../api/core/v1/scheduling.ts";
import type { NodeContext } from "../node-context.ts";
import type { ImageStatus, Runtime } from "../runtime.ts";
import { nodeResources } from "./node-resources.ts";
import { statusPatch } from "./status-patch.ts";

/** The properties of a node's machine, real or simulated. */
export interface NodeStatusOptions {
  readonly hostIPs: readonly string[];
  readonly capacity: Readonly<Record<string, string>>;
  readonly systemInfo: Omit<Status["nodeInfo"], "containerRuntimeVersion">;
  /** The resources for Pods, where they differ from the capacity. */
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** The taints that the node is registered with (kubelet `registerWithTaints`). */
  readonly taints?: readonly Taint[];
  /** Returns true while the agent of a simulated node does nothing: no heartbeat, and no sync of a Pod. */
  readonly isSilent?: () => boolean;
  readonly podCIDR: string | undefined;
  /** The port for logs and exec; 0 when only this process can call the node. */
  readonly port: number;
}

/** Upstream's intervals (kubelet defaults): the Lease is the heartbeat, the status describes the node. */
const leaseMs = 10_000;
const leaseSeconds = 40;
const statusMs = 10_000;
const reportAtLeastMs = 300_000;
/** The features that API servers look for: WebSocket is passed on (KEP-4006), and sizes change in place (KEP-5419). */
const declaredFeatures = [
  "ExtendWebSocketsToKubelet",
  "InPlacePodLevelResourcesVerticalScaling",
  "InPlacePodVerticalScalingInitContainers",
];

/** The reasons and messages of the conditions of pressure (kubelet `nodestatus/setters.go`). */
const pressures = [
  {
    type: "MemoryPressure",
    bad: { reason: "KubeletHasInsufficientMemory", message: "kubelet has insufficient memory available" },
    good: { reason: "KubeletHasSufficientMemory", message: "kubelet has sufficient memory available" },
  },
  {
    type: "DiskPressure",
    bad: { reason: "KubeletHasDiskPressure", message: "kubelet has disk pressure" },
    good: { reason: "KubeletHasNoDiskPressure", message: "kubelet has no disk pressure" },
  },
  {
    type: "PIDPressure",
    bad: { reason: "KubeletHasInsufficientPID", message: "kubelet has insufficient PID available" },
    good: { reason: "KubeletHasSufficientPID", message: "kubelet has sufficient PID available" },
  },
];

/** Registers the node and keeps its status and Lease up to date. */
export class NodeStatus {
  readonly #options: NodeStatusOptions;
  readonly #node: NodeContext;
  readonly #pressure: () => readonly string[];
  #reportedAt = 0;
  #present: Node | undefined;

  /** `pressure` returns the present conditions of pressure. */
  constructor(options: NodeStatusOptions, node: NodeContext, pressure: () => readonly string[]) {
    this.#options = options;
    this.#node = node;
    this.#pressure = pressure;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#node.env;
    const guarded = (work: () => Promise<void>) => async () => {
      try {
        await work();
      } catch (error) {
        if (!signal.aborted)
          this.#node.env.log.warn("Cannot report the node's status", { error: String(error) });
      }
    };
    const report = guarded(() => this.#report());
    const renew = guarded(() => this.#renew());
    // The Lease is owned by the Node, which must exist first.
    await report();
    await renew();
    const { isSilent = () => false } = this.#options;
    const unlessSilent = (work: () => Promise<void>) => () => (isSilent() ? undefined : work());
    await Promise.all([
      every(clock, statusMs, signal, unlessSilent(report)),
      every(clock, leaseMs, signal, unlessSilent(renew)),
    ]);
  }

  /** Returns the Node as it was read last; undefined before it is registered. */
  present(): Node | undefined {
    return this.#present;
  }

  /** Reports without waiting for the next turn. */
  async reportNow(): Promise<void> {
    try {
      await this.#report();
    } catch (error) {
      this.#node.env.log.warn("Cannot report the node's status", { error: String(error) });
    }
  }

  /** Reads the Node. */
  async read(): Promise<void> {
    this.#present = await this.#node.client.of(nodes).get(this.#node.name);
  }

  async #report(): Promise<void> {
    const present = await this.#register();
    this.#present = present;
    const status = await this.#status(present);
    const now = this.#node.env.clock.now();
    const beats = (conditions: readonly NodeCondition[] = []) =>
      conditions.map(({ lastHeartbeatTime: _, ...rest }) => rest);
    const same = deepEqual(
      { ...status, conditions: beats(status.conditions) },
      { ...present.status, conditions: beats(present.status.conditions) },
    );
    if (same && now - this.#reportedAt < reportAtLeastMs) return;
    this.#reportedAt = now;
    const patch = statusPatch(present.status, status);
    await this.#node.client
      .of(nodes)
      .patch(this.#node.name, patch, { type: "strategic", subresource: "status" });
  }

  async #register(): Promise<Node> {
    const client = this.#node.client.of(nodes);
    const { labels, podCIDR, taints = [] } = this.#options;
    try {
      const present = await client.get(this.#node.name);
      const missing = Object.entries(labels).some(
        ([name, value]) => present.metadata.labels?.[name] !== value,
      );
      if (!missing) return present;
      return await client.patch(this.#node.name, { metadata: { labels } }, { type: "merge" });
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
    }
    const spec: In<typeof nodes.schema> = {
      spec: {
        ...(podCIDR !== undefined && { podCIDR, podCIDRs: [podCIDR] }),
        ...(taints.length > 0 && { taints }),
      },
    };
    return client.create({ metadata: { name: this.#node.name, labels }, ...spec });
  }

  async #status({ status: old }: Node): Promise<Status> {
    const { hostIPs, capacity, allocatable, systemInfo, port } = this.#options;
    const images = await this.#node.runtime.images.list();
    const { images: _, declaredFeatures: __, ...kept } = old;
    return {
      ...kept,
      ...nodeResources(old, capacity, allocatable),
      addresses: [
        ...hostIPs.map((address) => ({ type: "InternalIP", address })),
        { type: "Hostname", address: this.#node.name },
      ],
      conditions: this.#conditions(old.conditions ?? []),
      features: { supplementalGroupsPolicy: this.#node.runtime.obeysGroupsPolicy },
      runtimeHandlers: [{ name: "", features: handlerFeatures(this.#node.runtime) }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      ...(port > 0 && { declaredFeatures }),
      nodeInfo: { ...systemInfo, containerRuntimeVersion: this.#node.runtime.version },
      // The server stores no empty lists: sending one would be a change each time.
      ...(images.length > 0 && { images: images.map(imageStatus) }),
    };
  }

  #conditions(present: readonly NodeCondition[]): NodeCondition[] {
    const now = formatTime(this.#node.env.clock.now());
    const pressure = this.#pressure();
    const own: readonly Omit<NodeCondition, "lastHeartbeatTime">[] = [
      ...pressures.map(({ type, bad, good }) => ({
        type,
        ...(pressure.includes(type) ? { status: "True", ...bad } : { status: "False", ...good }),
      })),
      { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
    ];
    const others = present.filter(({ type }) => !own.some((one) => one.type === type));
    return [
      ...others,
      ...own.map((one) => {
        const old = present.find(({ type }) => type === one.type);
        const lastTransitionTime = (old?.status === one.status ? old.lastTransitionTime : undefined) ?? now;
        return { ...one, lastHeartbeatTime: now, lastTransitionTime };
      }),
    ];
  }

  async #renew(): Promise<void> {
    const client = this.#node.client.of(leases, "kube-node-lease");
    const { name } = this.#node;
    const renewTime = formatMicroTime(this.#node.env.clock.now());
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
    try {
      await client.patch(name, { spec }, { type: "merge" });
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
      const { uid = "" } = (await this.#node.client.of(nodes).get(name)).metadata;
      const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
      await client.create({ metadata: { name, ownerReferences }, spec });
    }
  }
}

function handlerFeatures({ hasUserNamespaces, mountsRecursivelyReadOnly }: Runtime) {
  return { userNamespaces: hasUserNamespaces, recursiveReadOnlyMounts: mountsRecursivelyReadOnly === true };
}

function imageStatus({ tags, digests, sizeBytes }: ImageStatus): NonNullable<Status["images"]>[number] {
  return { names: [...digests, ...tags], sizeBytes };
}
