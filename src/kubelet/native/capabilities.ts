import { readFileSync } from "node:fs";
import type { ContainerSecurity } from "../runtime.ts";

/** By number (linux/capability.h). */
const names =
  "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE " +
  "NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT " +
  "SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL " +
  "SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE";
const known = names.split(" ");

/** containerd's defaults. A node that MKNOD creates gives no access: its cgroup's guard of devices decides. */
const defaults =
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP SETUID SYS_CHROOT";

/**
 * Returns a container's bounding set, in lower case; undefined for no limit. It has no capability that
 * Knarr lacks.
 */
export function boundingSet(
  security: ContainerSecurity,
  own = ownBoundingSet(),
): readonly string[] | undefined {
  if (security.privileged) return undefined;
  const add = normalise(security.addCapabilities);
  const drop = normalise(security.dropCapabilities);
  const base = add.has("ALL") ? known : drop.has("ALL") ? [] : defaults.split(" ");
  const kept = base.filter((name) => !drop.has(name));
  const wanted = new Set([...kept, ...[...add].filter((name) => name !== "ALL")]);
  return known.filter((name) => wanted.has(name) && own.has(name)).map((name) => name.toLowerCase());
}

/** Returns the bits of capabilities in the kernel's order (linux/capability.h). */
export function capabilityMask(names: readonly string[]): bigint {
  const wanted = normalise(names);
  return known.reduce((mask, name, bit) => (wanted.has(name) ? mask | (1n << BigInt(bit)) : mask), 0n);
}

function normalise(capabilities: readonly string[]): ReadonlySet<string> {
  return new Set(capabilities.map((name) => name.toUpperCase().replace(/^CAP_/, "")));
}

function ownBoundingSet(): ReadonlySet<string> {
  const mask = /^CapBnd:\s*(\w+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return new Set(known.filter((_, bit) => (BigInt(`0x${mask}`) >> BigInt(bit)) & 1n));
}
