import type { Pod } from "../../api/core/pod/schema.ts";
import type { NodeContext } from "../node-context.ts";
import { RuntimeError, type PortMapping, type SandboxConfig } from "../runtime.ts";
import { podResources } from "./resources.ts";

/** The node's part of a sandbox's configuration. */
type Node = Pick<NodeContext, "dns" | "firstId" | "logDirectory" | "podPidsLimit">;

export function sandboxConfig(node: Node, pod: Pod, attempt: number): SandboxConfig {
  const { spec, metadata } = pod;
  const { uid = "", namespace = "", name = "" } = metadata;
  return {
    pod: { uid, namespace, name },
    attempt,
    ...hostNames(node, pod),
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
    portMappings: hostPorts(pod),
    hasPrivileged: containersOf(pod).some(({ securityContext }) => securityContext?.privileged === true),
  };
}

/** Returns the host ports of a Pod with a network of its own, those of its sidecars included. */
function hostPorts({ spec }: Pod): readonly PortMapping[] {
  if (spec.hostNetwork === true) return [];
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ protocol = "TCP", containerPort, hostPort = 0, hostIP = "" }) => ({
      protocol: protocol === "UDP" || protocol === "SCTP" ? protocol : "TCP",
      containerPort,
      hostPort,
      hostIP,
    }));
}

function containersOf({ spec }: Pod) {
  return [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** The greatest length of the kernel's host name. */
const maxHostname = 64;

/**
 * Returns the host name, and the full name of a Pod with a subdomain (kubelet `GeneratePodHostNameAndDomain`,
 * `GetNodenameForKernel`). @throws RuntimeError if the full name must become the kernel's and is too long
 */
function hostNames({ dns }: Node, { spec, metadata }: Pod): Pick<SandboxConfig, "hostname" | "addressNames"> {
  if (spec.hostnameOverride !== undefined) return { hostname: spec.hostnameOverride };
  const hostname = spec.hostname ?? (metadata.name ?? "").slice(0, 63).replace(/[-.]+$/, "");
  if (spec.subdomain === undefined || spec.subdomain === "") return { hostname };
  const full = `${hostname}.${spec.subdomain}.${metadata.namespace}.svc.${dns.domain}`;
  const addressNames = [full, hostname];
  if (spec.setHostnameAsFQDN !== true) return { hostname, addressNames };
  if (full.length <= maxHostname) return { hostname: full, addressNames };
  const counts = `(${maxHostname} characters is the max, ${full.length} characters requested)`;
  throw new RuntimeError(
    "CreatePodSandboxError",
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${full} is too long ${counts}`,
  );
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
function resolverOf({ dns }: Node, { spec, metadata }: Pod): SandboxConfig["dns"] {
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
