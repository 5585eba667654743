import { join } from "node:path";
import { machineLabels } from "../kubelet/node/machine-labels.ts";
import { linkPrefix } from "../kubelet/native/network/link-name.ts";
import type { SimulationConfiguration } from "../kubelet/simulated/configuration/schema.ts";
import { CsiVolumes } from "../kubelet/volumes/csi/csi-volumes.ts";
import { VolumeManager } from "../kubelet/volumes/manager.ts";
import { thisHost } from "../network/host.ts";
import { NftablesPolicyBackend } from "../network/policy/nftables/backend.ts";
import type { Env } from "../util/env.ts";
import { machineAddress, machineCapacity, machineInfo, type NodeSetup } from "./node-setup.ts";
import { type ChosenRuntime, openNativeRuntime } from "./runtimes.ts";
import { simulatedNodes } from "./simulated-nodes.ts";

export interface LocalNodes {
  readonly setups: readonly NodeSetup[];
  /**
   * Releases the containers, which keep running, or removes them. Resolves to the number of running
   * containers.
   */
  readonly close: (options: { readonly cleanup: boolean }) => Promise<number>;
}

export interface LocalNodesOptions {
  readonly env: Env;
  readonly directory: string;
  readonly count: number;
  readonly runtime: ChosenRuntime;
  /** The behavior of simulated nodes and containers. */
  readonly simulation?: SimulationConfiguration | undefined;
  readonly podCIDR: string;
  /** The name of the nodes' objects in the kernel. */
  readonly kernelName: string;
}

/**
 * Opens the nodes of a cluster on this machine: one with real containers, or any number of simulated ones.
 */
export async function openNodes(options: LocalNodesOptions): Promise<LocalNodes> {
  return options.runtime.name === "simulated" || options.count === 0
    ? withoutContainers(options)
    : nativeNode(options);
}

function withoutContainers({ env, count, directory, simulation }: LocalNodesOptions): LocalNodes {
  const setups = simulatedNodes(env, { count, simulation, logDirectory: join(directory, "logs") });
  return { setups, close: () => Promise.resolve(0) };
}

async function nativeNode({ env, directory, podCIDR, kernelName }: LocalNodesOptions): Promise<LocalNodes> {
  const native = await openNativeRuntime({ env, dataDirectory: directory, podCIDR, kernelName });
  const systemInfo = machineInfo();
  const pods = join(directory, "pods");
  const [plugins, registry] = [join(directory, "plugins"), join(directory, "plugins_registry")];
  const volumes = new VolumeManager(pods, new CsiVolumes({ pods, plugins, registry }));
  const nodeName = "node-1";
  const node: NodeSetup = {
    nodeName,
    runtime: native,
    volumes,
    logDirectory: join(directory, "logs"),
    hostIPs: [machineAddress()],
    capacity: machineCapacity(directory),
    systemInfo,
    labels: machineLabels(nodeName, systemInfo.architecture),
    podCIDR,
    port: 0,
  };
  // The host's mount, bridge, cgroup and rules exist for containers: without containers, they are removed too.
  const close = async ({ cleanup }: { readonly cleanup: boolean }) => {
    const sandboxes = cleanup ? [] : await native.list();
    if (sandboxes.length > 0) await native.close();
    else {
      await native.destroyAll();
      if (cleanup) await volumes.unmountAll();
      const policies = new NftablesPolicyBackend({ host: thisHost, bridge: kernelName, linkPrefix });
      // Without nft there are no rules.
      await policies.close().catch(() => {});
    }
    return sandboxes.flatMap(({ containers }) => containers.filter(({ state }) => state === "running"))
      .length;
  };
  return { setups: [node], close };
}
