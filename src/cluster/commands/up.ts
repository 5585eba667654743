import { resolve } from "node:path";
import { version } from "../../apiserver/version.ts";
import { describeFlags, type Flags, parseFlags, UsageError } from "../../cli/flags.ts";
import { systemClock } from "../../util/clock.ts";
import { systemRandom } from "../../util/random.ts";
import { type LocalCluster, startLocalCluster } from "../local-cluster.ts";
import { releaseMemoryAtRest } from "../release-memory.ts";
import { type RuntimeName, runtimeNames } from "../runtimes.ts";
import { textLogger } from "../text-logger.ts";

const specs = {
  "data-dir": {
    type: "string",
    value: "DIR",
    default: "./.knarr",
    help: "Where the cluster keeps everything.",
  },
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
    help: "Where to write the kubeconfig, for its owner's eyes only (default DIR/kubeconfig).",
  },
  nodes: {
    type: "int",
    value: "N",
    default: 1,
    help: "How many nodes; more than one only with simulated ones.",
  },
  runtime: {
    type: "string",
    value: "NAME",
    default: "auto",
    help: "What runs containers: auto, native, cri or simulated.",
  },
  store: {
    type: "string",
    value: "NAME",
    default: "sqlite",
    help: "Where objects are kept: sqlite, or memory to forget them at the end.",
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
  knarr up --store memory --port 0 --output json --cleanup   # for a script: gone when it ends

Flags:
${describeFlags(specs)}
`;

/** Runs until SIGINT or SIGTERM. Answers with the exit code. */
export async function up(line: readonly string[]): Promise<number> {
  const { flags, args } = parseFlags(specs, line);
  if (flags.help) {
    process.stdout.write(upHelp);
    return 0;
  }
  checkFlags(flags, args);
  const startedAt = systemClock.monotonic();
  const directory = resolve(flags["data-dir"]);
  const say = flags.output === "text" ? (text: string) => void process.stdout.write(`${text}\n`) : () => {};
  say(`Starting Kubernetes ${version.gitVersion} in ${directory}`);
  const stopped = stopSignal();
  const abort = new AbortController();
  void stopped.then(() => abort.abort(new Error("Stopped before the cluster was ready; nothing is left")));
  const local = await startLocalCluster({
    env: { clock: systemClock, random: systemRandom, log: textLogger(systemClock, levelOf(flags)) },
    directory,
    host: flags["bind-address"],
    port: flags.port,
    kubeconfig: flags.kubeconfig,
    nodes: flags.nodes,
    runtime: flags.runtime as RuntimeName,
    store: flags.store as "sqlite" | "memory",
    signal: abort.signal,
  });
  const readyMs = Math.round(systemClock.monotonic() - startedAt);
  if (flags.output === "json") {
    const { server, kubeconfig } = local;
    process.stdout.write(
      `${JSON.stringify({ server, kubeconfig, dataDir: directory, pid: process.pid, readyMs })}\n`,
    );
  }
  say(welcome(local, readyMs));
  const stop = new AbortController();
  void releaseMemoryAtRest(systemClock, stop.signal);
  await stopped;
  stop.abort();
  say("Stopping …");
  await local.stop({ cleanup: flags.cleanup });
  say(
    flags.cleanup ? "Stopped; nothing is left." : "Stopped. Containers go on; start again to take them up.",
  );
  return 0;
}

function checkFlags({ output, store, runtime, nodes }: UpFlags, args: readonly string[]): void {
  if (args.length > 0) throw new UsageError(`unknown argument: ${args[0]}`);
  const oneOf = (flag: string, value: string, allowed: readonly string[]) => {
    if (!allowed.includes(value))
      throw new UsageError(`--${flag} must be one of ${allowed.join(", ")}, not ${JSON.stringify(value)}`);
  };
  oneOf("output", output, ["text", "json"]);
  oneOf("store", store, ["sqlite", "memory"]);
  oneOf("runtime", runtime, runtimeNames);
  if (nodes < 0 || nodes > 5000) throw new UsageError("--nodes must be between 0 and 5000");
}

function levelOf({ "log-level": level }: UpFlags): "debug" | "info" | "warn" | "error" {
  if (level === "debug" || level === "info" || level === "warn" || level === "error") return level;
  throw new UsageError("--log-level must be one of debug, info, warn, error");
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

function welcome({ cluster, server, kubeconfig, runtime, nodes }: LocalCluster, readyMs: number): string {
  const { services } = cluster;
  const how = services === undefined ? "" : `\n  Services    ${services.backend.name} (${services.why})`;
  const count = nodes.length === 1 ? "1 node" : `${nodes.length} nodes`;
  return `
Ready in ${readyMs} ms.

  Server      ${server}
  Version     ${version.gitVersion}
  Nodes       ${count}, runtime ${runtime.name} (${runtime.why})${how}
  Kubeconfig  ${kubeconfig}

Try:
  export KUBECONFIG=${kubeconfig}
  kubectl get nodes
  kubectl apply -f examples/guestbook

Ctrl-C stops the cluster.
`;
}
