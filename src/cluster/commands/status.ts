import { existsSync } from "node:fs";
import { request } from "node:https";
import { describeFlags, parseFlags, UsageError } from "../../cli/flags.ts";
import { printTable } from "../../cli/output/table.ts";
import { systemClock } from "../../util/clock.ts";
import { lockDirectory } from "../lock.ts";
import { readRunning, type Running } from "../running.ts";
import { directoryError } from "../start-errors.ts";
import { clusterFlags, type ClusterPlace, clusterPlace } from "../state-directory.ts";

const specs = {
  ...clusterFlags,
  output: { type: "string", short: "o", value: "FORMAT", default: "text", help: "text or json." },
  help: { type: "bool", short: "h", default: false, help: "Show this help." },
} as const;

const help = `Show whether a cluster of this machine runs, and where. Exits with 0 when it is ready, else with 1.

Usage:
  knarr status [flags]

Flags:
${describeFlags(specs)}
`;

type State = "ready" | "not ready" | "starting" | "stopped" | "missing";
const answerMs = 5000;

export async function status(line: readonly string[]): Promise<number> {
  const { flags, args } = parseFlags(specs, line);
  if (flags.help) {
    process.stdout.write(help);
    return 0;
  }
  if (args[0] !== undefined) throw new UsageError(`unknown argument: ${args[0]}`);
  if (flags.output !== "text" && flags.output !== "json")
    throw new UsageError(`--output must be one of text, json, not ${JSON.stringify(flags.output)}`);
  const place = clusterPlace(flags);
  const { state, running } = await look(place.directory).catch((error: unknown) => {
    throw directoryError(error, place.directory);
  });
  const report = flags.output === "json" ? json : text;
  process.stdout.write(report(place, state, running));
  return state === "ready" ? 0 : 1;
}

async function look(directory: string): Promise<{ state: State; running: Running | undefined }> {
  if (!existsSync(directory)) return { state: "missing", running: undefined };
  const running = await readRunning(directory);
  if (running === undefined) {
    // A starting cluster takes the lock before it writes its process ID.
    const unlock = lockDirectory(directory);
    unlock?.();
    return { state: unlock === undefined ? "starting" : "stopped", running };
  }
  if (running.ready === undefined) return { state: "starting", running };
  return { state: (await isReady(running.ready)) ? "ready" : "not ready", running };
}

function isReady({ server, ca }: NonNullable<Running["ready"]>): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request(`${server}/readyz`, { ca, timeout: answerMs, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.on("timeout", () => call.destroy());
    call.on("error", () => resolve(false));
    call.end();
  });
}

function json({ directory, context }: ClusterPlace, state: State, running: Running | undefined): string {
  const { ca: _, ...ready } = running?.ready ?? { ca: "" };
  const pid = running === undefined ? {} : { pid: running.pid };
  return `${JSON.stringify({ state, dataDir: directory, context, ...pid, ...ready })}\n`;
}

function text({ directory, context }: ClusterPlace, state: State, running: Running | undefined): string {
  const rows = [
    ["Cluster", context],
    ["State", state === "missing" ? "there is none" : state],
    ["Directory", directory],
  ];
  if (running !== undefined) rows.push(["Process", String(running.pid)]);
  if (running?.ready !== undefined) {
    const { server, kubeconfig, runtime, nodes, since } = running.ready;
    rows.push(
      ["Running for", duration(systemClock.now() - since)],
      ["Server", server],
      ["Nodes", `${nodes}, ${runtime}`],
      ["Kubeconfig", kubeconfig],
    );
  }
  const [head = [], ...rest] = rows;
  return printTable(head, rest);
}

function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}
