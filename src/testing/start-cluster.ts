import { Codec } from "../apiserver/resources/codec.ts";
import { Client } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import { Cluster } from "../cluster/cluster.ts";
import { adminKubeconfig, formatKubeconfig } from "../cluster/kubeconfig.ts";
import { simulatedDirectories } from "../cluster/local-directories.ts";
import { ensurePki, type Pki } from "../cluster/pki.ts";
import { simulatedNodes } from "../cluster/simulated-nodes.ts";
import { allByDefault, type Selection } from "../controllers/selection.ts";
import { simulationOf } from "../kubelet/simulated/configuration/read.ts";
import type { SimulationInput } from "../kubelet/simulated/configuration/schema.ts";
import type { Program } from "../kubelet/simulated/program.ts";
import type { UserInfo } from "../meta/exchange.ts";
import { MemoryStore, type Snapshot } from "../store/memory/memory-store.ts";
import { type Clock, systemClock } from "../util/clock.ts";
import type { Env } from "../util/env.ts";
import { parseNetwork } from "../util/ipv4.ts";
import { type Logger, silentLogger } from "../util/logger.ts";
import { seededRandom, systemRandom } from "../util/random.ts";
import { waitFor } from "./wait-for.ts";

export interface TestClusterOptions {
  /** The number of simulated nodes, unless the simulation lists nodes. Default: 1. */
  readonly nodes?: number;
  /**
   * The behavior of nodes and containers as data: a SimulationConfiguration, as in the file of `--simulation`. A
   * program of the same image decides alone about the end and the usage of its containers.
   */
  readonly simulation?: SimulationInput;
  /** Default: the system's. A `VirtualClock` lets hours pass in milliseconds. */
  readonly clock?: Clock;
  /** The source of every name, identifier and choice: the same seed gives the same run. Default: 1. */
  readonly seed?: number;
  /**
   * The programs of simulated images, by reference. Without one, the simulation decides; without a rule there, a
   * container runs until it is stopped.
   */
  readonly programs?: ReadonlyMap<string, Program>;
  /**
   * The port for HTTPS on loopback; 0 chooses a free one. By default only this process can reach the cluster.
   */
  readonly port?: number;
  /** The controllers that run, as `--controllers` has it: `[]` for none, as in envtest. Default: `["*"]`. */
  readonly controllers?: Selection;
  /** False starts no scheduler. Default: true. */
  readonly schedules?: boolean;
  /**
   * True for a default StorageClass, `local-path`, whose claims get simulated volumes. By default claims only bind to
   * volumes that the test creates.
   */
  readonly storage?: boolean;
  /**
   * The IPv4 range from which Services of the type LoadBalancer get addresses, such as `192.0.2.0/24`. By default they
   * get none, as from a cluster without a cloud.
   */
  readonly loadBalancerCIDR?: string;
  /** The state to start from, as returned by another cluster's `snapshot`. */
  readonly from?: Snapshot;
  readonly log?: Logger;
}

/** A whole cluster inside this process. */
export interface TestCluster {
  /** A typed client with every permission. */
  readonly client: Client;
  /** `https://127.0.0.1:…`; undefined without a port. */
  readonly server: string | undefined;
  /** Returns the text of a kubeconfig for real clients. Throws without a port. */
  readonly kubeconfig: () => string;
  /** Returns a transport that acts as another user. */
  readonly as: (user: UserInfo) => Transport;
  /** Returns the present state; any number of clusters can start from it. */
  readonly snapshot: () => Snapshot;
  /** Simulates a power failure of a node: its agent and its Pods stop without a report. */
  readonly failNode: (name: string) => void;
  /** Lets time pass until `done` returns or resolves to true; see {@link waitFor}. */
  readonly waitFor: (done: () => boolean | Promise<boolean>, limitMs?: number) => Promise<void>;
  stop(): Promise<void>;
}

const admin: UserInfo = { name: "kubernetes-admin", groups: ["system:masters"] };

/** All clusters share one set of keys: making keys takes the longest, and no test depends on them. */
let pki: Promise<Pki> | undefined;

function sharedPki(): Promise<Pki> {
  const env: Env = { clock: systemClock, random: systemRandom, log: silentLogger };
  pki ??= ensurePki({ env, directory: undefined, serverNames: ["localhost", "127.0.0.1"] });
  return pki;
}

/**
 * Starts a cluster, unless the simulation is invalid (ConfigurationError): the very API server, controllers and scheduler that `knarr up` runs, on a store in memory
 * and nodes that are simulated.
 *
 *     const cluster = await startCluster();
 *     await cluster.client.of(configMaps, "default").create({ metadata: { name: "greeting" } });
 *     await cluster.stop();
 */
export async function startCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { nodes, clock = systemClock, seed = 1, programs, port, from, log = silentLogger } = options;
  const simulation = options.simulation === undefined ? undefined : simulationOf(options.simulation);
  const { controllers = allByDefault, schedules = true, loadBalancerCIDR } = options;
  const env: Env = { clock, random: seededRandom(seed), log };
  const codec = new Codec();
  const store = new MemoryStore({
    clock,
    stamp: codec.stamp,
    ...(from === undefined ? {} : { snapshot: from }),
  });
  const keys = await sharedPki();
  const cluster = new Cluster({
    env,
    store,
    codec,
    pki: keys,
    http: port === undefined ? undefined : { host: "127.0.0.1", port },
    serviceCIDR: "10.96.0.0/16",
    clusterDomain: "cluster.local",
    apiServerAddress: "192.0.2.254",
    dnsAddress: undefined,
    controllers,
    schedules,
    loadBalancerRange: loadBalancerCIDR === undefined ? undefined : parseNetwork(loadBalancerCIDR),
    localDirectories: options.storage === true ? simulatedDirectories : undefined,
  });
  await cluster.serve();
  await cluster.start(simulatedNodes(env, { count: nodes, simulation, programs }));
  const server = cluster.address === undefined ? undefined : `https://127.0.0.1:${cluster.address.port}`;
  return {
    client: new Client(cluster.transport(admin)),
    server,
    kubeconfig() {
      if (server === undefined)
        throw new TypeError("Cannot write a kubeconfig: the cluster was started without a port");
      return formatKubeconfig(adminKubeconfig(server, keys.ca.certificate, keys.admin));
    },
    as: (user) => cluster.transport(user),
    snapshot: () => store.snapshot(),
    failNode: (name) => cluster.failNode(name),
    waitFor: (done, limitMs) => waitFor(clock, done, limitMs),
    stop: () => cluster.stop(),
  };
}
