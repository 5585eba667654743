import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type Duplex, Readable } from "node:stream";
import type { ContainerImage } from "../../api/core/node/schema.ts";
import { aborted } from "../../util/abort.ts";
import { sleep, type Timer } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { uuid } from "../../util/random.ts";
import {
  type CheckAction,
  type ContainerConfig,
  type ContainerStatus,
  type ExecOptions,
  type ExecSession,
  type ImageService,
  type Resources,
  type Runtime,
  RuntimeError,
  type SandboxConfig,
  type SandboxStatus,
  type UsageRate,
} from "../runtime.ts";
import { HintQueue } from "../hint-queue.ts";
import { type Network, nthAddress, parsePodNetwork } from "../../util/ipv4.ts";
import { inSlices } from "../../util/yield.ts";
import { imageId, SimulatedImages } from "./images.ts";
import type { Program, ProgramContext } from "./program.ts";
import { Rules } from "./rules.ts";
import { type Script, scriptOf } from "./script.ts";

/** The number of containers of a Pod that stop before sockets get a turn. */
const stoppedAtOnce = 1_000;

export interface SimulatedOptions {
  readonly env: Env;
  /** The Pods' network, e.g. `10.244.0.0/24`. */
  readonly podCIDR: string;
  /**
   * Programs by image reference. Without one, the rules decide; without a rule, an init container exits with 0, and
   * any other runs until it is stopped.
   */
  readonly programs?: ReadonlyMap<string, Program> | undefined;
  /** The rules for containers. Default: none. */
  readonly rules?: Rules | undefined;
  /** The images that are on the node from the start. */
  readonly images?: readonly ContainerImage[] | undefined;
}

interface Container {
  status: ContainerStatus;
  readonly script: Script;
  /** Undefined for an image without a program: the script alone decides. */
  readonly running: RunningProgram | undefined;
  /** Ends the time in which the container is not ready. */
  warmUp: Timer | undefined;
  /** Ends the container by its script. */
  end: Timer | undefined;
}

/** A program that runs, or will run, as a container. */
interface RunningProgram {
  readonly program: Program;
  readonly context: ProgramContext;
  readonly stop: AbortController;
  readonly ended: PromiseWithResolvers<void>;
}

interface Sandbox {
  status: Omit<SandboxStatus, "containers">;
  /** The answer of `list`, until something of the sandbox changes. */
  listed: SandboxStatus | undefined;
  readonly logDirectory: string;
  /** The index of its address in the network; undefined on the host's network. */
  readonly place: number | undefined;
  readonly containers: Map<string, Container>;
}

const noRules = new Rules();

/** A runtime without real containers: Pods pass through their phases, as rules and programs describe. */
export class SimulatedRuntime implements Runtime {
  readonly version = "simulated://0.1.0";
  readonly appliesSeccomp = true; // Nothing runs that could be confined.
  readonly obeysGroupsPolicy = true;
  readonly hasUserNamespaces = true; // Nothing runs that could use groups.
  readonly servesHostPorts = true; // Nothing runs that could listen.
  readonly startsAtOnce = true;
  readonly images: ImageService;
  readonly #options: SimulatedOptions;
  readonly #rules: Rules;
  readonly #sandboxes = new Map<string, Sandbox>();
  /** By container ID. */
  readonly #sandboxOf = new Map<string, Sandbox>();
  readonly #network: Network;
  /** The indexes of leased addresses. */
  readonly #taken = new Set<number>();
  /** The answer of `list`, until something changes. */
  #list: readonly SandboxStatus[] | undefined;
  readonly #hints = new HintQueue();

  constructor(options: SimulatedOptions) {
    this.#options = options;
    this.#rules = options.rules ?? noRules;
    this.images = new SimulatedImages(options.env, this.#rules, options.images);
    this.#network = parsePodNetwork(options.podCIDR);
  }

  async runSandbox(config: SandboxConfig): Promise<SandboxStatus> {
    const { env } = this.#options;
    const id = uuid(env.random).replaceAll("-", "");
    const place = config.hostNetwork ? undefined : this.#takePlace();
    const ips = place === undefined ? [] : [nthAddress(this.#network, place)];
    const { pod, attempt } = config;
    const status = { id, pod, attempt, state: "ready", createdAt: env.clock.now(), ips } as const;
    const { logDirectory } = config;
    const sandbox: Sandbox = { status, listed: undefined, logDirectory, place, containers: new Map() };
    this.#sandboxes.set(id, sandbox);
    this.#hint(sandbox);
    return { ...status, containers: [] };
  }

  async stopSandbox(id: string): Promise<void> {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    await inSlices([...sandbox.containers.keys()], stoppedAtOnce, (one) => this.stopContainer(one, 0));
    if (sandbox.place !== undefined && sandbox.status.state === "ready") this.#taken.delete(sandbox.place);
    sandbox.status = { ...sandbox.status, state: "notReady", ips: [] };
    this.#hint(sandbox);
  }

  async removeSandbox(id: string): Promise<void> {
    await this.stopSandbox(id);
    for (const one of this.#sandboxes.get(id)?.containers.keys() ?? []) this.#sandboxOf.delete(one);
    this.#sandboxes.delete(id);
    this.#list = undefined;
  }

  async createContainer(sandboxId: string, config: ContainerConfig): Promise<string> {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) throw new RuntimeError("NotFound", `sandbox ${sandboxId} not found`);
    const { env, programs } = this.#options;
    const { name, attempt, image, pod } = config;
    const script = scriptOf(config, this.#rules.find(pod, image), env.random);
    const program = programs?.get(image);
    const id = uuid(env.random).replaceAll("-", "");
    const status: ContainerStatus = {
      id,
      name,
      attempt,
      image,
      imageId: imageId(image),
      state: "created",
      createdAt: env.clock.now(),
      logPath: `${sandbox.logDirectory}/${name}/${attempt}.log`,
    };
    sandbox.containers.set(id, {
      status,
      script,
      running: program === undefined ? undefined : this.#prepare(program, config, status),
      warmUp: undefined,
      end: undefined,
    });
    this.#sandboxOf.set(id, sandbox);
    this.#changed(sandbox);
    return id;
  }

  async startContainer(id: string): Promise<void> {
    const { sandbox, container } = this.#find(id);
    const { clock } = this.#options.env;
    const { startDelay, readyDelay } = container.script;
    if (startDelay > 0) await sleep(clock, startDelay);
    if (sandbox.status.state !== "ready")
      throw new RuntimeError("RunContainerError", `sandbox ${sandbox.status.id} is stopped`);
    const startedAt = clock.now();
    const status = { ...container.status, state: "running", startedAt } as const;
    container.status = readyDelay > 0 ? { ...status, warmsUp: true } : status;
    if (readyDelay > 0)
      container.warmUp = clock.after(readyDelay, () => {
        container.status = status;
        this.#hint(sandbox);
      });
    this.#hint(sandbox);
    if (container.running !== undefined) void this.#run(sandbox, container, container.running);
    else this.#follow(sandbox, container);
  }

  /** Ends a container when its script says so. */
  #follow(sandbox: Sandbox, container: Container): void {
    const { afterMs, exitCode } = container.script.end;
    if (afterMs === undefined) return;
    const end = () => this.#end(sandbox, container, exitCode);
    if (afterMs <= 0) end();
    else container.end = this.#options.env.clock.after(afterMs, end);
  }

  async #run(sandbox: Sandbox, container: Container, { program, context }: RunningProgram): Promise<void> {
    try {
      this.#end(sandbox, container, await program.run(context));
    } catch (error) {
      const { image } = container.status;
      this.#options.env.log.warn("Cannot continue a simulated program", { image, error: String(error) });
      this.#end(sandbox, container, 1);
    }
  }

  async stopContainer(id: string, graceMs: number): Promise<void> {
    const found = this.#lookUp(id);
    if (found?.container.status.state !== "running") return;
    const { sandbox, container } = found;
    const { running, script } = container;
    // Without grace a container is killed before it can end by itself.
    if (graceMs <= 0) this.#end(sandbox, container, 137);
    if (running === undefined) return this.#end(sandbox, container, stoppedCode(script));
    running.stop.abort(aborted);
    const timer = this.#options.env.clock.after(graceMs, () => this.#end(sandbox, container, 137));
    await running.ended.promise;
    timer.cancel();
  }

  async removeContainer(id: string): Promise<void> {
    await this.stopContainer(id, 0);
    const sandbox = this.#lookUp(id)?.sandbox;
    if (sandbox === undefined) return;
    sandbox.containers.delete(id);
    this.#sandboxOf.delete(id);
    this.#changed(sandbox);
  }

  async updateContainer(id: string, _resources: Resources): Promise<void> {
    this.#find(id);
  }

  async list(): Promise<readonly SandboxStatus[]> {
    this.#list ??= [...this.#sandboxes.values()].map((sandbox) => (sandbox.listed ??= statusOf(sandbox)));
    return this.#list;
  }

  watch(signal: AbortSignal): AsyncIterable<string> {
    return this.#hints.watch(signal);
  }

  async exec(id: string, { command }: ExecOptions): Promise<ExecSession> {
    const { container } = this.#find(id);
    const { running, status } = container;
    if (running?.program.exec === undefined) {
      throw new RuntimeError("Unavailable", `the simulated image ${status.image} cannot execute commands`);
    }
    const answer = running.program.exec(command, running.context);
    const output = async function* () {
      yield (await answer).output ?? "";
    };
    return {
      stdout: Readable.from(output(), { objectMode: false }),
      resize() {},
      exited: answer.then(({ exitCode }) => exitCode),
      close() {},
    };
  }

  async check(id: string, action: CheckAction): Promise<string | undefined> {
    const { container } = this.#find(id);
    if (container.running === undefined) return undefined;
    const { program, context } = container.running;
    if (program.check !== undefined) return program.check(action, context);
    if (action.exec === undefined || program.exec === undefined) return undefined;
    const { exitCode, output = "" } = await program.exec(action.exec.command ?? [], context);
    return exitCode === 0 ? undefined : output || `command exited with code ${exitCode}`;
  }

  async attach(id: string): Promise<ExecSession> {
    const { container } = this.#find(id);
    throw new RuntimeError("Unavailable", `the simulated image ${container.status.image} has no terminal`);
  }

  async dial(sandboxId: string, port: number): Promise<Duplex> {
    throw new RuntimeError(
      "Unavailable",
      `nothing listens on port ${port} of simulated sandbox ${sandboxId}`,
    );
  }

  rates(): ReadonlyMap<string, UsageRate> {
    const rates = new Map<string, UsageRate>();
    for (const { containers } of this.#sandboxes.values()) {
      for (const [id, container] of containers) {
        const rate = container.status.state === "running" ? this.#rateOf(container) : undefined;
        if (rate !== undefined) rates.set(id, rate);
      }
    }
    return rates;
  }

  async close(): Promise<void> {}

  #rateOf({ script, running, status }: Container): UsageRate | undefined {
    const { cpu, memoryBytes } = running?.program.usage?.(running.context) ?? script.usage;
    if (cpu >= 0 && cpu < Infinity && memoryBytes >= 0 && memoryBytes < Infinity)
      return { cpuNanoCores: Math.round(cpu * 1e9), memoryBytes: Math.round(memoryBytes) };
    this.#options.env.log.warn("Cannot measure a simulated program", {
      image: status.image,
      cpu,
      memoryBytes,
    });
    return undefined;
  }

  /**
   * Leases the lowest free index. The network's own address, the gateway's and the broadcast address are not
   * for Pods.
   */
  #takePlace(): number {
    let place = 2;
    while (this.#taken.has(place)) place++;
    if (place > this.#network.size - 2) {
      const { podCIDR } = this.#options;
      throw new RuntimeError("CreatePodSandboxError", `no address is free in ${podCIDR}`);
    }
    this.#taken.add(place);
    return place;
  }

  #lookUp(id: string): { sandbox: Sandbox; container: Container } | undefined {
    const sandbox = this.#sandboxOf.get(id);
    const container = sandbox?.containers.get(id);
    return sandbox === undefined || container === undefined ? undefined : { sandbox, container };
  }

  #find(id: string): { sandbox: Sandbox; container: Container } {
    const found = this.#lookUp(id);
    if (found === undefined) throw new RuntimeError("NotFound", `container ${id} not found`);
    return found;
  }

  #prepare(program: Program, config: ContainerConfig, { logPath }: ContainerStatus): RunningProgram {
    const { clock } = this.#options.env;
    const stop = new AbortController();
    const context: ProgramContext = {
      command: config.command,
      args: config.args,
      env: Object.fromEntries(config.env.map(({ name, value }) => [name, value])),
      clock,
      attempt: config.attempt,
      signal: stop.signal,
      log: (line) => {
        mkdirSync(dirname(logPath), { recursive: true });
        appendFileSync(logPath, `${new Date(clock.now()).toISOString()} stdout F ${line}\n`, { mode: 0o600 });
      },
    };
    return { program, context, stop, ended: Promise.withResolvers() };
  }

  #end(sandbox: Sandbox, container: Container, exitCode: number): void {
    if (container.status.state === "exited") return;
    container.warmUp?.cancel();
    container.end?.cancel();
    const finishedAt = this.#options.env.clock.now();
    const reason = exitCode === 0 ? "Completed" : "Error";
    const { warmsUp: _, ...status } = container.status;
    container.status = { ...status, state: "exited", finishedAt, exitCode, reason };
    container.running?.ended.resolve();
    this.#hint(sandbox);
  }

  #changed(sandbox: Sandbox): void {
    sandbox.listed = undefined;
    this.#list = undefined;
  }

  #hint(sandbox: Sandbox): void {
    this.#changed(sandbox);
    this.#hints.push(sandbox.status.pod.uid);
  }
}

function statusOf({ status, containers }: Sandbox): SandboxStatus {
  return { ...status, containers: [...containers.values()].map((container) => container.status) };
}

/** Returns the exit code of a container that is stopped before its end. */
function stoppedCode({ end: { afterMs, exitCode } }: Script): number {
  return afterMs === undefined ? exitCode : 0;
}
