import { mkdir, rm, writeFile } from "node:fs/promises";
import type { Random } from "../../util/random.ts";
import type { Clock } from "../../util/clock.ts";
import { type Resources, RuntimeError, type SandboxConfig } from "../runtime.ts";
import type { Cgroups } from "./cgroup/cgroups.ts";
import type { AddressPool } from "./network/address-pool.ts";
import type { PodLinks } from "./network/bridge.ts";
import { isAlive, type ProcessHandle, readHandle, signal } from "../process-handle.ts";
import type { UserNamespace } from "./boot-plan.ts";
import { encodeOperations, type Operation } from "./init-plan.ts";
import { loadRecords, saveRecord, type SandboxRecord } from "./records.ts";
import { hostsFile, resolvConf } from "../sandbox-files.ts";
import type { ScriptShell } from "./script-shell.ts";
import { quote, toolEnvironment } from "./shell.ts";
import type { Spawner } from "./spawner.ts";
import type { StatePaths } from "./state-paths.ts";
import { lastId, ownIds } from "../../util/own-ids.ts";
import { errorText } from "../../util/error-text.ts";

export interface SandboxesOptions {
  readonly paths: StatePaths;
  readonly cgroups: Cgroups;
  readonly shell: ScriptShell;
  readonly bridge: PodLinks;
  readonly spawner: Spawner;
  readonly addresses: AddressPool;
  readonly clock: Clock;
  readonly random: Random;
}

/** The name of a namespace in pins and in the options of nsenter and unshare. */
export type Namespace = "net" | "ipc" | "uts";

/** containerd's defaults: any user may open low ports and ping. The Pod's own sysctls are applied later. */
const defaultSysctls = {
  "net.ipv4.ip_unprivileged_port_start": "0",
  "net.ipv4.ping_group_range": `0 ${Math.min(lastId(ownIds.groups), 2147483647)}`,
};

/** Creates and removes sandboxes. Bind mounts keep their namespaces alive, without a process. */
export class Sandboxes {
  readonly #options: SandboxesOptions;
  readonly #records = new Map<string, SandboxRecord>();

  constructor(options: SandboxesOptions) {
    this.#options = options;
  }

  /** Adopts the sandboxes on disk. Those of an earlier boot have lost their namespaces. */
  async load(sameBoot: boolean): Promise<void> {
    const { paths } = this.#options;
    const { records, incomplete } = await loadRecords(paths.sandboxes, "sandbox.json", parse);
    for (const id of incomplete) await this.#undo(id);
    for (const record of records) {
      this.#records.set(record.id, record);
      if (!sameBoot && record.ready) await this.stop(record.id);
    }
  }

  values(): readonly SandboxRecord[] {
    return [...this.#records.values()];
  }

  /** @throws RuntimeError `NotFound`. */
  get(id: string): SandboxRecord {
    const record = this.#records.get(id);
    if (record === undefined) throw new RuntimeError("NotFound", `sandbox ${id} does not exist`);
    return record;
  }

  find(id: string): SandboxRecord | undefined {
    return this.#records.get(id);
  }

  async run(config: SandboxConfig): Promise<SandboxRecord> {
    const { paths, cgroups, addresses, clock, random } = this.#options;
    const id = Buffer.from(random.bytes(16)).toString("hex");
    try {
      await mkdir(paths.sandbox(id), { mode: 0o700 });
      const address = config.hostNetwork ? undefined : await addresses.lease(id);
      const hostname = config.hostname;
      await writeFile(paths.sandbox(id, "hosts"), await hostsFile(config, address), { mode: 0o644 });
      await writeFile(paths.sandbox(id, "resolv.conf"), resolvConf(config.dns), { mode: 0o644 });
      await writeFile(paths.sandbox(id, "hostname"), `${hostname}\n`, { mode: 0o644 });
      await cgroups.create(id, config.resources, false);
      await this.#makeNamespaces(id, config, address);
      if (config.sharesProcesses && !config.hostPID) await this.#startPause(id);
      const record = {
        id,
        config,
        createdAt: clock.now(),
        ready: true,
        ...(address !== undefined && { address }),
      };
      await this.#save(record);
      return record;
    } catch (error) {
      await this.#undo(id);
      const why = errorText(error);
      throw new RuntimeError(
        "CreatePodSandboxError",
        `Cannot make a sandbox for ${config.pod.name}: ${why}`,
        error,
      );
    }
  }

  /** Returns the first process of the PID namespace that the containers share. @throws RuntimeError `Unavailable` */
  async pause(id: string): Promise<ProcessHandle> {
    const handle = await readHandle(this.#options.paths.sandbox(id, "pause"));
    if (handle !== undefined && (await isAlive(handle))) return handle;
    throw new RuntimeError("Unavailable", `the processes of sandbox ${id} have ended`);
  }

  async #startPause(id: string): Promise<void> {
    const { paths, spawner } = this.#options;
    const outcome = await spawner.run(encodeOperations([["processes", paths.sandbox(id)], ["pause"]]));
    if (outcome.what === "failed") throw new Error(outcome.why);
  }

  async #stopPause(id: string): Promise<void> {
    const handle = await readHandle(this.#options.paths.sandbox(id, "pause"));
    if (handle !== undefined) await signal(handle, "SIGKILL");
  }

  /** Removes namespaces and network. Nothing may run in the sandbox any more. */
  async stop(id: string): Promise<void> {
    const record = this.#records.get(id);
    if (record === undefined || !record.ready) return;
    await this.#stopPause(id);
    await this.#undoNamespaces(id);
    if (record.address !== undefined) await this.#options.addresses.release(record.address);
    const { address: _, ...rest } = record;
    await this.#save({ ...rest, ready: false });
  }

  /** Changes the limits of the whole Pod. */
  async update(id: string, resources: Resources): Promise<void> {
    const record = this.get(id);
    await this.#options.cgroups.update(id, resources);
    const merged = { ...record.config.resources, ...resources };
    await this.#save({ ...record, config: { ...record.config, resources: merged } });
  }

  async remove(id: string): Promise<void> {
    if (!this.#records.has(id)) return;
    await this.stop(id);
    this.#records.delete(id);
    await this.#clear(id);
  }

  /** Returns the pins of the sandbox's own namespaces. */
  pins(id: string): readonly string[] {
    return own(this.get(id).config).map((kind) => this.#options.paths.pin(id, kind));
  }

  /** Returns the sandbox's user namespace, if it has one. */
  users(id: string): UserNamespace | undefined {
    const { firstId } = this.get(id).config;
    return firstId === undefined ? undefined : { pin: this.#options.paths.pin(id, "user"), firstId };
  }

  async #makeNamespaces(id: string, config: SandboxConfig, address: string | undefined): Promise<void> {
    const { paths, bridge, shell, spawner } = this.#options;
    const kinds = own(config);
    const { firstId } = config;
    if (kinds.length === 0) return;
    const links = paths.sandbox(id, "links");
    if (address !== undefined)
      await writeFile(links, bridge.insidePod(id, address, `/proc/${process.pid}/ns/net`), { mode: 0o600 });
    const sysctls = { ...(config.hostNetwork ? {} : defaultSysctls), ...config.sysctls };
    const flags = kinds.reduce((sum, kind) => sum | cloneFlags[kind], 0);
    const pinned = [...kinds, ...(firstId === undefined ? [] : (["user"] as const))];
    const outcome = await spawner.run(
      encodeOperations([
        ["namespaces", flags.toString(16), String(firstId ?? 0)],
        ...pinned.map((kind) => ["pin", kind, paths.pin(id, kind)] as const),
        ...kinds.map((kind) => ["enter", paths.pin(id, kind)] as const),
        ...(kinds.includes("uts") ? [["hostname", config.hostname] as const] : []),
        ...Object.entries(sysctls).map(([name, value]) => ["write", sysctlFile(name), value] as const),
        ...(address === undefined ? [["done"] as const] : makeLinks(links)),
      ]),
    );
    if (outcome.what === "failed") throw new Error(outcome.why);
    if (outcome.what === "ended" && outcome.code !== 0)
      throw new Error(`ip ended with ${outcome.code}: see ${paths.spawnerLog}`);
    if (address !== undefined) await shell.run("attach a link", bridge.attach(id));
  }

  async #undoNamespaces(id: string): Promise<void> {
    const { paths, bridge, shell } = this.#options;
    const pins = (["net", "ipc", "uts", "user"] as const).map((kind) => quote(paths.pin(id, kind)));
    await shell.run(
      "undo namespaces",
      `${bridge.detach(id)}
       for pin in ${pins.join(" ")}; do
         [ -e "$pin" ] || continue
         umount -n -l "$pin" 2>/dev/null || true
         rm -f "$pin"
       done`,
    );
  }

  /** Removes a sandbox, even an incomplete one. */
  async #undo(id: string): Promise<void> {
    const { addresses } = this.#options;
    await this.#stopPause(id);
    await this.#undoNamespaces(id);
    await addresses.releaseOf(id);
    await this.#clear(id);
  }

  /** Removes what a stopped sandbox keeps. */
  async #clear(id: string): Promise<void> {
    const { paths, cgroups } = this.#options;
    await cgroups.kill(id);
    await cgroups.remove(id);
    await rm(paths.sandbox(id), { recursive: true, force: true });
  }

  async #save(record: SandboxRecord): Promise<void> {
    await saveRecord(this.#options.paths.sandbox(record.id, "sandbox.json"), record);
    this.#records.set(record.id, record);
  }
}

/** Flags of clone(2). */
const cloneFlags = { net: 0x40000000, ipc: 0x08000000, uts: 0x04000000 } as const;

/** Returns the operations that run `ip` with a file of commands. */
function makeLinks(file: string): readonly Operation[] {
  const words = ["ip", "-batch", file].map((word) => ["arg", word] as const);
  return [["env", `PATH=${toolEnvironment.PATH}`], ...words, ["exec"]];
}

function own(config: SandboxConfig): readonly Namespace[] {
  return [
    ...(config.hostNetwork ? [] : (["net", "uts"] as const)), // The host's network implies the host's name.
    ...(config.hostIPC ? [] : (["ipc"] as const)),
  ];
}

/** @throws RuntimeError for names that would leave `/proc/sys`. */
function sysctlFile(name: string): string {
  if (!/^[\w-]+([./][\w-]+)*$/.test(name))
    throw new RuntimeError("CreatePodSandboxError", `invalid sysctl ${name}`);
  return `/proc/sys/${name.replaceAll(".", "/")}`;
}

function parse(json: string): SandboxRecord {
  return JSON.parse(json) as SandboxRecord;
}
