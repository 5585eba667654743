import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Duplex, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Node, nodes, type Pod, pods } from "../../src/api/index.ts";
import type { Client } from "../../src/client/client.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { simulatedNode } from "../../src/cluster/node-setup.ts";
import { HintQueue } from "../../src/kubelet/hint-queue.ts";
import { CriLogFormatter, type StreamName } from "./cri-log.ts";
import {
  inState,
  logged,
  runtimeSuite,
  sandboxConfig,
  containerConfig,
  logOf,
} from "../../src/kubelet/runtime.suite.ts";
import {
  type ContainerConfig,
  type ContainerStatus,
  type ExecSession,
  type ImageService,
  type ImageStatus,
  type Runtime,
  RuntimeError,
  type SandboxConfig,
  type SandboxStatus,
} from "../../src/kubelet/runtime.ts";
import type { Env } from "../../src/util/env.ts";
import type { Kind, ObjectOf } from "../../src/meta/kind.ts";
import { errorCode } from "../../src/util/error-code.ts";
import { uuid } from "../../src/util/random.ts";
import { env, startWholeCluster } from "./whole-cluster.suite.ts";

/*
 * All of a new container runtime, as docs/checklists/add-a-container-runtime.md has it: one class, and one field of a
 * node. A container is a process of this machine, without any isolation: it sees the machine's files and network.
 */
class ProcessRuntime implements Runtime {
  readonly version = "process://0.1.0";
  readonly appliesSeccomp = false;
  readonly obeysGroupsPolicy = false;
  readonly hasUserNamespaces = false;
  readonly servesHostPorts = true;
  readonly images: ImageService;
  readonly #env: Env;
  readonly #sandboxes = new Map<string, Sandbox>();
  readonly #hints = new HintQueue();

  /** The images are names for the machine's own programs. */
  constructor(env: Env, images: readonly string[]) {
    this.#env = env;
    this.images = new FixedImages(images);
  }

  async runSandbox(config: SandboxConfig): Promise<SandboxStatus> {
    const { pod, attempt } = config;
    const id = uuid(this.#env.random);
    const createdAt = this.#env.clock.now();
    const status = { id, pod, attempt, state: "ready", createdAt, ips: [this.#freeAddress()] } as const;
    this.#sandboxes.set(id, { config, status, containers: new Map() });
    this.#hints.push(pod.uid);
    return { ...status, containers: [] };
  }

  async stopSandbox(id: string): Promise<void> {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    await Promise.all([...sandbox.containers.keys()].map((one) => this.stopContainer(one, 0)));
    sandbox.status = { ...sandbox.status, state: "notReady", ips: [] };
    this.#hints.push(sandbox.config.pod.uid);
  }

  async removeSandbox(id: string): Promise<void> {
    await this.stopSandbox(id);
    this.#sandboxes.delete(id);
  }

  async createContainer(sandboxId: string, config: ContainerConfig): Promise<string> {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) throw new RuntimeError("NotFound", `sandbox ${sandboxId} not found`);
    const { name, attempt, image } = config;
    const found = await this.images.inspect(image);
    if (found === undefined) throw new RuntimeError("ImageNotFound", `image ${image} not found`);
    const id = uuid(this.#env.random);
    const logPath = `${sandbox.config.logDirectory}/${name}/${attempt}.log`;
    const createdAt = this.#env.clock.now();
    const status = {
      id,
      name,
      attempt,
      image,
      imageId: found.id,
      state: "created",
      createdAt,
      logPath,
    } as const;
    sandbox.containers.set(id, { sandbox, config, status, ended: Promise.withResolvers() });
    return id;
  }

  async startContainer(id: string): Promise<void> {
    const container = this.#find(id);
    const { config, sandbox } = container;
    const [program = "", ...args] = [...config.command, ...config.args];
    const own = Object.fromEntries(config.env.map(({ name, value }) => [name, value]));
    // A group of its own: what the container starts ends with it.
    const child = spawn(program, args, {
      cwd: config.workingDir || "/",
      env: { PATH: process.env["PATH"], HOSTNAME: sandbox.config.hostname, ...own },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#log(child, container.status.logPath);
    try {
      await once(child, "spawn");
    } catch (cause) {
      const message = `cannot start ${program}: ${String(cause)}`;
      this.#end(container, { exitCode: 128, message });
      throw new RuntimeError("RunContainerError", message, cause);
    }
    container.child = child;
    container.status = { ...container.status, state: "running", startedAt: this.#env.clock.now() };
    this.#hints.push(sandbox.config.pod.uid);
    // As in a PID namespace: nothing outlives the first process.
    child.once("exit", () => signalGroup(container, "SIGKILL"));
    child.once("close", (code, signal) =>
      this.#end(container, { exitCode: code ?? 128 + constants.signals[signal ?? "SIGKILL"] }),
    );
  }

  async stopContainer(id: string, graceMs: number): Promise<void> {
    const container = this.#lookUp(id);
    if (container?.status.state !== "running") return;
    if (graceMs > 0) signalGroup(container, container.config.stopSignal || "SIGTERM");
    const timer = this.#env.clock.after(graceMs, () => signalGroup(container, "SIGKILL"));
    await container.ended.promise;
    timer.cancel();
  }

  async removeContainer(id: string): Promise<void> {
    await this.stopContainer(id, 0);
    this.#lookUp(id)?.sandbox.containers.delete(id);
  }

  /** There is no cgroup whose limits could change. */
  async updateContainer(id: string): Promise<void> {
    this.#find(id);
  }

  async list(): Promise<readonly SandboxStatus[]> {
    return [...this.#sandboxes.values()].map(({ status, containers }) => ({
      ...status,
      containers: [...containers.values()].map((container) => container.status),
    }));
  }

  watch(signal: AbortSignal): AsyncIterable<string> {
    return this.#hints.watch(signal);
  }

  exec(): Promise<ExecSession> {
    return Promise.reject(new RuntimeError("Unavailable", "this runtime has no sessions"));
  }

  attach(): Promise<ExecSession> {
    return this.exec();
  }

  dial(): Promise<Duplex> {
    return Promise.reject(new RuntimeError("Unavailable", "sandboxes have no network of their own"));
  }

  async close(): Promise<void> {
    this.#hints.close();
  }

  /** Linux answers at all of 127.0.0.0/8. */
  #freeAddress(): string {
    const taken = new Set([...this.#sandboxes.values()].flatMap(({ status }) => status.ips));
    let last = 1;
    while (taken.has(`127.1.0.${last}`)) last++;
    if (last > 254) throw new RuntimeError("CreatePodSandboxError", "no address is free in 127.1.0.0/24");
    return `127.1.0.${last}`;
  }

  #log({ stdout, stderr }: ChildProcess, path: string): void {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, "a", 0o600);
    let open = 0;
    const follow = (name: StreamName, stream: Readable | null) => {
      if (stream === null) return;
      const formatter = new CriLogFormatter(name, () => this.#env.clock.now());
      open += 1;
      stream.on("data", (chunk: Buffer) => void writeSync(file, formatter.push(chunk)));
      stream.once("close", () => {
        writeSync(file, formatter.end());
        if (--open === 0) closeSync(file);
      });
    };
    follow("stdout", stdout);
    follow("stderr", stderr);
  }

  #lookUp(id: string): Container | undefined {
    for (const { containers } of this.#sandboxes.values()) {
      const found = containers.get(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #find(id: string): Container {
    const found = this.#lookUp(id);
    if (found === undefined) throw new RuntimeError("NotFound", `container ${id} not found`);
    return found;
  }

  #end(container: Container, how: Pick<ContainerStatus, "exitCode" | "message">): void {
    const reason = how.exitCode === 0 ? "Completed" : "Error";
    const finishedAt = this.#env.clock.now();
    container.status = { ...container.status, state: "exited", finishedAt, reason, ...how };
    container.ended.resolve();
    this.#hints.push(container.sandbox.config.pod.uid);
  }
}

interface Sandbox {
  readonly config: SandboxConfig;
  status: Omit<SandboxStatus, "containers">;
  readonly containers: Map<string, Container>;
}

interface Container {
  readonly sandbox: Sandbox;
  readonly config: ContainerConfig;
  status: ContainerStatus;
  child?: ChildProcess;
  readonly ended: PromiseWithResolvers<void>;
}

function signalGroup({ child }: Container, signal: string): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

class FixedImages implements ImageService {
  readonly #images: readonly ImageStatus[];

  constructor(references: readonly string[]) {
    this.#images = references.map((reference) => ({
      id: `sha256:${createHash("sha256").update(reference).digest("hex")}`,
      tags: [reference],
      digests: [],
      sizeBytes: 0,
    }));
  }

  async pull(reference: string): Promise<ImageStatus> {
    const found = await this.inspect(reference);
    if (found === undefined) throw new RuntimeError("ErrImagePull", `there is no image ${reference}`);
    return found;
  }

  async inspect(reference: string): Promise<ImageStatus | undefined> {
    return this.#images.find(({ tags }) => tags.includes(reference));
  }

  async list(): Promise<readonly ImageStatus[]> {
    return this.#images;
  }

  async remove(): Promise<void> {}
}

const image = "this-machine:v1";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knarr-processes-"));
});
afterAll(() => rm(folder, { recursive: true }));

const features = { images: true, commands: false, sessions: false, dial: false, adoption: false };
runtimeSuite("process", features, async () => {
  const runtime = new ProcessRuntime(env, [image]);
  return {
    runtime,
    image,
    logDirectory: folder,
    restart: () => Promise.resolve(runtime),
    dispose: () => runtime.close(),
  };
});

test.each([
  ["exit 0", 0, "Completed"],
  ["exit 42", 42, "Error"],
  ["kill -SEGV $$", 139, "Error"],
])("a process that ends by %s has the exit code %i, %s", async (script, exitCode, reason) => {
  const runtime = new ProcessRuntime(env, [image]);
  const { id } = await runtime.runSandbox(sandboxConfig("codes", folder));
  const container = await runtime.createContainer(id, containerConfig(image, ["sh", "-c", script]));
  await runtime.startContainer(container);
  expect(await inState(runtime, container, "exited")).toMatchObject({ exitCode, reason });
  await runtime.removeSandbox(id);
});

test("a program that does not exist is RunContainerError, and shows in the status", async () => {
  const runtime = new ProcessRuntime(env, [image]);
  const { id } = await runtime.runSandbox(sandboxConfig("missing", folder));
  const container = await runtime.createContainer(id, containerConfig(image, ["no-such-program"]));
  await expect(runtime.startContainer(container)).rejects.toMatchObject({ reason: "RunContainerError" });
  expect(await inState(runtime, container, "exited")).toMatchObject({ exitCode: 128 });
  expect(await logOf(runtime, container)).toEqual([""]);
});

describe("a node with a new runtime", () => {
  let cluster: Cluster;
  let client: Client;
  const runtime = new ProcessRuntime(env, [image]);
  beforeEach(async () => {
    const node = { ...simulatedNode(env, "node-1", 0, { logDirectory: folder }), runtime };
    ({ cluster, client } = await startWholeCluster({ nodes: [node] }));
  });
  afterEach(() => cluster.stop());

  const podsOf = () => client.of(pods, "default");
  const create = (name: string, script: string, more: object = {}) =>
    podsOf().create({
      metadata: { name },
      spec: {
        restartPolicy: "Never",
        automountServiceAccountToken: false,
        containers: [{ name: "main", image, command: ["sh", "-c", script], ...more }],
      },
    });

  /** The object as soon as it satisfies `done`, at the latest as it is deleted. */
  async function until<K extends Kind>(
    kind: K,
    name: string,
    done: (object: ObjectOf<K>) => boolean,
  ): Promise<ObjectOf<K>> {
    const all = client.of(kind, kind.namespaced ? "default" : undefined);
    const fieldSelector = `metadata.name=${name}`;
    const { signal } = new AbortController();
    for await (const batch of all.watch({ fieldSelector, resourceVersion: "0", signal })) {
      for (const event of batch) {
        const isChange = event.type === "ADDED" || event.type === "MODIFIED" || event.type === "DELETED";
        if (isChange && done(event.object)) return event.object;
      }
    }
    throw new Error(`the watch of ${name} has ended`);
  }

  async function logText(name: string): Promise<string> {
    const transport = cluster.transport({ name: "admin", groups: ["system:masters"] });
    const path = `/api/v1/namespaces/default/pods/${name}/log`;
    return text(await transport.stream({ method: "GET", path }));
  }

  test("runs a Pod to its end, with its exit code and its log", async () => {
    await create("task", "echo hello from $NAME; echo oops >&2; exit 3", {
      env: [{ name: "NAME", value: "a process" }],
    });
    const { status } = await until(pods, "task", (pod) => pod.status.phase === "Failed");
    expect(status.containerStatuses?.[0]?.state).toMatchObject({
      terminated: { exitCode: 3, reason: "Error" },
    });
    expect((await logText("task")).split("\n").toSorted()).toEqual(["", "hello from a process", "oops"]);
    expect(status.podIP).toMatch(/^127\.1\.0\./);
  });

  test("lets a Pod that is deleted end by itself", async () => {
    await create("server", "trap 'echo bye; exit 0' TERM; echo up; sleep 1000000 & wait");
    const { spec } = await until(pods, "server", ({ status }) => status.phase === "Running");
    expect(spec.nodeName).toBe("node-1");
    const [sandbox] = await runtime.list().then((all) => all.filter(({ pod }) => pod.name === "server"));
    await logged(sandbox?.containers[0]?.logPath ?? "", "up");
    const ended = until(pods, "server", ({ status }) => status.phase === "Succeeded");
    await podsOf().delete("server");
    expect((await ended).status.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0 });
  });

  test("shows why a container does not start", async () => {
    await create("missing", "true", { image: "elsewhere:v1" });
    const isWaiting = ({ status }: Pod) =>
      status.containerStatuses?.[0]?.state?.waiting?.reason === "ErrImagePull";
    const { status } = await until(pods, "missing", isWaiting);
    expect(status.containerStatuses?.[0]?.state?.waiting?.message).toContain(
      "there is no image elsewhere:v1",
    );
  });

  test("is named in the node's status", async () => {
    const isReported = ({ status }: Node) => status.nodeInfo?.containerRuntimeVersion !== "";
    const { status } = await until(nodes, "node-1", isReported);
    expect(status.nodeInfo?.containerRuntimeVersion).toBe("process://0.1.0");
  });
});
