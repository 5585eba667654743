import type { Pod } from "../../api/core/pod/schema.ts";
import type { NodeContext } from "../node-context.ts";
import type { SandboxConfig } from "../runtime.ts";
import { podResources } from "./resources.ts";

export function sandboxConfig(node: NodeContext, pod: Pod, attempt: number): SandboxConfig {
  const { spec, metadata } = pod;
  const { uid = "", namespace = "", name = "" } = metadata;
  return {
    pod: { uid, namespace, name },
    attempt,
    hostname: spec.hostnameOverride ?? spec.hostname ?? name.slice(0, 63).replace(/[-.]+$/, ""),
    hostNetwork: spec.hostNetwork ?? false,
    hostPID: spec.hostPID ?? false,
    hostIPC: spec.hostIPC ?? false,
    sharesProcesses: spec.shareProcessNamespace ?? false,
    ...(spec.hostUsers === false && { firstId: node.firstId(uid) }),
    dns: resolverOf(node, pod),
    hostAliases: (spec.hostAliases ?? []).map(({ ip, hostnames = [] }) => [ip, ...hostnames].join(" ")),
    sysctls: Object.fromEntries(
      (spec.securityContext?.sysctls ?? []).map(({ name, value }) => [name, value]),
    ),
    resources: {
      ...podResources(pod),
      ...(node.podPidsLimit > 0 ? { pidsLimit: node.podPidsLimit } : {}),
    },
    logDirectory: podLogDirectory(node, pod),
  };
}

export function podLogDirectory(
  { logDirectory }: Pick<NodeContext, "logDirectory">,
  { metadata }: Pod,
): string {
  return `${logDirectory}/${metadata.namespace}_${metadata.name}_${metadata.uid}`;
}

/**
 * Returns the resolver's settings by the Pod's DNS policy (kubelet `network/dns`). An empty list of servers
 * stands for the host's.
 */
function resolverOf({ dns }: NodeContext, { spec, metadata }: Pod): SandboxConfig["dns"] {
  const { dnsPolicy = "ClusterFirst", hostNetwork = false, dnsConfig } = spec;
  const useCluster =
    dns.address !== undefined &&
    (dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && !hostNetwork));
  const cluster = {
    servers: [dns.address ?? ""],
    searches: [`${metadata.namespace}.svc.${dns.domain}`, `svc.${dns.domain}`, dns.domain],
    options: ["ndots:5"],
  };
  const base = useCluster ? cluster : { servers: [], searches: [], options: [] };
  const extra = (dnsConfig?.options ?? []).map(({ name = "", value }) =>
    value === undefined ? name : `${name}:${value}`,
  );
  const overridden = new Set(extra.map((option) => option.split(":")[0]));
  return {
    servers: [...new Set([...base.servers, ...(dnsConfig?.nameservers ?? [])])],
    searches: [...new Set([...base.searches, ...(dnsConfig?.searches ?? [])])],
    options: [...base.options.filter((option) => !overridden.has(option.split(":")[0])), ...extra],
  };
}
