import { startPeer } from "../peer.ts";
import { startKnarr, type Subject } from "../subject.ts";
import { startShards } from "./shards.ts";

/** The flags that name or make a cluster. */
export interface ClusterFlags {
  /** A cluster that runs already, and the process ids of its servers, separated by commas. */
  readonly kubeconfig?: string | undefined;
  readonly pids: string;
  /** The number of schedulers beside Knarr's API server. Default: its own one, in the same process. */
  readonly shards?: string | undefined;
  readonly "kube-apiserver"?: string | undefined;
  readonly "kube-scheduler"?: string | undefined;
  readonly etcd: string;
}

export interface Cluster extends Subject {
  /** The number of bindings so far that were conflicts; undefined for a cluster without shards. */
  readonly conflicts?: () => Promise<number>;
}

/** The cluster that the flags name, or a new one. @throws Error when the flags contradict each other */
export async function startCluster(flags: ClusterFlags): Promise<Cluster> {
  const { kubeconfig, pids, shards, etcd, "kube-apiserver": kubeApiserver } = flags;
  if (shards !== undefined && (kubeconfig ?? kubeApiserver) !== undefined)
    throw new Error("Cannot start --shards: only a cluster that Knarr starts itself has them");
  if (kubeconfig !== undefined) {
    const numbers = pids === "" ? [] : pids.split(",").map(Number);
    return { kubeconfig, pids: numbers, figures: [], stop: () => Promise.resolve() };
  }
  if (kubeApiserver !== undefined)
    return startPeer({ etcd, kubeApiserver, kubeScheduler: flags["kube-scheduler"] });
  if (shards === undefined) return startKnarr("0", "--controllers", "");
  const server = await startKnarr("0", "--controllers", "", "--disable-scheduler");
  const schedulers = await startShards(server.knarr, server.kubeconfig, Number(shards));
  return {
    ...server,
    pids: [...server.pids, ...schedulers.pids],
    conflicts: schedulers.conflicts,
    stop: async () => {
      await schedulers.stop();
      await server.stop();
    },
  };
}
