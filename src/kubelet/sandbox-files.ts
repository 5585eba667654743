import { readFile } from "node:fs/promises";
import type { SandboxConfig } from "./runtime.ts";

/** Returns `/etc/hosts` as the kubelet writes it (upstream `kubelet_pods.go`, `managedHostsFileContent`). */
export async function hostsFile(config: SandboxConfig, address: string | undefined): Promise<string> {
  const lines = config.hostNetwork
    ? ["# Kubernetes-managed hosts file (host network).", (await readFile("/etc/hosts", "utf8")).trimEnd()]
    : [
        "# Kubernetes-managed hosts file.",
        "127.0.0.1\tlocalhost",
        "::1\tlocalhost ip6-localhost ip6-loopback",
        "fe00::0\tip6-localnet",
        "fe00::0\tip6-mcastprefix",
        "fe00::1\tip6-allnodes",
        "fe00::2\tip6-allrouters",
      ];
  const { addressNames = [config.hostname] } = config;
  if (address !== undefined) lines.push([address, ...addressNames].join("\t"));
  if (config.hostAliases.length > 0) {
    lines.push("", "# Entries added by HostAliases.");
    lines.push(...config.hostAliases.map((alias) => alias.split(/\s+/).join("\t")));
  }
  return `${lines.join("\n")}\n`;
}

/** Returns resolv.conf(5). */
export function resolvConf(dns: SandboxConfig["dns"]): string {
  const lines = [
    ...(dns.searches.length > 0 ? [`search ${dns.searches.join(" ")}`] : []),
    ...dns.servers.map((server) => `nameserver ${server}`),
    ...(dns.options.length > 0 ? [`options ${dns.options.join(" ")}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
