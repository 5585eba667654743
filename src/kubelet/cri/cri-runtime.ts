import { closeSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Duplex } from "node:stream";
import { ContainerState, RuntimeService } from "../rpc/generated/cri_pb.ts";
import { RpcConnection } from "../rpc/connection.ts";
import {
  type AttachOptions,
  type ContainerConfig,
  type ExecOptions,
  type ExecSession,
  type Resources,
  type Runtime,
  RuntimeError,
  type RuntimeUsage,
  type SandboxConfig,
  type SandboxStatus,
} from "../runtime.ts";
import { HintQueue } from "../hint-queue.ts";
import { machineUsage } from "../machine-usage.ts";
import { appendToLog } from "../safe-path/log-file.ts";
import { sleep } from "../../util/clock.ts";
import { errorText } from "../../util/error-text.ts";
import { CriCalls } from "./calls.ts";
import { containerRequest, logPathOf, verifyNonRoot } from "./container-request.ts";
import { follow } from "./follow.ts";
import { CriImages } from "./images.ts";
import { ownedBy } from "./labels.ts";
import { type ContainerPlace, keyOf, Listing } from "./listing.ts";
import type { CriOptions } from "./options.ts";
import { namespaces, parseResolvConf, resourcesRequest, sandboxRequest } from "./sandbox-request.ts";
import { type SandboxKey, SandboxStore } from "./sandbox-store.ts";
import { port, session } from "./streaming.ts";

const rpc = RuntimeService.method;
/** The time for a sandbox, whose network plugins may be slow (kubelet: twice the request timeout). */
const sandboxMs = 4 * 60_000;
/** The time for a stop beyond the grace period (kubelet `runtimeRequestTimeout`). */
const stopMs = 2 * 60_000;
/** The time for which the exit of a container whose streams have ended is awaited, and the interval of looks. */
const exitMs = 5000;
const exitLookMs = 50;

/** Runs containers in containerd, CRI-O or another runtime with CRI v1. See README.md. */
export class CriRuntime implements Runtime {
  readonly version: string;
  readonly appliesSeccomp = true;
  readonly obeysGroupsPolicy: boolean;
  readonly mountsRecursivelyReadOnly?: true;
  readonly mapsDevices = true;
  readonly hasUserNamespaces = false;
  readonly servesHostPorts = true;
  readonly images: CriImages;
  readonly #options: CriOptions;
  readonly #calls: CriCalls;
  readonly #listing: Listing;
  readonly #store: SandboxStore;
  readonly #hints = new HintQueue();
  readonly #closed = new AbortController();
  readonly #following: Promise<void>;

  private constructor(options: CriOptions, calls: CriCalls, facts: RuntimeFacts) {
    this.#options = options;
    this.#calls = calls;
    this.version = facts.version;
    this.obeysGroupsPolicy = facts.obeysGroupsPolicy;
    if (facts.mountsRecursivelyReadOnly) this.mountsRecursivelyReadOnly = true;
    this.images = new CriImages(calls);
    this.#store = new SandboxStore(options.stateDirectory);
    this.#listing = new Listing(calls, this.#store, options.owner);
    const { env, owner } = options;
    const changed = (uid: string) => this.#hints.push(uid);
    const parts = { env, calls, listing: this.#listing, owner, changed };
    this.#following = follow(parts, this.#closed.signal);
  }

  /** Adopts the containers of an earlier process. @throws RuntimeError when the runtime does not answer */
  static async open(options: CriOptions): Promise<CriRuntime> {
    const { socket, env } = options;
    const calls = new CriCalls(new RpcConnection({ clock: env.clock, socket }));
    try {
      return new CriRuntime(options, calls, await factsOf(calls));
    } catch (error) {
      calls.connection.close();
      throw error;
    }
  }

  async runSandbox(config: SandboxConfig): Promise<SandboxStatus> {
    const { cgroups, owner } = this.#options;
    const key = { uid: config.pod.uid, attempt: config.attempt };
    const reason = "CreatePodSandboxError";
    await this.#store.add(config);
    // The directory of all logs is the administrator's; `appendToLog` makes what is below.
    await mkdir(dirname(config.logDirectory), { recursive: true });
    try {
      const cgroupParent = (await cgroups?.create(groupOf(key), config.resources)) ?? "";
      const hostDns = parseResolvConf(await readFile("/etc/resolv.conf", "utf8").catch(() => ""));
      const { podSandboxId } = await this.#calls.call(
        rpc.runPodSandbox,
        {
          config: sandboxRequest(config, { owner, cgroupParent, hostDns }),
          runtimeHandler: config.runtimeHandler ?? "",
        },
        { reason, deadlineMs: sandboxMs },
      );
      const status = await this.#listing.fresh(podSandboxId);
      if (status === undefined) throw new RuntimeError(reason, `sandbox ${podSandboxId} is gone`);
      return status;
    } catch (error) {
      // The runtime has removed what it made: without a sandbox, nothing else would remove the files.
      const isListed = (await this.list().catch(() => [])).some((one) => isOf(one, key));
      if (!isListed) await this.#forget(key);
      throw error;
    } finally {
      this.#hints.push(config.pod.uid);
    }
  }

  async stopSandbox(id: string): Promise<void> {
    const sandbox = await this.#listing.sandbox(id);
    if (sandbox === undefined) return;
    await this.#calls.find(rpc.stopPodSandbox, { podSandboxId: id }, { deadlineMs: sandboxMs });
    this.#hints.push(keyOf(sandbox).uid);
  }

  async removeSandbox(id: string): Promise<void> {
    const sandbox = await this.#listing.sandbox(id);
    if (sandbox === undefined) return;
    await this.#calls.find(rpc.stopPodSandbox, { podSandboxId: id }, { deadlineMs: sandboxMs });
    await this.#calls.find(rpc.removePodSandbox, { podSandboxId: id }, { deadlineMs: sandboxMs });
    await this.#forget(keyOf(sandbox));
    this.#hints.push(keyOf(sandbox).uid);
  }

  async createContainer(sandboxId: string, config: ContainerConfig): Promise<string> {
    const sandbox = await this.#listing.sandbox(sandboxId);
    if (sandbox === undefined) throw new RuntimeError("NotFound", `sandbox ${sandboxId} is gone`);
    const key = keyOf(sandbox);
    const sandboxConfig = await this.#store.config(key);
    const image = await this.images.resolve(config.image);
    verifyNonRoot(config.security, image.user);
    try {
      return await this.#create(sandboxId, sandboxConfig, config, image);
    } catch (error) {
      await this.#store.removeContainer(key, config);
      if (error instanceof RuntimeError) throw error;
      throw new RuntimeError("CreateContainerError", errorText(error), error);
    } finally {
      this.#hints.push(key.uid);
    }
  }

  async #create(
    podSandboxId: string,
    sandbox: SandboxConfig,
    config: ContainerConfig,
    image: Awaited<ReturnType<CriImages["resolve"]>>,
  ): Promise<string> {
    const { owner, seccompDirectory } = this.#options;
    const network = await this.#listing.network(podSandboxId);
    const mounts = await this.#store.mounts(sandbox, network?.ip || undefined, config);
    // Made here, because the runtime would follow a link in place of the directory.
    closeSync(appendToLog(`${sandbox.logDirectory}/${logPathOf(config)}`));
    const request = containerRequest(config, {
      owner,
      pod: sandbox.pod,
      imageId: image.id,
      imageUser: image.user,
      namespaces: namespaces(sandbox, config.target),
      mounts,
      seccompDirectory,
    });
    const place = { owner, cgroupParent: "", hostDns: { servers: [], searches: [], options: [] } };
    const { containerId } = await this.#calls.call(
      rpc.createContainer,
      { podSandboxId, config: request, sandboxConfig: sandboxRequest(sandbox, place) },
      { reason: "CreateContainerError" },
    );
    return containerId;
  }

  async startContainer(id: string): Promise<void> {
    const place = await this.#placeOf(id);
    try {
      await this.#calls.call(rpc.startContainer, { containerId: id }, { reason: "RunContainerError" });
    } finally {
      await this.#store.releaseSubPaths(place.key, place);
      this.#hints.push(place.key.uid);
    }
  }

  async stopContainer(id: string, graceMs: number): Promise<void> {
    const timeout = BigInt(Math.ceil(graceMs / 1000));
    const deadlineMs = graceMs + stopMs;
    await this.#calls.find(rpc.stopContainer, { containerId: id, timeout }, { deadlineMs });
    const place = await this.#listing.place(id);
    if (place !== undefined) this.#hints.push(place.key.uid);
  }

  async removeContainer(id: string): Promise<void> {
    const place = await this.#listing.place(id);
    await this.#calls.find(rpc.removeContainer, { containerId: id });
    if (place === undefined) return;
    await this.#store.removeContainer(place.key, place);
    this.#hints.push(place.key.uid);
  }

  async updateContainer(id: string, resources: Resources): Promise<void> {
    const request = { containerId: id, linux: resourcesRequest(resources) };
    await this.#calls.call(rpc.updateContainerResources, request);
  }

  async updateSandbox(id: string, resources: Resources): Promise<void> {
    const sandbox = await this.#listing.sandbox(id);
    if (sandbox === undefined) throw new RuntimeError("NotFound", `sandbox ${id} is gone`);
    await this.#options.cgroups?.update(groupOf(keyOf(sandbox)), resources);
  }

  async reopenLog(id: string): Promise<void> {
    await this.#calls.call(rpc.reopenContainerLog, { containerId: id });
  }

  list(): Promise<readonly SandboxStatus[]> {
    return this.#listing.list();
  }

  watch(signal: AbortSignal): AsyncIterable<string> {
    return this.#hints.watch(signal);
  }

  async exec(id: string, options: ExecOptions): Promise<ExecSession> {
    const { command, stdin, stdout, stderr, tty } = options;
    const { url } = await this.#calls.call(rpc.exec, {
      containerId: id,
      cmd: [...command],
      stdin,
      // A session has at least one stream.
      stdout: stdout || !(stdin || stderr),
      stderr: stderr && !tty,
      tty,
    });
    const opened = { ...options, stdout: stdout || !(stdin || stderr) };
    const { stdout: output, ...rest } = await session(this.#options.env.clock, url, opened);
    if (!stdout) output?.resume();
    return { ...rest, ...(stdout && output !== undefined && { stdout: output }) };
  }

  /** The runtime reports that the streams have ended; the exit code is the container's own. */
  async attach(id: string, options: AttachOptions): Promise<ExecSession> {
    const { stdin, stdout, stderr, tty } = options;
    const { clock } = this.#options.env;
    const request = { containerId: id, stdin, stdout, stderr: stderr && !tty, tty };
    const { url } = await this.#calls.call(rpc.attach, request);
    const attached = await session(clock, url, options);
    const exited = attached.exited.then((code) => (code === 0 ? this.#exitCode(id) : code));
    exited.catch(() => {}); // The caller may close the session without reading its outcome.
    return { ...attached, exited };
  }

  async dial(sandboxId: string, number: number): Promise<Duplex> {
    const { url } = await this.#calls.call(rpc.portForward, { podSandboxId: sandboxId, port: [number] });
    return port(this.#options.env.clock, url, number);
  }

  async usage(): Promise<RuntimeUsage> {
    const filter = { labelSelector: { ...ownedBy(this.#options.owner) } };
    const { stats } = await this.#calls.call(rpc.listContainerStats, { filter });
    const containers = stats.flatMap(({ attributes, cpu, memory }) => {
      const [nanos, bytes] = [cpu?.usageCoreNanoSeconds?.value, memory?.workingSetBytes?.value];
      if (attributes === undefined || nanos === undefined || bytes === undefined) return [];
      return [[attributes.id, { cpuNanos: Number(nanos), memoryBytes: Number(bytes) }] as const];
    });
    return { machine: machineUsage(), containers: new Map(containers) };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#hints.close();
    this.#calls.connection.close();
    await this.#following;
  }

  /** Removes every sandbox of this agent, and closes. */
  async destroyAll(): Promise<void> {
    await Promise.all((await this.list()).map(({ id }) => this.removeSandbox(id)));
    await this.close();
  }

  /** Resolves to 0 for a container that runs on: the session was closed. */
  async #exitCode(id: string): Promise<number> {
    const { clock } = this.#options.env;
    const end = clock.monotonic() + exitMs;
    for (;;) {
      const status = await this.#listing.status(id);
      if (status?.state === ContainerState.CONTAINER_EXITED) return status.exitCode;
      if (status === undefined || clock.monotonic() >= end) return 0;
      await sleep(clock, exitLookMs, this.#closed.signal);
    }
  }

  /** @throws RuntimeError NotFound */
  async #placeOf(id: string): Promise<ContainerPlace> {
    const place = await this.#listing.place(id);
    if (place === undefined) throw new RuntimeError("NotFound", `container ${id} is gone`);
    return place;
  }

  async #forget(key: SandboxKey): Promise<void> {
    await this.#options.cgroups?.remove(groupOf(key));
    await this.#store.remove(key);
  }
}

interface RuntimeFacts {
  readonly version: string;
  readonly obeysGroupsPolicy: boolean;
  readonly mountsRecursivelyReadOnly: boolean;
}

async function factsOf(calls: CriCalls): Promise<RuntimeFacts> {
  const { runtimeName, runtimeVersion } = await calls.call(rpc.version, { version: "v1" });
  const { features, runtimeHandlers } = await calls.call(rpc.status, {});
  const own = runtimeHandlers.find(({ name }) => name === "");
  return {
    version: `${runtimeName}://${runtimeVersion}`,
    obeysGroupsPolicy: features?.supplementalGroupsPolicy ?? false,
    mountsRecursivelyReadOnly: own?.features?.recursiveReadOnlyMounts ?? false,
  };
}

function groupOf({ uid, attempt }: SandboxKey): string {
  return `pod${uid}_${attempt}`;
}

function isOf({ pod, attempt }: SandboxStatus, key: SandboxKey): boolean {
  return pod.uid === key.uid && attempt === key.attempt;
}
