import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import type { Cgroups } from "./cgroup/cgroups.ts";
import type { AddressPool } from "./network/address-pool.ts";
import type { PodLinks } from "./network/bridge.ts";
import type { ScriptShell } from "./script-shell.ts";
import { quote } from "./shell.ts";
import type { StatePaths } from "./state-paths.ts";

/** Returns the ID of this boot; everything that ran under another boot is gone. */
async function bootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
}

/**
 * Creates the state directory's structure, once for each open. Resolves to whether the pins of its last use are still there:
 * they end with the boot, and a rootless node's with its mount namespace.
 */
export async function prepareHost(paths: StatePaths, shell: ScriptShell): Promise<boolean> {
  const directories = [paths.root, paths.pins, paths.addresses];
  for (const directory of [...directories, paths.exits, paths.sandboxes, paths.containers]) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  }
  const boot = await bootId();
  const last = await readFile(paths.boot, "utf8").catch(() => undefined);
  const hasPins = (await readFile("/proc/self/mountinfo", "utf8")).includes(` ${paths.pins} `);
  await shell.run(
    "prepare the host",
    `grep -q ' ${paths.pins} ' /proc/self/mountinfo || {
       mount -n --bind ${quote(paths.pins)} ${quote(paths.pins)}
       mount -n --make-private ${quote(paths.pins)}
     }
     mkdir -p ${quote(paths.mountPoint)}`,
  );
  await writeFile(paths.boot, boot, { mode: 0o600 });
  return last === undefined || (last === boot && hasPins);
}

export interface HostTraces {
  readonly paths: StatePaths;
  readonly shell: ScriptShell;
  readonly cgroups: Cgroups;
  readonly bridge: PodLinks;
  readonly addresses: AddressPool;
}

/**
 * Removes the remains of a crash that belong to no known sandbox: links, addresses, pins, processes and
 * cgroups.
 */
export async function removeStale(
  traces: HostTraces,
  sandboxes: readonly string[],
  keep: string,
): Promise<void> {
  const { paths, shell, cgroups, bridge, addresses } = traces;
  const known = new Set(sandboxes);
  for (const group of await cgroups.children("")) {
    if (group === keep || known.has(group)) continue;
    await cgroups.kill(group);
    await cgroups.remove(group);
  }
  await bridge.detachOthers(sandboxes);
  await addresses.releaseOthers(known);
  const live = sandboxes.map((id) => `${id}-*`).join("|");
  await shell.run(
    "remove stale namespaces",
    `cd ${quote(paths.pins)}
     for pin in *; do
       case $pin in root${live === "" ? "" : `|${live}`}|'*') continue ;; esac
       umount -n -l "$pin" 2>/dev/null || true
       rm -f "$pin" 2>/dev/null || rmdir "$pin"
     done`,
  );
}

/** Reverts `prepareHost`: nothing of the runtime remains on the machine. */
export async function removeHostState({ paths, shell, cgroups, bridge }: HostTraces): Promise<void> {
  await bridge.remove();
  await cgroups.kill("");
  await cgroups.remove("");
  await shell.run("unmount the pins", `umount -n -l ${quote(paths.pins)} 2>/dev/null || true`);
  await shell.close();
  await rm(paths.root, { recursive: true, force: true });
}
