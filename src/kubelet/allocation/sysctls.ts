import type { Pod } from "../../api/core/pod/schema.ts";
import type { Refusal } from "./filter.ts";

type Namespace = "IPC" | "Net";

/** The sysctls that a Pod may set for itself without an effect on others (kubelet `sysctl/safe_sysctls.go`). */
const safe: readonly string[] = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_wmem",
];

/** Returns the namespace that a sysctl or pattern belongs to; undefined for one of the whole machine. */
function namespaceOf(name: string): Namespace | undefined {
  if (name.startsWith("net.")) return "Net";
  const isIpc =
    name === "kernel.sem" || ["kernel.shm", "kernel.msg", "fs.mqueue."].some((one) => name.startsWith(one));
  return isIpc ? "IPC" : undefined;
}

/** Reads a name with slashes between its parts, in which dots belong to them. */
function normalized(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  if (first !== "/") return name;
  return name.replaceAll(/[./]/g, (one) => (one === "/" ? "." : "/"));
}

const pattern = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]$/;

/** Checks the sysctls and patterns with `*` of `allowedUnsafeSysctls`. @throws Error with upstream's message */
export function checkSysctlPatterns(patterns: readonly string[]): void {
  for (const one of patterns) {
    if (one.length > 253 || !pattern.test(one))
      throw new Error(
        `sysctl ${JSON.stringify(one)} must have at most 253 characters and match regex ${pattern.source}`,
      );
    const name = normalized(one).replace(/\*$/, "");
    if (namespaceOf(name) === undefined)
      throw new Error(`the sysctls ${JSON.stringify(name)} are not known to be namespaced`);
  }
}

/**
 * Refuses a Pod with sysctls that are neither safe nor allowed, or whose namespace is the host's (kubelet
 * `sysctl/allowlist.go`).
 */
export function sysctlRefusal({ spec }: Pod, allowed: readonly string[]): Refusal | undefined {
  const { hostNetwork = false, hostIPC = false, securityContext } = spec;
  const list = [...safe, ...allowed].map(normalized);
  for (const { name: given } of securityContext?.sysctls ?? []) {
    const name = normalized(given);
    const refuse = (why: string): Refusal => ({
      reason: "SysctlForbidden",
      message: `forbidden sysctl: ${JSON.stringify(name)} ${why}`,
    });
    const isListed = list.some((one) =>
      one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : one === name,
    );
    const namespace = namespaceOf(name);
    if (!isListed || namespace === undefined) return refuse("not allowlisted");
    if ((namespace === "Net" && hostNetwork) || (namespace === "IPC" && hostIPC))
      return refuse(`not allowed with host ${namespace} enabled`);
  }
  return undefined;
}
