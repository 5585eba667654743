import { existsSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../apiserver/version.ts";
import { packageRoot } from "../util/package-root.ts";
import { shellWord, thisCommand } from "../cli/invocation.ts";
import { painter, type Paint } from "../cli/output/paint.ts";
import { Progress, type Screen } from "../cli/output/progress.ts";
import { systemClock } from "../util/clock.ts";
import type { StepEvent } from "./steps.ts";
import { writeOutput } from "./write-output.ts";
import { packageVersion } from "./package-version.ts";

/** The report about a ready cluster. */
export interface ReadyReport {
  readonly server: string;
  readonly kubeconfig: string;
  readonly context: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Milliseconds from the process's start. */
  readonly readyMs: number;
}

/** The output of `up` while it runs. */
export interface UpView {
  readonly starting: (directory: string) => void;
  readonly step: (event: StepEvent) => void;
  readonly ready: (report: ReadyReport, options: ReadyOptions) => void;
  readonly stopping: () => void;
  /** `running` containers keep running. */
  readonly stopped: (cleanup: boolean, running: number, flags: string) => void;
  /** The start has failed; the error is reported separately. */
  readonly failed: (error: unknown) => void;
  /** Writes lines that do not belong to the view, such as the log's. */
  readonly beside: (write: () => void) => void;
}

export interface ReadyOptions {
  /** True if keys are read. */
  readonly keys: boolean;
  /** True if the cluster runs on without this process. */
  readonly detached: boolean;
  /** True if kubectl has the context already. */
  readonly merged: boolean;
  /** The flags that select the cluster, for hints. */
  readonly flags: string;
}

const silence = () => {};

/** Writes one line of JSON once the cluster is ready, and nothing else. */
export const jsonView: UpView = {
  starting: silence,
  step: silence,
  ready: (report) => writeOutput(process.stdout, `${JSON.stringify(report)}\n`),
  stopping: silence,
  stopped: silence,
  failed: silence,
  beside: (write) => write(),
};

/** Writes text for a terminal or a log. */
export function textView(stdout: NodeJS.WriteStream = process.stdout): UpView {
  const paint = painter(stdout);
  const canMove = stdout.isTTY && process.env["TERM"] !== "dumb" && process.env["CI"] === undefined;
  const screen: Screen = {
    write: (text) => writeOutput(stdout, text),
    paint,
    columns: () => (canMove ? stdout.columns || 80 : undefined),
  };
  const progress = new Progress(screen, systemClock);
  return {
    starting: (directory) =>
      screen.write(
        `\n ${paint("bold", `Knarr ${packageVersion()}`)} starts Kubernetes ${version.gitVersion} in ${directory}\n\n`,
      ),
    step: (event) => (event.type === "begin" ? progress.begin(event.title) : progress.done(event)),
    ready: (report, options) => screen.write(readyText(report, options, paint)),
    stopping: () => progress.begin("Stopping"),
    stopped: (cleanup, running, flags) => {
      progress.end();
      screen.write(stoppedText(cleanup, running, `${thisCommand()} up${flags}`));
    },
    failed: () => progress.end(),
    beside: (write) => progress.above(write),
  };
}

export function readyText(
  { server, kubeconfig, context, readyMs }: ReadyReport,
  { keys, detached, merged, flags }: ReadyOptions,
  paint: Paint,
): string {
  const copy = (text: string) => ` ${paint("cyan", "→")} ${text}`;
  const knarr = thisCommand();
  const guestbook = exampleFolder();
  const lines = [
    "",
    paint("bold", ` Ready in ${readyMs} ms: Kubernetes ${version.gitVersion} on ${server}`),
    "",
    copy(merged ? `kubectl config use-context ${context}` : `export KUBECONFIG=${shellWord(kubeconfig)}`),
    copy("kubectl get nodes"),
    ...(guestbook === undefined ? [] : [copy(`kubectl apply -f ${shellWord(guestbook)}`)]),
    ...(detached ? [copy(`${knarr} status${flags}`), copy(`${knarr} down${flags}`)] : []),
    "",
  ];
  if (keys) lines.push(paint("dim", " q stop · c stop and clean up"), "");
  else if (!detached) lines.push(" Ctrl-C stops the cluster.", "");
  return `${lines.join("\n")}\n`;
}

/** `again` is the command that starts the cluster. */
export function stoppedText(cleanup: boolean, running: number, again: string): string {
  if (cleanup) return " Stopped; nothing is left.\n";
  if (running === 0) return ` Stopped. Start it again: ${again}\n`;
  const containers = running === 1 ? "1 container keeps running" : `${running} containers keep running`;
  return ` Stopped; ${containers}. Start it again: ${again}\n`;
}

/** Returns the folder of the guestbook's manifests, if the package has it. */
function exampleFolder(): string | undefined {
  const folder = fileURLToPath(new URL("examples/guestbook", packageRoot));
  if (!existsSync(folder)) return undefined;
  const near = relative(process.cwd(), folder);
  return near.length < folder.length ? near : folder;
}
