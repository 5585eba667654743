import { readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { arch, availableParallelism, networkInterfaces, release, tmpdir, totalmem } from "node:os";
import { machineLabels } from "../kubelet/node/machine-labels.ts";
import type { KubeletOptions } from "../kubelet/kubelet.ts";
import { version } from "../apiserver/version.ts";
import { nthAddress, parseNetwork } from "../util/ipv4.ts";
import type { NodeGroup } from "../kubelet/simulated/configuration/schema.ts";
import { Heartbeats } from "../kubelet/simulated/heartbeats.ts";
import type { Program } from "../kubelet/simulated/program.ts";
import { noVolumes } from "../kubelet/simulated/no-volumes.ts";
import type { Rules } from "../kubelet/simulated/rules.ts";
import { SimulatedRuntime } from "../kubelet/simulated/simulated-runtime.ts";
import type { Env } from "../util/env.ts";
import { table } from "../util/table.ts";

/** The options of one node that the composition root sets. */
export type NodeSetup = Omit<KubeletOptions, "env" | "transport" | "dns">;

/** The number of Pods on a node, upstream's default. */
export const maxPods = "110";

type SystemInfo = NodeSetup["systemInfo"];

const goArchitectures: Readonly<Record<string, string>> = table({ x64: "amd64", ia32: "386" });

/** Returns this machine's facts for a node that runs on it. */
export function machineInfo(): SystemInfo {
  const read = (path: string) => {
    try {
      return readFileSync(path, "utf8").trim();
    } catch {
      return "";
    }
  };
  const osImage = /^PRETTY_NAME="?([^"\n]*)/m.exec(read("/etc/os-release"))?.[1] ?? "Linux";
  return {
    machineID: read("/etc/machine-id"),
    systemUUID: read("/sys/class/dmi/id/product_uuid") || read("/etc/machine-id"),
    bootID: read("/proc/sys/kernel/random/boot_id"),
    kernelVersion: release(),
    osImage,
    kubeletVersion: version.gitVersion,
    kubeProxyVersion: "",
    operatingSystem: "linux",
    architecture: goArchitectures[arch()] ?? arch(),
  };
}

/** Returns this machine's resources for Pods. The disk is that of the directory. */
export function machineCapacity(directory: string): Readonly<Record<string, string>> {
  const { bsize, blocks } = statfsSync(directory);
  return {
    cpu: String(availableParallelism()),
    memory: `${Math.floor(totalmem() / 1024)}Ki`,
    "ephemeral-storage": `${Math.floor((bsize * blocks) / 1024)}Ki`,
    pods: maxPods,
  };
}

/**
 * Returns this machine's first address that others could reach; the loopback address when it has no other.
 */
export function machineAddress(): string {
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  return found?.address ?? "127.0.0.1";
}

export interface SimulationOptions {
  /** The programs of simulated images, by reference. */
  readonly programs?: ReadonlyMap<string, Program> | undefined;
  /** The directory for the logs of simulated programs. Default: one for temporary files. */
  readonly logDirectory?: string | undefined;
  /** The rules for containers, shared by the nodes. */
  readonly rules?: Rules | undefined;
  /** The properties that the node has in common with others. */
  readonly group?: NodeGroup;
  /** The machine's facts, which the nodes share. */
  readonly systemInfo?: SystemInfo;
}

/** The Pods of simulated nodes, 256 addresses for each. Contains upstream's default for a cluster. */
const simulatedPods = parseNetwork("10.244.0.0/14");
/** RFC 5737: addresses without a destination. */
const simulatedHosts = parseNetwork("192.0.2.0/24");

/** Makes a node without containers: its Pods pass through their phases, and nothing runs. */
export function simulatedNode(
  env: Env,
  name: string,
  index: number,
  options: SimulationOptions = {},
): NodeSetup {
  const { programs, rules, logDirectory = join(tmpdir(), "knarr-logs"), group = {} } = options;
  const { labels, taints = [], capacity, allocatable = {}, images, heartbeatFailure } = group;
  const heartbeats = heartbeatFailure === undefined ? undefined : new Heartbeats(env, heartbeatFailure);
  const podCIDR = `${nthAddress(simulatedPods, index * 256)}/24`;
  return {
    nodeName: name,
    runtime: new SimulatedRuntime({ env, podCIDR, programs, rules, images }),
    volumes: noVolumes,
    logDirectory: join(logDirectory, name),
    hostIPs: [nthAddress(simulatedHosts, (index % 250) + 1)],
    capacity: { cpu: "32", memory: "256Gi", "ephemeral-storage": "1Ti", pods: maxPods, ...capacity },
    allocatable,
    taints,
    ...(heartbeats !== undefined && { isSilent: () => heartbeats.fail() }),
    systemInfo: { ...(options.systemInfo ?? machineInfo()), osImage: "simulated" },
    labels: { ...machineLabels(name, "amd64"), type: "simulated", ...labels },
    podCIDR,
    port: 0,
  };
}
