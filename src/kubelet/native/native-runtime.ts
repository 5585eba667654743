import type { Duplex } from "node:stream";
import { hostReference } from "../images/host-image.ts";
import { machineUsage } from "../machine-usage.ts";
import type { ImageStore } from "../images/image-store.ts";
import type {
  AttachOptions,
  ContainerConfig,
  ExecOptions,
  ExecSession,
  Resources,
  Runtime,
  RuntimeUsage,
  SandboxConfig,
  SandboxStatus,
} from "../runtime.ts";
import { isInUserNamespace } from "../../util/own-ids.ts";
import { nameSuffix } from "../../util/random.ts";
import { attachSession, reopenLog } from "./attach.ts";
import { loadFilter } from "./container-seccomp.ts";
import { dialHere, dialNamespace } from "./dial.ts";
import { execInContainer } from "./exec.ts";
import { removeHostState } from "./host-state.ts";
import { machineObstacle } from "./machine-obstacle.ts";
import { openParts, type Parts } from "./open-parts.ts";
import type { NativeOptions } from "./options.ts";
import { cgroupPath, filterFile } from "./prepare-container.ts";
import type { SandboxRecord } from "./records.ts";

/** Runs containers by a small program of its own and iproute2, without a daemon. See README.md. */
export class NativeRuntime implements Runtime {
  readonly version = "native://0.1.0";
  readonly appliesSeccomp = true;
  readonly obeysGroupsPolicy = true;
  /** A rootless node has no 65,536 IDs for each Pod. */
  readonly hasUserNamespaces = !isInUserNamespace;
  readonly mountsRecursivelyReadOnly = true;
  readonly servesHostPorts = true; // The service proxy serves them.
  readonly images: ImageStore;
  readonly #options: NativeOptions;
  readonly #parts: Parts;
  /**
   * Built ahead of the first Pod, during the start. A failure is reported to the first Pod that uses the
   * image.
   */
  readonly #hostImage: Promise<unknown>;

  private constructor(options: NativeOptions, parts: Parts) {
    this.images = options.images;
    this.#options = options;
    this.#parts = parts;
    this.#hostImage = options.images.pull(hostReference).catch(() => {});
  }

  /** Adopts running containers, and removes the unfinished work of an earlier process. Requires root. */
  static async open(options: NativeOptions): Promise<NativeRuntime> {
    return new NativeRuntime(options, await openParts(options));
  }

  async runSandbox(config: SandboxConfig): Promise<SandboxStatus> {
    const record = await this.#parts.sandboxes.run(config);
    this.#changed(record.id);
    return this.#status(record);
  }

  async stopSandbox(id: string): Promise<void> {
    const { containers, sandboxes } = this.#parts;
    if (sandboxes.find(id) === undefined) return;
    await Promise.all(containers.of(id).map((container) => containers.stop(container.id, 0)));
    await sandboxes.stop(id);
    this.#changed(id);
  }

  async removeSandbox(id: string): Promise<void> {
    const { containers, sandboxes, hints } = this.#parts;
    const record = sandboxes.find(id);
    if (record === undefined) return;
    await this.stopSandbox(id);
    await Promise.all(containers.of(id).map((container) => containers.remove(container.id)));
    await sandboxes.remove(id);
    hints.push(record.config.pod.uid);
  }

  async createContainer(sandboxId: string, config: ContainerConfig): Promise<string> {
    const id = await this.#parts.containers.create(sandboxId, config);
    this.#changed(sandboxId);
    return id;
  }

  async startContainer(id: string): Promise<void> {
    try {
      await this.#parts.containers.start(id);
    } finally {
      this.#containerChanged(id);
    }
  }

  async stopContainer(id: string, graceMs: number): Promise<void> {
    if (this.#parts.containers.find(id) !== undefined) await this.#parts.containers.stop(id, graceMs);
  }

  async removeContainer(id: string): Promise<void> {
    const sandboxId = this.#parts.containers.find(id)?.sandboxId;
    await this.#parts.containers.remove(id);
    if (sandboxId !== undefined) this.#changed(sandboxId);
  }

  updateContainer(id: string, resources: Resources): Promise<void> {
    return this.#parts.containers.update(id, resources);
  }

  async reopenLog(id: string): Promise<void> {
    const { containers, paths } = this.#parts;
    await containers.init(id);
    await reopenLog(paths.container(id));
  }

  updateSandbox(id: string, resources: Resources): Promise<void> {
    return this.#parts.sandboxes.update(id, resources);
  }

  async list(): Promise<readonly SandboxStatus[]> {
    return Promise.all(this.#parts.sandboxes.values().map((record) => this.#status(record)));
  }

  watch(signal: AbortSignal): AsyncIterable<string> {
    return this.#parts.hints.watch(signal);
  }

  async exec(id: string, options: ExecOptions): Promise<ExecSession> {
    const { containers, sandboxes, cgroups, paths } = this.#parts;
    const record = containers.get(id);
    const terminal = options.tty ? ["TERM=xterm", ...record.process.env] : record.process.env;
    return execInContainer(
      {
        init: await containers.init(id),
        joinFiles: cgroups.joinFiles(cgroupPath(record)),
        process: { ...record.process, argv: options.command, env: terminal },
        seccomp: await loadFilter(paths.container(id, filterFile)),
        firstId: sandboxes.get(record.sandboxId).config.firstId,
        name: nameSuffix(this.#options.env.random, 20),
      },
      options,
      this.#parts,
    );
  }

  async attach(id: string, options: AttachOptions): Promise<ExecSession> {
    const { containers, exits, paths } = this.#parts;
    await containers.init(id);
    const { tty } = containers.get(id).config;
    const exited = exits.ended(id).then(async () => (await exits.read(id))?.code ?? 0);
    return attachSession(paths.container(id), { ...options, tty }, exited);
  }

  async dial(sandboxId: string, port: number): Promise<Duplex> {
    const { sandboxes, paths } = this.#parts;
    if (sandboxes.get(sandboxId).config.hostNetwork) return dialHere(port);
    const name = nameSuffix(this.#options.env.random, 20);
    return dialNamespace({ namespace: paths.pin(sandboxId, "net"), port, name }, this.#parts);
  }

  /** Includes the termination message, which would otherwise be exempt from the limit. */
  writableLayer(id: string): string {
    return this.#parts.paths.container(id);
  }

  async usage(): Promise<RuntimeUsage> {
    const { sandboxes, containers, cgroups } = this.#parts;
    const records = sandboxes.values().flatMap(({ id }) => containers.of(id));
    const usages = await Promise.all(
      records.map(async (record) => [record.id, await cgroups.usage(cgroupPath(record))] as const),
    );
    const known = usages.flatMap(([id, usage]) => (usage === undefined ? [] : [[id, usage] as const]));
    return { machine: machineUsage(), containers: new Map(known) };
  }

  async close(): Promise<void> {
    const { exits, spawner, sessions, hints, shell } = this.#parts;
    hints.close();
    exits.close();
    await this.#hostImage; // Its files would outlive a removal of the store.
    sessions.close();
    await spawner.close();
    await shell.close();
  }

  /**
   * Removes every sandbox, closes, and removes all mounts, the bridge, cgroups and state from the machine.
   */
  async destroyAll(): Promise<void> {
    await Promise.all(this.#parts.sandboxes.values().map(({ id }) => this.removeSandbox(id)));
    await this.close();
    await removeHostState(this.#parts);
  }

  async #status(record: SandboxRecord): Promise<SandboxStatus> {
    const { containers } = this.#parts;
    return {
      id: record.id,
      pod: record.config.pod,
      attempt: record.config.attempt,
      state: record.ready ? "ready" : "notReady",
      createdAt: record.createdAt,
      ips: record.address === undefined ? [] : [record.address],
      ...(record.config.firstId !== undefined && { firstId: record.config.firstId }),
      containers: await Promise.all(
        containers.of(record.id).map((container) => containers.status(container)),
      ),
    };
  }

  #changed(sandboxId: string): void {
    const record = this.#parts.sandboxes.find(sandboxId);
    if (record !== undefined) this.#parts.hints.push(record.config.pod.uid);
  }

  #containerChanged(id: string): void {
    const record = this.#parts.containers.find(id);
    if (record !== undefined) this.#changed(record.sandboxId);
  }
}

/** Returns the reason why this machine cannot run containers natively; undefined when it can. */
export function nativeUnavailable(): string | undefined {
  const isOrdinary = process.platform === "linux" && process.getuid?.() !== 0;
  return isOrdinary ? "native containers need root" : machineObstacle();
}
