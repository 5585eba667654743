import { join } from "node:path";
import { machineLabels } from "../kubelet/node/machine-labels.ts";
import { VolumeManager } from "../kubelet/volumes/manager.ts";
import type { Env } from "../util/env.ts";
import { kernelName, makeDataDirectory } from "./data-directory.ts";
import type { KubeletConfiguration } from "./kubelet-configuration.ts";
import { lockDirectory } from "./lock.ts";
import { machineAddress, machineCapacity, machineInfo, type NodeSetup, simulatedNode } from "./node-setup.ts";
import { chooseRanges } from "./ranges.ts";
import { type ChosenRuntime, openCriRuntime, openNativeRuntime } from "./runtimes.ts";

export interface KubeletNodeOptions {
  readonly env: Env;
  readonly nodeName: string;
  readonly directory: string;
  readonly runtime: ChosenRuntime;
  readonly configuration: KubeletConfiguration;
  readonly nodeIP: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: NodeSetup["taints"];
}

/** An opened node. */
export interface KubeletNode {
  readonly setup: NodeSetup;
  /** Releases the containers, which keep running. */
  readonly close: () => Promise<void>;
}

/** Opens the node of a kubelet that runs as a program of its own. @throws Error when another one uses the directory */
export async function openKubeletNode(options: KubeletNodeOptions): Promise<KubeletNode> {
  const { env, nodeName, directory, configuration, labels, taints = [], nodeIP = machineAddress() } = options;
  makeDataDirectory(directory);
  const unlock = lockDirectory(directory);
  if (unlock === undefined)
    throw new Error(`Cannot use ${directory}: another kubelet runs there; choose another --root-dir`);
  const { port, maxPods, podPidsLimit } = configuration;
  const pods = String(maxPods);
  const common = { hostIPs: [nodeIP], taints, port, ...(podPidsLimit !== undefined && { podPidsLimit }) };
  if (options.runtime.name === "simulated") {
    const simulated = simulatedNode(env, nodeName, 0, {
      group: { labels, capacity: { pods } },
      logDirectory: join(directory, "logs"),
    });
    return { setup: { ...simulated, ...common }, close: async () => unlock() };
  }
  const { cri } = options.runtime;
  const podCIDR = configuration.podCIDR ?? cri?.network?.podCIDR ?? chooseRanges(directory).podCIDR;
  const place = { env, dataDirectory: directory, kernelName: kernelName(directory) };
  const runtime = await (cri === undefined
    ? openNativeRuntime({ ...place, podCIDR })
    : openCriRuntime(place, cri));
  const systemInfo = machineInfo();
  const setup: NodeSetup = {
    ...common,
    nodeName,
    runtime,
    volumes: new VolumeManager(join(directory, "pods")),
    logDirectory: join(directory, "logs"),
    stateDirectory: join(directory, "kubelet"),
    capacity: { ...machineCapacity(directory), pods },
    systemInfo,
    labels: { ...machineLabels(nodeName, systemInfo.architecture), ...labels },
    podCIDR,
    eviction: configuration.eviction,
    logs: configuration.logs,
    maxRestartMs: configuration.maxRestartMs,
    allowedUnsafeSysctls: configuration.allowedUnsafeSysctls,
  };
  return {
    setup,
    close: async () => {
      const isEmpty = (await runtime.list()).length === 0;
      await (isEmpty ? runtime.destroyAll() : runtime.close());
      unlock();
    },
  };
}
