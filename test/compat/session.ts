import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kubeconfig } from "../../src/client/kubeconfig.ts";
import { collect } from "../streaming/kubectl.ts";
import { mask } from "./mask.ts";
import { type Answer, silence, type Step } from "./transcript.ts";

/** One version of kubectl, with a home directory of its own for its caches. */
export class Kubectl {
  readonly home = mkdtempSync(join(tmpdir(), "knarr-kubectl-"));

  constructor(program: string) {
    mkdirSync(join(this.home, "bin"));
    symlinkSync(program, join(this.home, "bin/kubectl"));
  }

  get path(): string {
    return `${join(this.home, "bin")}:${process.env["PATH"]}`;
  }

  dispose(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** The time after which a command has hung: it is ended, and its output shows why. */
const patienceMs = 25_000;

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Ends a command and everything that it started; the command has a process group of its own. */
function end(child: ChildProcess): void {
  if (child.pid !== undefined && !isOver(child)) process.kill(-child.pid);
}

/** A command that runs beside the others until it has printed enough. */
class Watching {
  readonly #child: ChildProcess;
  readonly #answer: Promise<Answer>;
  #lines = 0;
  #look = () => {};

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#answer = collect(child, "");
    child.stdout?.on("data", (text: string) => {
      this.#lines += text.split("\n").length - 1;
      this.#look();
    });
    child.once("close", () => this.#look());
  }

  /** Resolves when the command has printed the given number of lines, has ended, or takes too long. */
  lines(count: number): Promise<void> {
    return new Promise((resolve) => {
      const watchdog = setTimeout(resolve, patienceMs);
      this.#look = () => {
        if (this.#lines < count && !isOver(this.#child)) return;
        clearTimeout(watchdog);
        resolve();
      };
      this.#look();
    });
  }

  /** Ends the command. The exit code of a command that was stopped has no meaning, so it is 0. */
  async stop(): Promise<Answer> {
    end(this.#child);
    const answer = await this.#answer;
    return { ...answer, code: Math.max(0, answer.code) };
  }
}

/** A shell in a directory and a namespace of its own, in which one case's commands run. */
export class Session {
  readonly directory = mkdtempSync(join(tmpdir(), "knarr-compat-"));
  readonly #namespace: string;
  readonly #env: Readonly<Record<string, string>>;
  #watching: Watching | undefined;

  constructor(kubectl: Kubectl, config: Kubeconfig, namespace: string) {
    this.#namespace = namespace;
    const contexts = config.contexts.map((one) => ({ ...one, context: { ...one.context, namespace } }));
    const kubeconfig = join(this.directory, "kubeconfig");
    writeFileSync(kubeconfig, JSON.stringify({ ...config, contexts }), { mode: 0o600 });
    this.#env = {
      PATH: kubectl.path,
      HOME: kubectl.home,
      KUBECONFIG: kubeconfig,
      FILES: join(import.meta.dirname, "files"),
      NS: namespace,
      DIR: this.directory,
      // Refused edits stay in this directory for their editor.
      TMPDIR: this.directory,
      // Without garbage collection, a process lives for a third less time.
      GOGC: "off",
      LC_ALL: "C.UTF-8",
      TZ: "UTC",
    };
  }

  /**
   * Runs a shell command, or one of two commands of our own: `watch N COMMAND` starts a command and returns when it has
   * printed N lines; `unwatch N` ends that command after N lines and returns its output.
   */
  async run({ command, input }: Pick<Step, "command" | "input">): Promise<Answer> {
    const [, verb, count, rest = ""] = /^(watch|unwatch) (\d+) ?(.*)$/.exec(command) ?? [];
    switch (verb) {
      case "watch":
        this.#watching = new Watching(this.#spawn(rest));
        await this.#watching.lines(Number(count));
        return silence;
      case "unwatch":
        await this.#watching?.lines(Number(count));
        return this.#masked((await this.#watching?.stop()) ?? silence);
      default:
        return this.#masked(await this.#finish(command, input));
    }
  }

  async dispose(): Promise<void> {
    await this.#watching?.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #finish(command: string, input: string): Promise<Answer> {
    const child = this.#spawn(command);
    const watchdog = setTimeout(() => end(child), patienceMs);
    const answer = await collect(child, input);
    clearTimeout(watchdog);
    return answer;
  }

  #spawn(command: string): ChildProcess {
    return spawn("sh", ["-c", command], { cwd: this.directory, env: this.#env, detached: true });
  }

  #masked({ stdout, stderr, code }: Answer): Answer {
    const own = { DIR: this.directory, NS: this.#namespace };
    return { stdout: mask(stdout, own), stderr: mask(stderr, own), code };
  }
}
