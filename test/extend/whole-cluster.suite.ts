import { Codec } from "../../src/apiserver/resources/codec.ts";
import { Client } from "../../src/client/client.ts";
import { Cluster } from "../../src/cluster/cluster.ts";
import type { NodeSetup } from "../../src/cluster/node-setup.ts";
import { ensurePki } from "../../src/cluster/pki.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store, StoreOptions } from "../../src/store/store.ts";
import { systemClock } from "../../src/util/clock.ts";
import type { Env } from "../../src/util/env.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { seededRandom } from "../../src/util/random.ts";

/** Real time, because what is outside of the process does not wait for a virtual clock. */
export const env: Env = { clock: systemClock, random: seededRandom(1), log: silentLogger };

const pki = ensurePki({ env, directory: undefined, serverNames: ["localhost"] });

export interface WholeClusterOptions {
  /** Default: a store in memory. */
  readonly openStore?: (options: StoreOptions) => Promise<Store>;
  readonly nodes?: readonly NodeSetup[];
}

/** Starts API server, controllers, scheduler and nodes, on any store and any runtime. */
export async function startWholeCluster({
  openStore = async (options) => new MemoryStore(options),
  nodes = [],
}: WholeClusterOptions): Promise<{ readonly cluster: Cluster; readonly client: Client }> {
  const codec = new Codec();
  const cluster = new Cluster({
    env,
    store: await openStore({ clock: env.clock, stamp: codec.stamp }),
    codec,
    pki: await pki,
    http: undefined,
    serviceCIDR: "10.96.0.0/16",
    clusterDomain: "cluster.local",
    apiServerAddress: "192.0.2.254",
    dnsAddress: undefined,
  });
  await cluster.serve();
  await cluster.start(nodes);
  return { cluster, client: new Client(cluster.transport({ name: "admin", groups: ["system:masters"] })) };
}
