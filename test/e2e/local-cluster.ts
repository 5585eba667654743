import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findKubectl } from "../find-kubectl.ts";
import { collect } from "../streaming/kubectl.ts";

const knarr = join(import.meta.dirname, "../../bin/knarr.js");

interface Ready {
  readonly server: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly readyMs: number;
}

/** `knarr up` as a process of its own, with its own directory. */
export class LocalCluster {
  readonly directory = mkdtempSync(join(tmpdir(), "knarr-e2e-"));
  readonly #kubectl: string;
  #process: ChildProcess | undefined;
  #ready: Ready | undefined;

  constructor(kubectlVersion?: string) {
    this.#kubectl = findKubectl(kubectlVersion) ?? "kubectl";
  }

  get ready(): Ready {
    if (this.#ready === undefined) throw new TypeError("the cluster has not been started");
    return this.#ready;
  }

  /** Starts the cluster and resolves with the line that `--output json` promises. */
  async start(...flags: readonly string[]): Promise<Ready> {
    const line = ["up", "--data-dir", this.directory, "--port", "0", "--output", "json", ...flags];
    const process = spawn(globalThis.process.execPath, [knarr, ...line], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#process = process;
    let text = "";
    await new Promise<void>((resolve, reject) => {
      process.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes("\n")) resolve();
      });
      process.once("exit", (code) => reject(new Error(`knarr up ended with code ${code}`)));
    });
    this.#ready = JSON.parse(text) as Ready;
    return this.#ready;
  }

  /** Sends a signal and waits for the end. Returns the exit code, or null for a killed process. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    const process = this.#process;
    if (process === undefined) return null;
    this.#process = undefined;
    if (process.exitCode !== null) return process.exitCode;
    const ended = new Promise<number | null>((resolve) => process.once("exit", (code) => resolve(code)));
    process.kill(signal);
    return ended;
  }

  /** Stops the cluster and removes the directory; `--cleanup` has removed everything else. */
  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Returns kubectl's standard output. @throws Error with kubectl's standard error when it fails */
  async kubectl(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, code } = await collect(this.startKubectl(...args), "");
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} failed: ${stderr}`);
    return stdout;
  }

  /** Repeats a command until it succeeds with an output, for at most 30 seconds. Returns the output, trimmed. */
  async untilKubectl(...args: readonly string[]): Promise<string> {
    for (const end = Date.now() + 30_000; ;) {
      const text = (await this.kubectl(...args).catch(() => "")).trim();
      if (text !== "") return text;
      if (Date.now() > end) throw new Error(`kubectl ${args.join(" ")} has no output`);
    }
  }

  startKubectl(...args: readonly string[]): ChildProcess {
    const { PATH } = globalThis.process.env;
    return spawn(this.#kubectl, args, {
      env: { PATH, HOME: this.directory, KUBECONFIG: this.ready.kubeconfig },
    });
  }
}
