import { rmSync } from "node:fs";
import { join } from "node:path";
import { machineLabels } from "../kubelet/node/machine-labels.ts";
import { linkPrefix } from "../kubelet/native/network/link-name.ts";
import type { SimulationConfiguration } from "../kubelet/simulated/configuration/schema.ts";
import { CsiVolumes } from "../kubelet/volumes/csi/csi-volumes.ts";
import type { SandboxStatus } from "../kubelet/runtime.ts";
import { VolumeManager } from "../kubelet/volumes/manager.ts";
import { thisHost } from "../network/host.ts";
import { NftablesPolicyBackend } from "../network/policy/nftables/backend.ts";
import type { Env } from "../util/env.ts";
import { localEviction } from "./kubelet-eviction.ts";
import { machineAddress, machineCapacity, machineInfo, type NodeSetup } from "./node-setup.ts";
import { chooseRanges } from "./ranges.ts";
import { ensureBridge, releaseBridge } from "./cni-bridge.ts";
import { type ChosenRuntime, type CriPlace, openCriRuntime, openNativeRuntime } from "./runtimes.ts";
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
  const { runtime, count } = options;
  if (runtime.name === "simulated" || count === 0) return withoutContainers(options);
  return runtime.cri === undefined ? nativeNode(options) : criNode(options, runtime.cri);
}

function withoutContainers({ env, count, directory, simulation }: LocalNodesOptions): LocalNodes {
  const setups = simulatedNodes(env, { count, simulation, logDirectory: join(directory, "logs") });
  return { setups, close: () => Promise.resolve(0) };
}

async function nativeNode({ env, directory, podCIDR, kernelName }: LocalNodesOptions): Promise<LocalNodes> {
  const native = await openNativeRuntime({ env, dataDirectory: directory, podCIDR, kernelName });
  const volumes = volumesIn(directory);
  const node = realNode({ directory, runtime: native, volumes, podCIDR });
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
    return runningIn(sandboxes);
  };
  return { setups: [node], close };
}

/** The container runtime and its plugins make everything; the node adds the addresses of Services to their bridge. */
async function criNode(
  { env, directory, podCIDR, kernelName }: LocalNodesOptions,
  place: CriPlace,
): Promise<LocalNodes> {
  const volumes = volumesIn(directory);
  const { network } = place;
  const cri = await openCriRuntime({ env, dataDirectory: directory, kernelName }, place);
  if (network !== undefined) await ensureBridge(thisHost, network);
  const close = async ({ cleanup }: { readonly cleanup: boolean }) => {
    const sandboxes = cleanup ? [] : await cri.list();
    if (sandboxes.length > 0) await cri.close();
    else {
      await cri.destroyAll();
      if (cleanup) await volumes.unmountAll();
      if (network !== undefined) await releaseBridge(thisHost, network, chooseRanges(directory));
      rmSync(join(directory, "cri"), { recursive: true, force: true });
    }
    return runningIn(sandboxes);
  };
  const node = realNode({ directory, runtime: cri, volumes, podCIDR: network?.podCIDR ?? podCIDR });
  return { setups: [node], close };
}

/** Returns the volumes of this machine's node. */
function volumesIn(directory: string): VolumeManager {
  const pods = join(directory, "pods");
  const [plugins, registry] = [join(directory, "plugins"), join(directory, "plugins_registry")];
  return new VolumeManager(pods, new CsiVolumes({ pods, plugins, registry }));
}

/** Returns the node of this machine. */
function realNode({
  directory,
  ...parts
}: Pick<NodeSetup, "runtime" | "volumes" | "podCIDR"> & { readonly directory: string }): NodeSetup {
  const systemInfo = machineInfo();
  const nodeName = "node-1";
  return {
    ...parts,
    nodeName,
    logDirectory: join(directory, "logs"),
    stateDirectory: join(directory, "kubelet"),
    eviction: localEviction,
    hostIPs: [machineAddress()],
    capacity: machineCapacity(directory),
    systemInfo,
    labels: machineLabels(nodeName, systemInfo.architecture),
    port: 0,
  };
}

function runningIn(sandboxes: readonly SandboxStatus[]): number {
  return sandboxes.flatMap(({ containers }) => containers.filter(({ state }) => state === "running")).length;
}
