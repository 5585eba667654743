import { Codec } from "../apiserver/resources/codec.ts";
import { Client } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import { Cluster } from "../cluster/cluster.ts";
import { adminKubeconfig, formatKubeconfig } from "../cluster/kubeconfig.ts";
import { simulatedNode } from "../cluster/node-setup.ts";
import { ensurePki, type Pki } from "../cluster/pki.ts";
import type { Program } from "../kubelet/simulated/program.ts";
import type { UserInfo } from "../meta/exchange.ts";
import { MemoryStore, type Snapshot } from "../store/memory/memory-store.ts";
import { type Clock, systemClock } from "../util/clock.ts";
import type { Env } from "../util/env.ts";
import { type Logger, silentLogger } from "../util/logger.ts";
import { seededRandom, systemRandom } from "../util/random.ts";
import { waitFor } from "./wait-for.ts";

export interface TestClusterOptions {
  /** How many simulated nodes. Default 1. */
  readonly nodes?: number;
  /** Default: the system's. A `VirtualClock` lets hours pass in milliseconds. */
  readonly clock?: Clock;
  /** Every name, identifier and choice comes from it: the same seed gives the same run. Default 1. */
  readonly seed?: number;
  /** What simulated images do, by reference; others are servers that do nothing. */
  readonly programs?: ReadonlyMap<string, Program>;
  /** Serve HTTPS on loopback too, on this port; 0 picks one. Default: only this process can reach it. */
  readonly port?: number;
  /** Start from another cluster's state, as `snapshot` gave it. */
  readonly from?: Snapshot;
  readonly log?: Logger;
}

/** A whole cluster inside this process. */
export interface TestCluster {
  /** A typed client with every permission. */
  readonly client: Client;
  /** `https://127.0.0.1:…`; undefined without a port. */
  readonly server: string | undefined;
  /** For real clients: the text of a kubeconfig. Throws without a port. */
  readonly kubeconfig: () => string;
  /** A way in as somebody else. */
  readonly as: (user: UserInfo) => Transport;
  /** The state at this moment; any number of clusters can start from it. */
  readonly snapshot: () => Snapshot;
  /** A node's machine loses power: its agent and its Pods stop, and say nothing any more. */
  readonly failNode: (name: string) => void;
  /** Lets time pass until `done` holds, or resolves to true; see {@link waitFor}. */
  readonly waitFor: (done: () => boolean | Promise<boolean>, limitMs?: number) => Promise<void>;
  stop(): Promise<void>;
}

const admin: UserInfo = { name: "kubernetes-admin", groups: ["system:masters"] };

/** Keys say nothing that a test could care about, and take the longest to make: one set serves all clusters. */
let pki: Promise<Pki> | undefined;

function sharedPki(): Promise<Pki> {
  const env: Env = { clock: systemClock, random: systemRandom, log: silentLogger };
  pki ??= ensurePki({ env, directory: undefined, serverNames: ["localhost", "127.0.0.1"] });
  return pki;
}

/**
 * Starts a cluster: the very API server, controllers and scheduler that `knarr up` runs, on a store in memory
 * and nodes that are simulated.
 *
 *     const cluster = await startCluster();
 *     await cluster.client.of(configMaps, "default").create({ metadata: { name: "greeting" } });
 *     await cluster.stop();
 */
export async function startCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { nodes = 1, clock = systemClock, seed = 1, programs, port, from, log = silentLogger } = options;
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
  });
  await cluster.serve();
  await cluster.start(
    Array.from({ length: nodes }, (_, index) => simulatedNode(env, `node-${index + 1}`, index, { programs })),
  );
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
