import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { nameSuffix } from "../../util/random.ts";
import type { ImageStore } from "../images/image-store.ts";
import { NativeRuntime } from "../native/native-runtime.ts";
import type { ContainerConfig, SandboxConfig } from "../runtime.ts";
import type { CommandRunner, RunResult, RunStep } from "./run-command.ts";

export interface NativeRunnerOptions {
  readonly env: Env;
  readonly images: ImageStore;
  /** The runner's own, for one process at a time. */
  readonly directory: string;
  /** The name of the cgroup for the containers. */
  readonly cgroup: string;
}

/** The time between two looks at a command's output and state. */
const pollMs = 50;
/** The processes of a command. */
const pidsLimit = 8192;
/** The most of a command's output that is read at once. */
const chunkBytes = 64 * 1024;

/**
 * Runs commands in containers of the native runtime: without a network, and with the rights that containers of
 * Pods have by default.
 */
export class NativeRunner implements CommandRunner {
  readonly #options: NativeRunnerOptions;
  readonly #runtime: NativeRuntime;

  private constructor(options: NativeRunnerOptions, runtime: NativeRuntime) {
    this.#options = options;
    this.#runtime = runtime;
  }

  /** Removes what an earlier build that was killed has left. Requires root. */
  static async open(options: NativeRunnerOptions): Promise<NativeRunner> {
    const { env, images, directory, cgroup } = options;
    const runtime = await NativeRuntime.open({
      env,
      images,
      stateDirectory: join(directory, "state"),
      seccompDirectory: join(directory, "seccomp"),
      // Addresses of documentation (RFC 5737), on the loopback of each container.
      podCIDR: "192.0.2.0/24",
      bridge: undefined,
      cgroup,
    });
    const remains = await runtime.list();
    await Promise.all(remains.map(({ id }) => runtime.removeSandbox(id)));
    return new NativeRunner(options, runtime);
  }

  async run(step: RunStep): Promise<RunResult> {
    const { env, directory } = this.#options;
    const runtime = this.#runtime;
    const name = `build-${nameSuffix(env.random, 8)}`;
    const logs = join(directory, "logs");
    const sandbox = await runtime.runSandbox(sandboxOf(name, logs));
    const remove = async () => {
      await runtime.removeSandbox(sandbox.id);
      rmSync(logs, { recursive: true, force: true });
    };
    try {
      const id = await runtime.createContainer(sandbox.id, containerOf(step));
      await runtime.startContainer(id);
      const exitCode = await this.#follow(sandbox.id, step);
      return { exitCode, upper: join(runtime.writableLayer(id), "layer", "upper"), remove };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  /** Leaves nothing on the machine. */
  async close(): Promise<void> {
    await this.#runtime.destroyAll();
    rmSync(join(this.#options.directory, "logs"), { recursive: true, force: true });
  }

  /** Passes the output on until the command has ended. */
  async #follow(sandboxId: string, { output, signal }: RunStep): Promise<number> {
    const { clock } = this.#options.env;
    const find = async () => (await this.#runtime.list()).find(({ id }) => id === sandboxId)?.containers[0];
    const container = await find();
    if (container === undefined) throw new Error("the command's container was removed");
    const log = await open(container.logPath, "r");
    const lines = new LogLines(output);
    try {
      for (;;) {
        signal.throwIfAborted();
        const now = await find();
        for (;;) {
          const { buffer, bytesRead } = await log.read(Buffer.alloc(chunkBytes));
          if (bytesRead === 0) break;
          lines.push(buffer.toString("utf8", 0, bytesRead));
        }
        if (now === undefined) throw new Error("the command's container was removed");
        if (now.state === "exited") return now.exitCode ?? 255;
        await sleep(clock, pollMs, signal);
      }
    } finally {
      await log.close();
    }
  }
}

/** Reads the CRI log format, `<time> <stream> <F|P> <text>`. */
class LogLines {
  readonly #output: (line: string) => void;
  #rest = "";

  constructor(output: (line: string) => void) {
    this.#output = output;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#output(line.replace(/^\S+ \S+ [FP] ?/, ""));
  }
}

function sandboxOf(name: string, logs: string): SandboxConfig {
  return {
    pod: { uid: name, namespace: "knarr-build", name },
    attempt: 0,
    hostname: "buildkitsandbox", // As upstream's builder names it.
    hostNetwork: false,
    hostPID: false,
    hostIPC: false,
    sharesProcesses: false,
    dns: { servers: [], searches: [], options: [] },
    hostAliases: [],
    sysctls: {},
    resources: { pidsLimit },
    logDirectory: join(logs, name),
  };
}

function containerOf({ image, command, variables }: RunStep): ContainerConfig {
  return {
    name: "run",
    attempt: 0,
    image,
    command,
    args: [],
    workingDir: "",
    env: [...variables].map(([name, value]) => ({ name, value })),
    mounts: [],
    resources: { pidsLimit },
    tty: false,
    stdin: false,
    stdinOnce: false,
    stopSignal: "",
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    role: "main",
    pod: { namespace: "knarr-build", labels: {}, annotations: {} },
    security: {
      privileged: false,
      readOnlyRootFilesystem: false,
      allowPrivilegeEscalation: true,
      supplementalGroups: [],
      supplementalGroupsPolicy: "Merge",
      runAsNonRoot: false,
      addCapabilities: [],
      dropCapabilities: [],
      seccomp: { type: "RuntimeDefault" },
    },
  };
}
