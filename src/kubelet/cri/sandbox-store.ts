import { execFile } from "node:child_process";
import { closeSync, fstatSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../../util/error-code.ts";
import { openTrusted, withDescriptors } from "../safe-path/descriptors.ts";
import { openInside } from "../safe-path/open-inside.ts";
import { openSubPath } from "../safe-path/sub-path.ts";
import { type ContainerConfig, type Mount, RuntimeError, type SandboxConfig } from "../runtime.ts";
import { hostsFile } from "../sandbox-files.ts";
import type { SafeMount } from "./container-request.ts";

const run = promisify(execFile);
/** A UID, or a container's name: a single name in a directory. */
const plainName = /^[A-Za-z0-9][\w.-]{0,250}$/;
/** The greatest time for one call of `mount` or `umount`. */
const mountMs = 30_000;

/** The identity of a sandbox, by which its directory is found. */
export interface SandboxKey {
  readonly uid: string;
  readonly attempt: number;
}

/** The identity of a container in its sandbox. */
type ContainerKey = Pick<ContainerConfig, "name" | "attempt">;

/**
 * The agent's own files for each sandbox: its configuration, `/etc/hosts`, the termination messages and the mounts of
 * subPaths. Nobody else may enter the directory. A container writes to its message and to its hosts, but cannot
 * replace them.
 */
export class SandboxStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Keeps the configuration, before the sandbox is created. */
  async add(config: SandboxConfig): Promise<void> {
    const place = this.#place(keyOf(config));
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    for (const path of [place, join(place, "messages"), join(place, "sub-paths")])
      await mkdir(path, { mode: 0o700 }).catch(unless("EEXIST"));
    // Renamed into place, so that a crash leaves no half of it.
    const file = join(place, "config.json");
    await writeFile(`${file}.new`, JSON.stringify(config), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  /** @throws RuntimeError NotFound when the configuration is lost */
  async config(key: SandboxKey): Promise<SandboxConfig> {
    const file = join(this.#place(key), "config.json");
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      throw new RuntimeError("NotFound", `the configuration of the sandbox is lost: ${file}`, error);
    });
    // Safe: only `add` writes the file.
    return JSON.parse(text) as SandboxConfig;
  }

  /** Returns the file of a container's termination message. */
  messageFile(key: SandboxKey, { name, attempt }: ContainerKey): string {
    return join(this.#place(key), "messages", `${plain(name)}.${attempt}`);
  }

  /**
   * Returns the mounts of a container, with those of its subPaths, of `/etc/hosts` and of its termination message.
   * @throws PathError for a subPath that leaves its volume
   */
  async mounts(sandbox: SandboxConfig, ip: string | undefined, config: ContainerConfig) {
    const key = keyOf(sandbox);
    const mounts: SafeMount[] = [];
    for (const [index, mount] of config.mounts.entries())
      mounts.push(mount.subPath === undefined ? mount : await this.#subPath(key, config, mount, index));
    const isTaken = (path: string) => config.mounts.some(({ containerPath }) => containerPath === path);
    const add = (hostPath: string, containerPath: string) =>
      mounts.push({ hostPath, containerPath, readOnly: false, propagation: "None" });
    if (!isTaken("/etc/hosts")) add(await this.#hosts(sandbox, ip), "/etc/hosts");
    const { terminationMessagePath: path } = config;
    if (path !== "" && !isTaken(path)) {
      const file = this.messageFile(key, config);
      await writeFile(file, "");
      await chmod(file, 0o666);
      add(file, path);
    }
    return mounts;
  }

  /** Unmounts a container's subPaths: once it has started, it has mounts of its own. */
  async releaseSubPaths(key: SandboxKey, { name, attempt }: ContainerKey): Promise<void> {
    await this.#release(key, (file) => file.startsWith(`${name}.${attempt}.`));
  }

  /** Removes a container's files. */
  async removeContainer(key: SandboxKey, container: ContainerKey): Promise<void> {
    await this.releaseSubPaths(key, container);
    await rm(this.messageFile(key, container), { force: true });
  }

  /** Removes all files of a sandbox. Nothing is deleted recursively, because a mount could be in the way. */
  async remove(key: SandboxKey): Promise<void> {
    const place = this.#place(key);
    await this.#release(key, () => true);
    const messages = join(place, "messages");
    for (const name of await list(messages)) await rm(join(messages, name), { force: true });
    for (const name of ["config.json", "config.json.new", "hosts"])
      await rm(join(place, name), { force: true });
    for (const path of [messages, join(place, "sub-paths"), place]) await rmdir(path).catch(unless("ENOENT"));
  }

  async #release(key: SandboxKey, isMeant: (name: string) => boolean): Promise<void> {
    const directory = join(this.#place(key), "sub-paths");
    for (const name of (await list(directory)).filter(isMeant)) {
      const target = join(directory, name);
      await run("umount", ["-n", "-l", target], { timeout: mountMs }).catch(() => {});
      // A directory that is still mounted cannot be removed.
      await rmdir(target).catch(() => rm(target, { force: true }));
    }
  }

  /** Mounts a subPath in a place of the agent's own, because the workload can change the path at any time. */
  async #subPath(key: SandboxKey, config: ContainerConfig, mount: Mount, index: number): Promise<SafeMount> {
    const target = join(this.#place(key), "sub-paths", `${plain(config.name)}.${config.attempt}.${index}`);
    const source = withDescriptors((held) => {
      const volume = held.add(openInside(held.add(openTrusted("/")), mount.hostPath, { scope: "root" }));
      return openSubPath(volume, mount.subPath ?? "");
    });
    try {
      if (fstatSync(source).isDirectory()) await mkdir(target, { mode: 0o700 }).catch(unless("EEXIST"));
      else await writeFile(target, "");
      // The descriptor stands for the file that was opened, whatever its path leads to by now.
      const from = `/proc/${process.pid}/fd/${source}`;
      await run("mount", ["-n", "-c", "--bind", from, target], { timeout: mountMs });
    } finally {
      closeSync(source);
    }
    return { ...mount, hostPath: target };
  }

  async #hosts(sandbox: SandboxConfig, ip: string | undefined): Promise<string> {
    const file = join(this.#place(keyOf(sandbox)), "hosts");
    // The first container makes the file; later ones keep what it has become.
    const text = await hostsFile(sandbox, ip);
    await writeFile(file, text, { mode: 0o644, flag: "wx" }).catch(unless("EEXIST"));
    return file;
  }

  #place({ uid, attempt }: SandboxKey): string {
    return join(this.#directory, `${plain(uid)}_${attempt}`);
  }
}

function keyOf({ pod, attempt }: SandboxConfig): SandboxKey {
  return { uid: pod.uid, attempt };
}

/** @throws RuntimeError for a name that could leave its directory */
function plain(name: string): string {
  if (plainName.test(name)) return name;
  throw new RuntimeError("CreatePodSandboxError", `not a plain name: ${JSON.stringify(name)}`);
}

async function list(directory: string): Promise<readonly string[]> {
  return (await readdir(directory).catch(unless("ENOENT"))) ?? [];
}

function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (errorCode(error) !== code) throw error;
  };
}
