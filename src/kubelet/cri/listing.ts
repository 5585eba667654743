import {
  type Container,
  ContainerState,
  type ContainerStatus as CriContainerStatus,
  type PodSandbox,
  PodSandboxState,
  type PodSandboxStatus,
  RuntimeService,
} from "../rpc/generated/cri_pb.ts";
import type { ContainerStatus, SandboxStatus } from "../runtime.ts";
import { terminationMessage } from "../termination-message.ts";
import type { CriCalls } from "./calls.ts";
import { fallsBackToLogs, ownedBy, type Tags } from "./labels.ts";
import type { SandboxKey, SandboxStore } from "./sandbox-store.ts";
import { containerStatus, sandboxStatus } from "./status.ts";

const { listPodSandbox, listContainers, podSandboxStatus, containerStatus: statusOf } = RuntimeService.method;

/** An answer about an object, which holds while the object's state is the same. */
interface Known<T> {
  readonly state: number;
  readonly value: T;
}

type Network = PodSandboxStatus["network"];

interface Seen {
  readonly sandboxes: readonly PodSandbox[];
  readonly containers: readonly Container[];
}

/** The place of a container: its sandbox, and its name there. */
export interface ContainerPlace {
  readonly sandboxId: string;
  readonly key: SandboxKey;
  readonly name: string;
  readonly attempt: number;
}

/**
 * The sandboxes and containers of this agent in the runtime. Two calls list all of them; one more is made for each that
 * is in another state than at the last listing.
 */
export class Listing {
  readonly #calls: CriCalls;
  readonly #store: SandboxStore;
  readonly #labels: Tags;
  #networks = new Map<string, Known<Network>>();
  #containers = new Map<string, Known<ContainerStatus>>();
  #statuses = new Map<string, SandboxStatus>();
  #last: readonly SandboxStatus[] = [];

  constructor(calls: CriCalls, store: SandboxStore, owner: string) {
    this.#calls = calls;
    this.#store = store;
    this.#labels = ownedBy(owner);
  }

  /** Lists without details. */
  async look(): Promise<Seen> {
    const filter = { labelSelector: { ...this.#labels } };
    // Containers first: the sandbox of a listed container is then listed, too, unless it was removed.
    const { containers } = await this.#calls.call(listContainers, { filter });
    const { items } = await this.#calls.call(listPodSandbox, { filter });
    return { sandboxes: items.sort(byAge), containers: containers.sort(byAge) };
  }

  /** Returns the same array when nothing has changed. */
  async list(): Promise<readonly SandboxStatus[]> {
    const { sandboxes, containers } = await this.look();
    const inside = Map.groupBy(containers, ({ podSandboxId }) => podSandboxId);
    const networks = new Map<string, Known<Network>>();
    const known = new Map<string, Known<ContainerStatus>>();
    const statuses = new Map<string, SandboxStatus>();
    await Promise.all(
      sandboxes.map(async (sandbox) => {
        const network = await this.#knownNetwork(sandbox);
        if (network !== undefined) networks.set(sandbox.id, network);
        const details = await Promise.all(
          (inside.get(sandbox.id) ?? []).map(async (container) => {
            const detail = await this.#knownContainer(sandbox, container);
            if (detail !== undefined) known.set(container.id, detail);
            return detail?.value;
          }),
        );
        const present = details.filter((detail) => detail !== undefined);
        statuses.set(sandbox.id, this.#unlessSame(sandboxStatus(sandbox, network?.value, present)));
      }),
    );
    this.#networks = networks;
    this.#containers = known;
    this.#statuses = statuses;
    const all = sandboxes.flatMap(({ id }) => statuses.get(id) ?? []);
    const isSame = all.length === this.#last.length && all.every((one, index) => one === this.#last[index]);
    if (!isSame) this.#last = all;
    return this.#last;
  }

  /** Returns the runtime's present answer about one container; undefined when it is gone. */
  async status(id: string): Promise<CriContainerStatus | undefined> {
    return (await this.#calls.find(statusOf, { containerId: id }))?.status;
  }

  /** Returns one sandbox; undefined when it is gone. */
  async sandbox(id: string): Promise<PodSandbox | undefined> {
    return (await this.#calls.call(listPodSandbox, { filter: { id } })).items[0];
  }

  /** Returns a container's place; undefined when it is gone. */
  async place(id: string): Promise<ContainerPlace | undefined> {
    const [container] = (await this.#calls.call(listContainers, { filter: { id } })).containers;
    const sandbox = container && (await this.sandbox(container.podSandboxId));
    if (container === undefined || sandbox === undefined) return undefined;
    const { name = "", attempt = 0 } = container.metadata ?? {};
    return { sandboxId: sandbox.id, key: keyOf(sandbox), name, attempt };
  }

  /** Returns a sandbox that has just been made; undefined when it is gone. */
  async fresh(id: string): Promise<SandboxStatus | undefined> {
    const sandbox = await this.sandbox(id);
    return sandbox && sandboxStatus(sandbox, await this.network(id), []);
  }

  /** Returns the network of a sandbox; undefined on the host's, or when it is gone. */
  async network(id: string): Promise<Network> {
    return (await this.#calls.find(podSandboxStatus, { podSandboxId: id }))?.status?.network;
  }

  async #knownNetwork({ id, state }: PodSandbox) {
    if (state !== PodSandboxState.SANDBOX_READY) return undefined;
    return this.#networks.get(id) ?? { state, value: await this.network(id) };
  }

  /** Resolves to undefined for a container that was removed meanwhile. */
  async #knownContainer(
    sandbox: PodSandbox,
    { id, state }: Container,
  ): Promise<Known<ContainerStatus> | undefined> {
    const known = this.#containers.get(id);
    if (known?.state === state) return known;
    const status = await this.status(id);
    if (status === undefined) return undefined;
    const message = await this.#lastWords(sandbox, status);
    // The state of the answer, which may be newer than that of the list.
    return { state: status.state, value: containerStatus(status, message) };
  }

  async #lastWords(sandbox: PodSandbox, status: CriContainerStatus): Promise<string | undefined> {
    if (status.state !== ContainerState.CONTAINER_EXITED) return undefined;
    const { name = "", attempt = 0 } = status.metadata ?? {};
    const useLog = fallsBackToLogs(status.annotations) && status.exitCode !== 0;
    const file = this.#store.messageFile(keyOf(sandbox), { name, attempt });
    return terminationMessage(file, useLog ? status.logPath : undefined);
  }

  /** Returns the earlier object if it is equal. */
  #unlessSame(status: SandboxStatus): SandboxStatus {
    const before = this.#statuses.get(status.id);
    const isSame =
      before !== undefined &&
      before.state === status.state &&
      before.ips.join() === status.ips.join() &&
      before.containers.length === status.containers.length &&
      before.containers.every((one, index) => one === status.containers[index]);
    return isSame ? before : status;
  }
}

/** Runtimes list in any order. */
function byAge(a: PodSandbox | Container, b: PodSandbox | Container): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** Returns the identity under which the sandbox's files are kept. */
export function keyOf({ metadata }: PodSandbox): SandboxKey {
  return { uid: metadata?.uid ?? "", attempt: metadata?.attempt ?? 0 };
}
