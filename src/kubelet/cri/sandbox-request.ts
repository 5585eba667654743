import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type LinuxContainerResourcesSchema,
  NamespaceMode,
  type PodSandboxConfigSchema,
  Protocol,
  SecurityProfile_ProfileType,
} from "../rpc/generated/cri_pb.ts";
import type { Resources, SandboxConfig } from "../runtime.ts";
import { sandboxLabels } from "./labels.ts";

export type PodSandboxConfigInit = MessageInitShape<typeof PodSandboxConfigSchema>;

const protocols = { TCP: Protocol.TCP, UDP: Protocol.UDP, SCTP: Protocol.SCTP };

/** The facts about the node that a sandbox's configuration contains. */
export interface SandboxPlace {
  readonly owner: string;
  /** Empty for the runtime's default. */
  readonly cgroupParent: string;
  /** The resolver's settings of the host, for Pods without servers of their own. */
  readonly hostDns: SandboxConfig["dns"];
}

/** Returns the runtime's configuration of a Pod's sandbox (kubelet `kuberuntime_sandbox.go`). */
export function sandboxRequest(
  config: SandboxConfig,
  { owner, cgroupParent, hostDns }: SandboxPlace,
): PodSandboxConfigInit {
  const { pod, attempt, hostNetwork, portMappings = [], hasPrivileged = false } = config;
  return {
    metadata: { name: pod.name, uid: pod.uid, namespace: pod.namespace, attempt },
    // The host's network comes with the host's name.
    hostname: hostNetwork ? "" : config.hostname,
    logDirectory: config.logDirectory,
    dnsConfig: resolver(config.dns, hostDns),
    portMappings: hostNetwork
      ? []
      : portMappings.map(({ protocol, containerPort, hostPort, hostIP }) => ({
          protocol: protocols[protocol],
          containerPort,
          hostPort,
          hostIp: hostIP,
        })),
    labels: sandboxLabels(owner, pod),
    linux: {
      cgroupParent,
      sysctls: { ...config.sysctls },
      resources: resourcesRequest(config.resources),
      securityContext: {
        privileged: hasPrivileged,
        seccomp: { profileType: SecurityProfile_ProfileType.RuntimeDefault },
        namespaceOptions: namespaces(config),
      },
    },
  };
}

/** Lists without servers get the host's, and come after the host's own. */
function resolver(dns: SandboxConfig["dns"], host: SandboxConfig["dns"]) {
  const { servers, searches, options } =
    dns.servers.length > 0
      ? dns
      : {
          servers: host.servers,
          searches: [...new Set([...host.searches, ...dns.searches])],
          options: [...new Set([...host.options, ...dns.options])],
        };
  return { servers: [...servers], searches: [...searches], options: [...options] };
}

/**
 * Returns the namespaces of a sandbox, or of one of its containers. `target` is the container whose processes this one
 * sees.
 */
export function namespaces(
  { hostNetwork, hostPID, hostIPC, sharesProcesses }: SandboxConfig,
  target?: string,
) {
  const { CONTAINER, NODE, POD, TARGET } = NamespaceMode;
  const own = target === undefined ? (sharesProcesses ? POD : CONTAINER) : TARGET;
  return {
    network: hostNetwork ? NODE : POD,
    pid: hostPID ? NODE : own,
    ipc: hostIPC ? NODE : POD,
    targetId: hostPID ? "" : (target ?? ""),
  };
}

/** Absent limits are 0, which CRI reads as not given. */
export function resourcesRequest({
  cpuShares = 0,
  cpuQuota = 0,
  cpuPeriod = 0,
  memoryLimitBytes = 0,
}: Resources): MessageInitShape<typeof LinuxContainerResourcesSchema> {
  return {
    cpuShares: BigInt(cpuShares),
    cpuQuota: BigInt(cpuQuota),
    cpuPeriod: BigInt(cpuPeriod),
    memoryLimitInBytes: BigInt(memoryLimitBytes),
  };
}

/** Parses resolv.conf(5). */
export function parseResolvConf(text: string): SandboxConfig["dns"] {
  const lines = text.split("\n").map((line) => line.trim().split(/\s+/));
  const last = (keyword: string) => lines.findLast(([first]) => first === keyword)?.slice(1) ?? [];
  return {
    servers: lines.flatMap(([first, server]) =>
      first === "nameserver" && server !== undefined ? [server] : [],
    ),
    searches: last("search"),
    options: lines.flatMap(([first, ...rest]) => (first === "options" ? rest : [])),
  };
}
