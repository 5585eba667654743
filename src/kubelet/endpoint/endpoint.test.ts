import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { LogOptions } from "../../meta/node-endpoint.ts";
import { silentLogger } from "../../util/logger.ts";
import { systemRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import type { ContainerStatus, SandboxStatus } from "../runtime.ts";
import { containerConfig } from "../runtime.suite.ts";
import { SimulatedRuntime } from "../simulated/simulated-runtime.ts";
import { kubeletEndpoint } from "./endpoint.ts";
import type { NodeView } from "./find-container.ts";

const address = { namespace: "default", name: "p", uid: "u1", container: "c" };
const logOptions: LogOptions = {
  follow: false,
  previous: false,
  timestamps: false,
  stream: "All",
  signal: new AbortController().signal,
};

let directory: string;
let runtime: SimulatedRuntime;
let sandboxes: SandboxStatus[];
let status: object;
/** The end of each simulated container, by attempt. */
let exits: ((code: number) => void)[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knarr-endpoint-"));
  exits = [];
  sandboxes = [];
  status = {};
  const env = { clock: new VirtualClock(), random: systemRandom, log: silentLogger };
  const program = {
    run: () => new Promise<number>((resolve) => exits.push(resolve)),
    exec: async (command: readonly string[]) => ({ exitCode: 4, output: command.join(" ") }),
  };
  runtime = new SimulatedRuntime({ env, podCIDR: "10.0.0.0/24", programs: new Map([["image", program]]) });
});
afterEach(() => rmSync(directory, { recursive: true }));

/** The view of a node agent whose Pod is `p`. */
function node(): NodeView {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", uid: "u1" },
    spec: { containers: [{ name: "c" }] },
    status,
  } as unknown as Pod;
  const refresh = async () => {
    sandboxes = [...(await runtime.list())];
  };
  const context = { runtime, refresh } as unknown as NodeView["context"];
  return {
    pod: (namespace, name) => (namespace === "default" && name === "p" ? pod : undefined),
    sandboxes: (uid) => (uid === "u1" ? sandboxes : []),
    context,
    stats: () => ({ node: undefined, pods: new Map() }),
  };
}

async function startSandbox(): Promise<string> {
  const config = { pod: address, attempt: 0, hostNetwork: false, logDirectory: directory };
  const { id } = await runtime.runSandbox(config as unknown as Parameters<SimulatedRuntime["runSandbox"]>[0]);
  return id;
}

async function startContainer(sandbox: string, attempt: number): Promise<ContainerStatus> {
  const id = await runtime.createContainer(sandbox, containerConfig("image", [], { name: "c", attempt }));
  await runtime.startContainer(id);
  sandboxes = [...(await runtime.list())];
  const found = sandboxes.flatMap(({ containers }) => containers).find((one) => one.id === id);
  if (found === undefined) throw new Error("the container was not started");
  return found;
}

function write({ logPath }: ContainerStatus, content: string): void {
  mkdirSync(join(logPath, ".."), { recursive: true });
  appendFileSync(logPath, `2026-01-01T00:00:00Z stdout F ${content}\n`);
}

const waiting = (reason: string) => ({ containerStatuses: [{ name: "c", state: { waiting: { reason } } }] });
const logs = async (options: Partial<LogOptions> = {}) =>
  text(await kubeletEndpoint(node()).logs(address, { ...logOptions, ...options }));

describe("logs", () => {
  test("of a container that has not started are refused with the reason for which it waits", async () => {
    const refused = (why: string) => `container "c" in pod "p" is waiting to start: ${why}`;
    await expect(logs()).rejects.toMatchObject({ code: 400, message: refused("ContainerCreating") });
    status = waiting("PodInitializing");
    await expect(logs({ follow: true })).rejects.toMatchObject({ message: refused("PodInitializing") });
    status = waiting("ErrImagePull");
    await expect(logs()).rejects.toMatchObject({ message: refused("image can't be pulled") });
    status = waiting("ImagePullBackOff");
    await expect(logs()).rejects.toMatchObject({ message: refused("trying and failing to pull image") });
  });

  test("are those of the newest incarnation, and previous ones those of the incarnation before", async () => {
    const sandbox = await startSandbox();
    write(await startContainer(sandbox, 0), "first run");
    await expect(logs({ previous: true })).rejects.toMatchObject({
      code: 400,
      message: 'previous terminated container "c" in pod "p" not found',
    });
    exits[0]?.(1);
    write(await startContainer(sandbox, 1), "second run");
    expect(await logs()).toBe("second run\n");
    expect(await logs({ previous: true })).toBe("first run\n");
  });

  test("between two runs, the last incarnation is also the previous one", async () => {
    const sandbox = await startSandbox();
    write(await startContainer(sandbox, 0), "crashed");
    exits[0]?.(1);
    await runtime.stopContainer(sandboxes[0]?.containers[0]?.id ?? "", 0);
    sandboxes = [...(await runtime.list())];
    status = waiting("CrashLoopBackOff");
    expect(await logs()).toBe("crashed\n");
    expect(await logs({ previous: true })).toBe("crashed\n");
  });

  test("that are followed end once the container has ended and all is read", async () => {
    const container = await startContainer(await startSandbox(), 0);
    write(container, "one");
    const stream = await kubeletEndpoint(node()).logs(address, { ...logOptions, follow: true });
    expect(String((await once(stream, "data"))[0])).toBe("one\n");
    write(container, "two");
    expect(String((await once(stream, "data"))[0])).toBe("two\n");
    write(container, "three");
    exits[0]?.(0);
    expect(await text(stream)).toBe("three\n");
  });

  test("that are followed are closed when the client disconnects", async () => {
    await startContainer(await startSandbox(), 0);
    const gone = new AbortController();
    const endpoint = kubeletEndpoint(node());
    const stream = await endpoint.logs(address, { ...logOptions, follow: true, signal: gone.signal });
    const ended = text(stream);
    gone.abort();
    expect(await ended).toBe("");
    const dropped = await endpoint.logs(address, { ...logOptions, follow: true });
    dropped.on("data", () => {});
    dropped.destroy();
    await new Promise((resolve) => dropped.once("close", resolve));
  });
});

describe("sessions", () => {
  test("run in the running container", async () => {
    const sandbox = await startSandbox();
    await startContainer(sandbox, 0);
    const options = { command: ["say", "hi"], stdin: false, stdout: true, stderr: false, tty: false };
    const session = await kubeletEndpoint(node()).exec(address, options);
    expect([session.stdout && (await text(session.stdout)), await session.exited]).toEqual(["say hi", 4]);
  });

  test("need a running container, in a Pod with the requested UID", async () => {
    const endpoint = kubeletEndpoint(node());
    const options = { command: ["x"], stdin: false, stdout: true, stderr: false, tty: false };
    await expect(endpoint.exec(address, options)).rejects.toThrow('container not found ("c")');
    await expect(endpoint.attach(address, options)).rejects.toThrow('container not found ("c")');
    await expect(endpoint.dial(address, 80)).rejects.toThrow('pod not running ("p_default")');
    await expect(endpoint.exec({ ...address, uid: "of another" }, options)).rejects.toMatchObject({
      code: 404,
    });
  });
});
