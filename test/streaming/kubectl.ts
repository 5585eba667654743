import { type ChildProcess, spawn } from "node:child_process";
import { findKubectl } from "../find-kubectl.ts";
import type { StreamingCluster } from "./streaming-cluster.ts";

export interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** One version of kubectl against one cluster. */
export class Kubectl {
  readonly #path: string | undefined;
  readonly #cluster: () => StreamingCluster;

  constructor(version: string, cluster: () => StreamingCluster) {
    this.#path = findKubectl(version);
    this.#cluster = cluster;
  }

  get isThere(): boolean {
    return this.#path !== undefined;
  }

  get path(): string {
    return this.#path ?? "kubectl";
  }

  start(...args: readonly string[]): ChildProcess {
    return this.#spawn(this.path, args);
  }

  /** Runs the command to its end, with `input` on its standard input. */
  run(args: readonly string[], input = ""): Promise<Result> {
    return collect(this.start(...args), input);
  }

  /** Runs the command on a terminal. */
  runOnTerminal(args: readonly string[], input: string): Promise<Result> {
    const command = [this.path, ...args].map((word) => `'${word}'`).join(" ");
    return collect(this.#spawn("script", ["-qec", `stty rows 31 cols 97; ${command}`, "/dev/null"]), input);
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    const { kubeconfig, directory } = this.#cluster();
    return spawn(program, args, {
      env: { PATH: process.env["PATH"], HOME: directory, KUBECONFIG: kubeconfig },
    });
  }
}

export async function collect(child: ChildProcess, input: string): Promise<Result> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin?.on("error", () => {}); // The command may end without reading all input.
  child.stdin?.end(input);
  const code = await new Promise<number>((resolve) => {
    child.once("close", (code) => resolve(code ?? -1));
  });
  return { stdout, stderr, code };
}
