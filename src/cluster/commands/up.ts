import { runtimeFlags } from "../common-flags.ts";
import { describeFlags, type Flags, listOf, parseFlags, UsageError } from "../../cli/flags.ts";
import { shellWord } from "../../cli/invocation.ts";
import { parseGoDuration } from "../../meta/protobuf/go-duration.ts";
import { WriterThread } from "../../store/sqlite/writer-thread.ts";
import { systemClock } from "../../util/clock.ts";
import { Metrics } from "../../util/metrics/metrics.ts";
import { measureProcess } from "../../util/metrics/process.ts";
import { systemRandom } from "../../util/random.ts";
import { detachedView, upDetached } from "../detach.ts";
import type { LocalCluster, LocalClusterOptions } from "../local-cluster.ts";
import { kubeletClientFlags, kubeletClientOf } from "../kubelet-client-flags.ts";
import {
  loadBalancerFlags,
  loadBalancerRangeOf,
  nodeNetworkFlags,
  nodeNetworkOf,
} from "../node-network-flags.ts";
import { releaseMemoryAtRest } from "../release-memory.ts";
import {
  type Command,
  insideNamespaces,
  isOrdinaryUser,
  rootlessObstacle,
  thisProgram,
} from "../rootless/launch.ts";
import { runtimeNames } from "../runtimes.ts";
import { clusterFlags, type ClusterPlace, clusterPlace } from "../state-directory.ts";
import { StopRequests } from "../stop-request.ts";
import { levelOf, textLogger } from "../text-logger.ts";
import { writeOutput } from "../write-output.ts";
import { jsonView, textView, type UpView } from "../up-view.ts";

const stores = ["sqlite", "memory"] as const;

const specs = {
  ...clusterFlags,
  port: { type: "int", value: "N", default: 6443, help: "The API server's port; 0 picks one." },
  "bind-address": {
    type: "string",
    value: "ADDRESS",
    default: "127.0.0.1",
    help: "The address that the API server listens on.",
  },
  kubeconfig: {
    type: "string",
    value: "FILE",
    help: "Where to write the kubeconfig (default DIR/kubeconfig).",
  },
  "kubeconfig-mode": {
    type: "string",
    value: "MODE",
    default: "600",
    help: "Who may read the kubeconfig, as chmod has it: the file opens everything.",
  },
  merge: {
    type: "bool",
    default: false,
    help: "Put the context into your own kubeconfig too, as the current one; down --cleanup takes it out.",
  },
  detach: {
    type: "bool",
    short: "d",
    default: false,
    help: "Go on in the background once the cluster is ready; knarr down stops it.",
  },
  nodes: {
    type: "int",
    value: "N",
    default: 1,
    help: "How many nodes; more than one only with simulated ones.",
  },
  ...runtimeFlags,
  simulation: {
    type: "string",
    value: "FILE",
    help: "A SimulationConfiguration: what simulated nodes and containers do. See docs/simulation.md.",
  },
  store: {
    type: "string",
    value: "NAME",
    default: "sqlite",
    help: "Where objects are kept: sqlite, or memory to forget them at the end.",
  },
  controllers: {
    type: "string",
    value: "LIST",
    default: "*",
    help: "Which controllers run: * for all, -NAME for all but one, '' for none.",
  },
  "disable-scheduler": {
    type: "bool",
    default: false,
    help: "Leave Pods to a scheduler of your own.",
  },
  ...nodeNetworkFlags,
  ...loadBalancerFlags,
  ...kubeletClientFlags,
  "event-ttl": {
    type: "string",
    value: "DURATION",
    default: "1h0m0s",
    help: "How long to keep Events; 0s keeps them as long as there is room.",
  },
  output: {
    type: "string",
    short: "o",
    value: "FORMAT",
    default: "text",
    help: "text, or json: one line on standard output once the cluster is ready.",
  },
  cleanup: {
    type: "bool",
    default: false,
    help: "On exit, stop all containers and remove every trace from this machine, the data included.",
  },
  "log-level": {
    type: "string",
    value: "LEVEL",
    default: "warn",
    help: "What to log on standard error: debug, info, warn or error.",
  },
  help: { type: "bool", short: "h", default: false, help: "Show this help." },
} as const;

type UpFlags = Flags<typeof specs>;

const upHelp = `Start a Kubernetes cluster on this machine.

The cluster is an API server, controllers, a scheduler and a node, all in this process. Its objects
and its containers outlast it: start it again with the same --data-dir, and everything is as it was.

Usage:
  knarr up [flags]

Examples:
  knarr up                                   # a cluster with one node that runs real containers
  knarr up --runtime simulated --nodes 100   # a hundred nodes that only pretend
  knarr up --runtime simulated --simulation simulation.yaml   # nodes and containers as the file has them
  knarr up --runtime cri                     # containers in containerd or CRI-O
  knarr up --detach --name dev --merge       # in the background, with a context in your own kubeconfig
  knarr up --store memory --port 0 --output json --cleanup   # for a script: gone when it ends

Flags:
${describeFlags(specs)}
`;

/** Runs until it is stopped. `startedAt` is the process's start in wall time. Resolves to the exit code. */
export async function up(line: readonly string[], startedAt: number): Promise<number> {
  const { flags, args } = parseFlags(specs, line);
  if (flags.help) {
    process.stdout.write(upHelp);
    return 0;
  }
  checkFlags(flags, args);
  const simulated = await simulationOf(flags);
  const place = clusterPlace(flags);
  const wrap = rootlessWrap(flags, place.directory);
  if (wrap !== undefined && !flags.detach) becomeRootless(wrap(thisProgram(["up", ...line])), startedAt);
  const view = detachedView() ?? (flags.output === "json" ? jsonView : textView());
  view.starting(place.directory);
  if (flags.detach) {
    await upDetached(
      line,
      place.directory,
      view,
      { merged: flags.merge, flags: placeFlags(flags) },
      wrap ?? ((command) => command),
    );
    return 0;
  }
  return run(flags, { place, simulated }, view, startedAt);
}

/**
 * Returns the way to start as an ordinary user with containers; undefined for every other start, and where this machine
 * forbids it.
 */
function rootlessWrap(flags: UpFlags, directory: string): ((command: Command) => Command) | undefined {
  const { runtime, nodes, simulation, port, "bind-address": host } = flags;
  const isDefault =
    nodes === 1 && simulation === undefined && flags["container-runtime-endpoint"] === undefined;
  const wants = runtime === "native" || (runtime === "auto" && isDefault);
  if (!wants || !isOrdinaryUser || rootlessObstacle(directory) !== undefined) return undefined;
  return (command) => insideNamespaces({ directory, listen: { host, port } }, command);
}

/** Ends this process as another program, which starts it again. */
function becomeRootless([file, ...args]: Command, startedAt: number): never {
  process.execve?.(file, [file, ...args], { ...process.env, KNARR_STARTED_AT: String(startedAt) });
  throw new Error("Cannot start as an ordinary user: this version of Node cannot become another program");
}

/** The parts of the options that are read from elsewhere. */
interface Given {
  readonly place: ClusterPlace;
  readonly simulated: Pick<LocalClusterOptions, "nodes" | "simulation">;
}

async function run(flags: UpFlags, given: Given, view: UpView, startedAt: number): Promise<number> {
  const { place } = given;
  const requests = new StopRequests(flags.cleanup);
  const abort = new AbortController();
  void requests.first.then(() => abort.abort());
  let local: LocalCluster;
  try {
    // The thread starts while the cluster's code is loaded.
    const thread = flags.store === "sqlite" ? new WriterThread() : undefined;
    const { startLocalCluster } = await import("../local-cluster.ts");
    local = await startLocalCluster({ ...optionsOf(flags, given, view, abort.signal), thread });
  } catch (error) {
    view.failed(error);
    if (!abort.signal.aborted) throw error;
    process.stderr.write("Stopped before the cluster was ready.\n");
    return 130;
  }
  const { server, kubeconfig } = local;
  const readyMs = Math.round(systemClock.now() - startedAt);
  const report = { server, kubeconfig, context: place.context, dataDir: place.directory, readyMs };
  const keys = flags.output === "text" && requests.listen();
  const hints = { keys, detached: false, merged: flags.merge, flags: placeFlags(flags) };
  view.ready({ ...report, pid: process.pid }, hints);
  const stop = new AbortController();
  void releaseMemoryAtRest(systemClock, stop.signal);
  const { cleanup } = await requests.first;
  stop.abort();
  view.stopping();
  view.stopped(cleanup, await local.stop({ cleanup }), hints.flags);
  return 0;
}

/** Returns the flags that select this cluster in other commands. */
function placeFlags({ name, "data-dir": directory }: UpFlags): string {
  const flags = [name === undefined ? "" : ` --name ${name}`];
  if (directory !== undefined) flags.push(` --data-dir ${shellWord(directory)}`);
  return flags.join("");
}

function optionsOf(
  flags: UpFlags,
  { place: { directory, context }, simulated }: Given,
  view: UpView,
  signal: AbortSignal,
): LocalClusterOptions {
  const metrics = new Metrics();
  measureProcess(metrics, systemClock);
  const write = (text: string) => view.beside(() => writeOutput(process.stderr, text));
  return {
    env: {
      clock: systemClock,
      random: systemRandom,
      log: textLogger(systemClock, levelOf(flags["log-level"]), write),
      metrics,
    },
    directory,
    context,
    host: flags["bind-address"],
    port: flags.port,
    kubeconfig: flags.kubeconfig,
    kubeconfigMode: Number.parseInt(flags["kubeconfig-mode"], 8),
    merge: flags.merge,
    ...simulated,
    runtime: oneOf("runtime", flags.runtime, runtimeNames),
    runtimeEndpoint: flags["container-runtime-endpoint"],
    store: oneOf("store", flags.store, stores),
    controllers: listOf(flags.controllers),
    schedules: !flags["disable-scheduler"],
    nodeNetwork: nodeNetworkOf(flags),
    loadBalancerRange: loadBalancerRangeOf(flags, directory),
    kubeletClient: kubeletClientOf(flags),
    eventTtlMs: ttlOf(flags["event-ttl"]),
    signal,
    report: view.step,
  };
}

/** Reads the simulation, which may list the nodes. @throws UsageError when the flag for nodes contradicts it */
async function simulationOf({ simulation: file, nodes }: UpFlags): Promise<Given["simulated"]> {
  if (file === undefined) return { nodes };
  const { readSimulationFile } = await import("../simulation-file.ts");
  const { simulation, listed } = readSimulationFile(file);
  if (listed !== undefined && nodes !== specs.nodes.default)
    throw new UsageError(`--nodes may not be given when the nodes are listed in ${file}`);
  return { simulation, nodes: listed ?? nodes };
}

/** @throws UsageError for a value that is not allowed */
function oneOf<T extends string>(flag: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found !== undefined) return found;
  throw new UsageError(`--${flag} must be one of ${allowed.join(", ")}, not ${JSON.stringify(value)}`);
}

/** Milliseconds; Infinity for 0. @throws UsageError for a text that is no duration */
function ttlOf(text: string): number {
  const nanoseconds = parseGoDuration(text);
  if (nanoseconds === undefined || nanoseconds < 0n) {
    throw new UsageError(`--event-ttl must be a duration such as 1h30m, not ${JSON.stringify(text)}`);
  }
  return nanoseconds === 0n ? Infinity : Number(nanoseconds) / 1e6;
}

function checkFlags(flags: UpFlags, args: readonly string[]): void {
  const { output, store, runtime, nodes, port, "kubeconfig-mode": mode } = flags;
  if (args.length > 0) throw new UsageError(`unknown argument: ${args[0]}`);
  oneOf("output", output, ["text", "json"]);
  oneOf("store", store, stores);
  oneOf("runtime", runtime, runtimeNames);
  if (port < 0 || port > 65_535) throw new UsageError("--port must be between 0 and 65535, inclusive");
  if (!/^0?[0-7]{3}$/.test(mode))
    throw new UsageError(`--kubeconfig-mode must be an octal mode such as 600, not ${JSON.stringify(mode)}`);
  ttlOf(flags["event-ttl"]);
  nodeNetworkOf(flags);
  loadBalancerRangeOf(flags, "");
  kubeletClientOf(flags);
  if (nodes < 0 || nodes > 5000) throw new UsageError("--nodes must be between 0 and 5000");
}
