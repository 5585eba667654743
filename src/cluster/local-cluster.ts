import { existsSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { shellWord, thisCommand } from "../cli/invocation.ts";
import { Codec } from "../apiserver/resources/codec.ts";
import { knownControllers } from "../controllers/controllers.ts";
import { allByDefault, readSelection, type Selection } from "../controllers/selection.ts";
import type { SimulationConfiguration } from "../kubelet/simulated/configuration/schema.ts";
import type { WriterThread } from "../store/sqlite/writer-thread.ts";
import type { Store } from "../store/store.ts";
import { thisHost } from "../network/host.ts";
import type { Env } from "../util/env.ts";
import type { Network } from "../util/ipv4.ts";
import { Cluster, type ClusterOptions } from "./cluster.ts";
import {
  isUnused,
  kernelName,
  makeDataDirectory,
  openForPassing,
  removeDataDirectory,
} from "./data-directory.ts";
import { sudoUser } from "./invoking-user.ts";
import { adminKubeconfig } from "./kubeconfig.ts";
import { openNodes } from "./local-nodes.ts";
import { lockDirectory } from "./lock.ts";
import { HostDirectories, simulatedDirectories } from "./local-directories.ts";
import { machineAddress, type NodeSetup } from "./node-setup.ts";
import { ensurePki, type Pki } from "./pki.ts";
import { publishKubeconfig, withdrawKubeconfig } from "./publish.ts";
import { chooseRanges, type Ranges } from "./ranges.ts";
import { isRootless, outsideListener, prepareRootlessHost } from "./rootless/inside.ts";
import { endNamespaces, hasNamespaces, isRootlessCluster } from "./rootless/namespaces.ts";
import { type ChosenRuntime, chooseRuntime, type RuntimeName } from "./runtimes.ts";
import { readRunning, removeRunning, writeRunning } from "./running.ts";
import { directoryError, listenError } from "./start-errors.ts";
import { type StepEvent, type StepOutcome, Steps, unlessAborted } from "./steps.ts";

/** The location and parts of a cluster on this machine. */
export interface LocalClusterOptions {
  readonly env: Env;
  /** Holds all files of the cluster; created when missing. */
  readonly directory: string;
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Default: `kubeconfig` in the directory. */
  readonly kubeconfig: string | undefined;
  /** Default: 0600. */
  readonly kubeconfigMode?: number;
  /** The cluster's name in kubeconfigs. Default: `knarr`. */
  readonly context?: string;
  /** Adds the context to the user's own kubeconfig, too. */
  readonly merge?: boolean;
  readonly nodes: number;
  readonly runtime: RuntimeName;
  /** The socket of the container runtime. Default: the runtime's own. */
  readonly runtimeEndpoint?: string | undefined;
  /** The behavior of simulated nodes and containers. `nodes` is the number of its nodes, if it lists any. */
  readonly simulation?: SimulationConfiguration | undefined;
  readonly store: "sqlite" | "memory";
  /** The SQLite store's thread, if it has been started already. It ends with the cluster. */
  readonly thread?: WriterThread | undefined;
  /** Ends a start in progress and undoes it. */
  readonly signal?: AbortSignal;
  readonly report?: (event: StepEvent) => void;
  /** The controllers that run. Default: all that run by default. */
  readonly controllers?: Selection;
  /** False leaves scheduling to a scheduler elsewhere. */
  readonly schedules?: boolean;
  /** The ranges for nodes that join without one. Default: none. */
  readonly nodeNetwork?: ClusterOptions["nodeNetwork"];
  /** The range of load balancers' addresses; undefined: none. */
  readonly loadBalancerRange?: Network | undefined;
  /** The verification and the addresses of kubelets in other processes. Default: upstream's. */
  readonly kubeletClient?: ClusterOptions["kubeletClient"];
  /** The time after which Events are deleted; Infinity keeps them. Default: an hour. */
  readonly eventTtlMs?: number;
}

/** A running cluster on this machine. */
export interface LocalCluster {
  readonly cluster: Cluster;
  readonly server: string;
  readonly kubeconfig: string;
  readonly runtime: ChosenRuntime;
  readonly nodes: readonly NodeSetup[];
  /**
   * Stops the cluster. Containers keep running, unless `cleanup` removes every trace of the cluster,
   * including its data. Resolves to the number of running containers.
   */
  stop(options: { readonly cleanup: boolean }): Promise<number>;
}

/** The options and result of undoing the steps of a start. */
interface End {
  readonly cleanup: boolean;
  /** The number of containers that keep running. */
  running: number;
}

const serviceNames = ["", ".default", ".default.svc", ".default.svc.cluster.local"].map(
  (suffix) => `kubernetes${suffix}`,
);

/**
 * Starts a cluster, or restarts the one in the directory. A start that fails or is aborted leaves the machine
 * unchanged. @throws Error with a remedy
 */
export async function startLocalCluster(options: LocalClusterOptions): Promise<LocalCluster> {
  const { directory, signal = new AbortController().signal, report = () => {} } = options;
  const steps = new Steps<End>(signal, report);
  const isNew = isUnused(directory);
  try {
    return await start(options, signal, steps);
  } catch (error) {
    const { log } = options.env;
    await steps
      .undo({ cleanup: isNew, running: 0 })
      .catch((cause: unknown) => log.error("Cannot undo a failed start", { error: String(cause) }));
    throw directoryError(error, directory);
  }
}

async function start(
  options: LocalClusterOptions,
  signal: AbortSignal,
  steps: Steps<End>,
): Promise<LocalCluster> {
  const { env, directory, thread } = options;
  await steps.do({ run: () => {}, undo: () => thread?.terminate() });
  const controllers = readSelection(options.controllers ?? allByDefault, knownControllers);
  await openDirectory(directory, steps);
  const runtime = await chooseRuntime({
    clock: env.clock,
    asked: options.runtime,
    endpoint: options.runtimeEndpoint,
    directory,
    servesNetwork: true,
  });
  await prepareRootlessHost(thisHost);
  if (options.nodes > 1 && runtime.name !== "simulated") {
    throw new Error("Cannot use --nodes above 1: Pods do not cross nodes yet; add --runtime simulated");
  }
  if (options.simulation !== undefined && runtime.name !== "simulated") {
    throw new Error("Cannot use --simulation: containers are real here; add --runtime simulated");
  }
  const ranges = chooseRanges(directory);
  const { cluster, pki, server } = await serve({ ...options, controllers }, runtime, ranges, steps);
  const nodes = await steps.do({
    title: options.nodes === 1 ? "Node" : `${options.nodes} nodes`,
    run: () =>
      openNodes({
        env,
        directory,
        count: options.nodes,
        runtime,
        simulation: options.simulation,
        podCIDR: ranges.podCIDR,
        kernelName: kernelName(directory),
      }),
    undo: async (nodes, end) => void (end.running = await nodes.close(end)),
    outcome: () => runtimeOutcome(runtime),
  });
  // Kubelets and the service proxy release their containers before the nodes are closed.
  await steps.do({ run: () => {}, undo: () => cluster.stop() });
  await steps.do({
    title: "Controllers, scheduler, Services, DNS",
    run: () => unlessAborted(signal, cluster.start(nodes.setups)),
    outcome: () => networkOutcome(cluster),
  });
  const kubeconfig = await publish(options, server, pki, steps);
  writeRunning(directory, {
    context: options.context ?? "knarr",
    server,
    kubeconfig,
    ca: pki.ca.certificate,
    runtime: runtime.name,
    nodes: nodes.setups.length,
    since: env.clock.now(),
  });
  const stop = async ({ cleanup }: { readonly cleanup: boolean }) => {
    const end: End = { cleanup, running: 0 };
    await steps.undo(end);
    return end.running;
  };
  return { cluster, server, kubeconfig, runtime, nodes: nodes.setups, stop };
}

/** Starts the keys, the store and the API server, which need no node. */
async function serve(
  options: LocalClusterOptions,
  runtime: ChosenRuntime,
  ranges: Ranges,
  steps: Steps<End>,
): Promise<{ cluster: Cluster; pki: Pki; server: string }> {
  const { env, directory, host, port } = options;
  const file = join(directory, "store.db");
  const pki = await steps.do({
    title: "Keys and certificates",
    run: () =>
      ensurePki({
        env,
        directory: join(directory, "pki"),
        isKnown: existsSync(file),
        serverNames: serverNames(host, ranges),
      }),
  });
  const codec = new Codec();
  const store = await steps.do({
    title: "Store",
    run: () => openStore(options, file, codec),
    undo: (store) => store.close(),
    outcome: () => ({ detail: options.store === "sqlite" ? file : "in memory: forgotten at the end" }),
  });
  const isReal = runtime.name !== "simulated" && options.nodes > 0;
  const cluster = new Cluster({
    env,
    store,
    codec,
    pki,
    http: { host, port, listener: outsideListener },
    serviceCIDR: ranges.serviceCIDR,
    clusterDomain: "cluster.local",
    dnsAddress: ranges.dnsAddress,
    apiServerAddress: machineAddress(),
    controllers: options.controllers ?? allByDefault,
    schedules: options.schedules ?? true,
    nodeNetwork: options.nodeNetwork,
    kubeletClient: options.kubeletClient,
    loadBalancerRange: options.loadBalancerRange,
    eventTtlMs: options.eventTtlMs,
    localDirectories: (nodes) =>
      isReal ? new HostDirectories(join(directory, "local-path"), nodes) : simulatedDirectories(nodes),
    network: isReal ? podNetwork(runtime, directory, ranges) : undefined,
  });
  await steps.do({ run: () => {}, undo: () => cluster.stop() });
  const server = await steps.do({
    title: "API server",
    run: async () => {
      await cluster.serve().catch((error: unknown) => {
        throw listenError(error, host, port);
      });
      return `https://${host.includes(":") ? `[${host}]` : host}:${cluster.address?.port}`;
    },
    outcome: (server) => ({ detail: server }),
  });
  return { cluster, pki, server };
}

/** Returns the network of real containers, if the cluster's addresses can be served on it. */
function podNetwork(
  { name, cri }: ChosenRuntime,
  directory: string,
  { gateway }: Ranges,
): ClusterOptions["network"] {
  if (name === "native") return { bridge: kernelName(directory), gateway };
  if (cri?.network === undefined) return undefined;
  const unenforced = "the container runtime's own plugins make the Pods' network";
  return { bridge: cri.network.bridge, gateway: cri.network.gateway, unenforced };
}

function runtimeOutcome({ name, why, mend }: ChosenRuntime): StepOutcome {
  const detail = name === "simulated" ? "simulated: Pods only pretend to run" : `${name} containers (${why})`;
  return mend === undefined ? { detail } : { detail, fallback: { why, mend } };
}

function networkOutcome({ services, policies }: Cluster): StepOutcome {
  if (services === undefined) return {};
  const { backend, why } = services;
  if (backend.name !== "nftables") {
    const mend = "install nftables (the program nft) for Services and NetworkPolicies in the kernel";
    return {
      detail: `Services by a ${backend.name} proxy, NetworkPolicies not enforced`,
      fallback: { why, mend },
    };
  }
  if (policies === undefined || policies.backend !== undefined)
    return { detail: `Services and NetworkPolicies by ${backend.name}` };
  const mend =
    policies.mend ?? "load the kernel module br_netfilter and start again to enforce NetworkPolicies";
  return {
    detail: `Services by ${backend.name}, NetworkPolicies not enforced`,
    fallback: { why: policies.why, mend },
  };
}

/** Writes the kubeconfig for the user; under sudo, for the user who called sudo. Returns its path. */
async function publish(
  options: LocalClusterOptions,
  server: string,
  pki: Pki,
  steps: Steps<End>,
): Promise<string> {
  const { directory, kubeconfigMode: mode = 0o600, merge = false } = options;
  const config = adminKubeconfig(server, pki.ca.certificate, pki.admin, options.context);
  const path = resolve(options.kubeconfig ?? join(directory, "kubeconfig"));
  const owner = sudoUser();
  await steps.do({
    title: "Kubeconfig",
    run: () => {
      const isForOthers = owner !== undefined || (mode & 0o077) !== 0;
      if (isForOthers && path.startsWith(directory + sep)) openForPassing(directory);
      return publishKubeconfig(directory, config, { path, merge, mode, owner });
    },
    undo: (_, { cleanup }) => {
      if (cleanup) withdrawKubeconfig(directory);
    },
    outcome: (merged) => ({ detail: merged === undefined ? path : `${path}, and in ${merged}` }),
  });
  return path;
}

/** Locks the data directory for this process. @throws Error when another process holds the lock */
async function openDirectory(directory: string, steps: Steps<End>): Promise<void> {
  makeDataDirectory(directory);
  await steps.do({
    run: async () => {
      if (!isRootless && isRootlessCluster(directory) && (await hasNamespaces(directory)))
        throw new Error(
          `Cannot use ${directory}: containers of an ordinary user run there; remove them first: ${thisCommand()} down --cleanup --data-dir ${shellWord(directory)}`,
        );
      const unlock = lockDirectory(directory);
      if (unlock !== undefined) return unlock;
      const holder = await readRunning(directory);
      const who = holder === undefined ? "" : ` (pid ${holder.pid})`;
      throw new Error(
        `Cannot use ${directory}: a cluster already runs there${who}; stop it, or choose another --data-dir or --name: ${thisCommand()} down --data-dir ${shellWord(directory)}`,
      );
    },
    undo: async (unlock, { cleanup }) => {
      if (isRootless) await endNamespaces(directory);
      if (cleanup) removeDataDirectory(directory);
      unlock();
    },
  });
  await steps.do({ run: () => writeRunning(directory), undo: () => removeRunning(directory) });
}

function serverNames(host: string, { apiServerIP, gateway }: Ranges): readonly string[] {
  const own = [host, "localhost", "127.0.0.1", apiServerIP, gateway, machineAddress()];
  return [...new Set([...own, ...serviceNames])];
}

async function openStore(
  { store, thread, env: { clock } }: LocalClusterOptions,
  file: string,
  codec: Codec,
): Promise<Store> {
  const options = { clock, stamp: codec.stamp };
  if (store === "memory") {
    const { MemoryStore } = await import("../store/memory/memory-store.ts");
    return new MemoryStore(options);
  }
  const { SqliteStore } = await import("../store/sqlite/sqlite-store.ts");
  return SqliteStore.open(file, options, thread);
}
