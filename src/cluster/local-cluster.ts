import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Codec } from "../apiserver/registry/codec.ts";
import type { Store } from "../store/store.ts";
import type { Env } from "../util/env.ts";
import { Cluster } from "./cluster.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { lockDataDirectory } from "./lock.ts";
import { machineAddress, machineCapacity, machineInfo, type NodeSetup, simulatedNode } from "./node-setup.ts";
import { ensurePki } from "./pki.ts";
import { chooseRanges, type Ranges } from "./ranges.ts";
import { type ChosenRuntime, chooseRuntime, openNativeRuntime, type RuntimeName } from "./runtimes.ts";

/** Where a cluster on this machine lives, and what it is made of. */
export interface LocalClusterOptions {
  readonly env: Env;
  /** Everything is kept below; made when missing. */
  readonly directory: string;
  readonly host: string;
  /** 0 picks one. */
  readonly port: number;
  /** Default: `kubeconfig` in the directory. */
  readonly kubeconfig: string | undefined;
  readonly nodes: number;
  readonly runtime: RuntimeName;
  readonly store: "sqlite" | "memory";
}

/** A cluster that runs on this machine. */
export interface LocalCluster {
  readonly cluster: Cluster;
  readonly server: string;
  readonly kubeconfig: string;
  readonly runtime: ChosenRuntime;
  readonly nodes: readonly NodeSetup[];
  /** Containers go on, unless `cleanup` removes every trace of the cluster, its data included. */
  stop(options: { readonly cleanup: boolean }): Promise<void>;
}

const serviceNames = ["", ".default", ".default.svc", ".default.svc.cluster.local"].map(
  (suffix) => `kubernetes${suffix}`,
);

/** Starts a cluster, or takes up the one that the directory holds. @throws Error that says what to do instead */
export async function startLocalCluster(options: LocalClusterOptions): Promise<LocalCluster> {
  const { directory } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const unlock = lockDataDirectory(directory);
  try {
    return await startLocked(options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function startLocked(options: LocalClusterOptions, unlock: () => void): Promise<LocalCluster> {
  const { env, directory, host } = options;
  const runtime = await chooseRuntime(options.runtime);
  if (options.nodes > 1 && runtime.name !== "simulated") {
    throw new Error("Cannot use --nodes above 1: Pods do not cross nodes yet; add --runtime simulated");
  }
  const ranges = chooseRanges(directory);
  const { serviceCIDR, dnsAddress, gateway } = ranges;
  const codec = new Codec();
  const pki = await ensurePki({
    env,
    directory: join(directory, "pki"),
    serverNames: [
      ...new Set([
        host,
        "localhost",
        "127.0.0.1",
        ranges.apiServerIP,
        gateway,
        machineAddress(),
        ...serviceNames,
      ]),
    ],
  });
  const store = await openStore(options, codec);
  const nodes = await makeNodes(options, runtime, ranges);
  const cluster = new Cluster({
    env,
    store,
    codec,
    pki,
    http: { host, port: options.port },
    nodes: nodes.setups,
    serviceCIDR,
    clusterDomain: "cluster.local",
    dnsAddress,
    apiServerAddress: machineAddress(),
    network:
      runtime.name === "native" && nodes.setups.length > 0
        ? { bridge: kernelName(directory), gateway }
        : undefined,
  });
  try {
    await cluster.start();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${cluster.address?.port}`;
  const kubeconfig = resolve(options.kubeconfig ?? join(directory, "kubeconfig"));
  writeKubeconfig(kubeconfig, server, pki.ca.certificate, pki.admin);
  const stop = async ({ cleanup }: { readonly cleanup: boolean }) => {
    await cluster.stop();
    if (cleanup) await nodes.destroy();
    await nodes.close();
    if (cleanup) rmSync(directory, { recursive: true, force: true });
    unlock();
  };
  return { cluster, server, kubeconfig, runtime, nodes: nodes.setups, stop };
}

async function openStore(
  { store, env: { clock }, directory }: LocalClusterOptions,
  codec: Codec,
): Promise<Store> {
  const options = { clock, stamp: codec.stamp };
  if (store === "memory") {
    const { MemoryStore } = await import("../store/memory/memory-store.ts");
    return new MemoryStore(options);
  }
  const { SqliteStore } = await import("../store/sqlite/sqlite-store.ts");
  return SqliteStore.open(join(directory, "store.db"), options);
}

/** Short, and different for each directory: two clusters on one machine must not share names in the kernel. */
function kernelName(directory: string): string {
  return `knarr-${createHash("sha256").update(directory).digest("hex").slice(0, 6)}`;
}

interface Nodes {
  readonly setups: readonly NodeSetup[];
  /** Stops all containers and removes what the nodes have left on the host. */
  readonly destroy: () => Promise<void>;
  /** Lets go of the containers; they go on. */
  readonly close: () => Promise<void>;
}

async function makeNodes(
  { env, nodes: count, directory }: LocalClusterOptions,
  runtime: ChosenRuntime,
  { podCIDR }: Ranges,
): Promise<Nodes> {
  if (runtime.name === "simulated" || count === 0) {
    const logDirectory = join(directory, "logs");
    const setups = Array.from({ length: count }, (_, index) =>
      simulatedNode(env, `node-${index + 1}`, index, { logDirectory }),
    );
    return { setups, destroy: () => Promise.resolve(), close: () => Promise.resolve() };
  }
  const native = await openNativeRuntime({
    env,
    dataDirectory: directory,
    podCIDR,
    kernelName: kernelName(directory),
  });
  const systemInfo = machineInfo();
  const nodeName = "node-1";
  const node: NodeSetup = {
    nodeName,
    runtime: native,
    podDirectory: join(directory, "pods"),
    logDirectory: join(directory, "logs"),
    hostIPs: [machineAddress()],
    capacity: machineCapacity(directory),
    systemInfo,
    labels: {
      "kubernetes.io/hostname": nodeName,
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": systemInfo.architecture,
    },
    podCIDR,
    port: 0,
  };
  return { setups: [node], destroy: () => native.destroyAll(), close: () => native.close() };
}
