import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Volume } from "../../api/core/v1/volume.ts";
import { parseQuantity, quantityValue } from "../../meta/quantity.ts";
import type { NodeContext, Volumes } from "../node-context.ts";
import { RuntimeError } from "../runtime.ts";
import { type VolumeFile, writeAtomically } from "./atomic-writer.ts";
import {
  configMapFiles,
  downwardFiles,
  forgetTokens,
  projectedFiles,
  secretFiles,
  type SourceContext,
} from "./sources.ts";

const run = promisify(execFile);

/** Volumes below `<root>/<pod uid>/<kind>/<name>`. Those in memory are tmpfs mounts, undone with the Pod. */
export class VolumeManager implements Volumes {
  readonly #root: string;
  readonly #node: () => NodeContext;

  constructor(root: string, node: () => NodeContext) {
    this.#root = root;
    this.#node = node;
  }

  async prepare(pod: Pod): Promise<ReadonlyMap<string, string>> {
    const paths = new Map<string, string>();
    for (const volume of pod.spec.volumes ?? []) paths.set(volume.name, await this.#prepareOne(pod, volume));
    return paths;
  }

  async remove(uid: string): Promise<void> {
    forgetTokens(this.#node(), uid);
    const directory = join(this.#root, uid);
    if (!existsSync(directory)) return;
    for (const mount of mountsBelow(directory)) await run("umount", ["--lazy", mount]);
    rmSync(directory, { recursive: true, force: true });
  }

  async #prepareOne(pod: Pod, volume: Volume): Promise<string> {
    const context: SourceContext = { node: this.#node(), pod };
    const { hostPath, emptyDir, configMap, secret, downwardAPI, projected, name } = volume;
    if (hostPath !== undefined) return checkHostPath(hostPath.path, hostPath.type ?? "");
    if (emptyDir !== undefined) return this.#emptyDir(pod, name, emptyDir);
    if (configMap !== undefined)
      return this.#write(pod, name, await configMapFiles(context, configMap, configMap.defaultMode));
    if (secret !== undefined)
      return this.#write(pod, name, await secretFiles(context, secret, secret.defaultMode));
    if (downwardAPI !== undefined)
      return this.#write(pod, name, downwardFiles(context, downwardAPI, downwardAPI.defaultMode));
    if (projected !== undefined) return this.#write(pod, name, await projectedFiles(context, projected));
    throw new RuntimeError(
      "CreateContainerConfigError",
      `volume ${JSON.stringify(name)} is of a kind that this node does not support`,
    );
  }

  async #emptyDir(
    pod: Pod,
    name: string,
    { medium = "", sizeLimit }: NonNullable<Volume["emptyDir"]>,
  ): Promise<string> {
    const directory = this.#directory(pod, "empty-dir", name);
    if (existsSync(directory)) return directory;
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o777);
    if (medium === "Memory") {
      const size = sizeLimit === undefined ? [] : [`size=${quantityValue(parseQuantity(sizeLimit))}`];
      await run("mount", ["-t", "tmpfs", "-o", ["mode=0777", ...size].join(","), "tmpfs", directory]);
    }
    own(directory, pod);
    return directory;
  }

  #write(pod: Pod, name: string, files: readonly VolumeFile[]): string {
    const directory = this.#directory(pod, "files", name);
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    const group = pod.spec.securityContext?.fsGroup;
    // A group that shall read the files needs the bits for it.
    writeAtomically(
      directory,
      group === undefined ? files : files.map((file) => ({ ...file, mode: file.mode | 0o040 })),
    );
    if (group !== undefined) ownAll(directory, group);
    return directory;
  }

  #directory(pod: Pod, kind: string, name: string): string {
    const base = join(this.#root, pod.metadata.uid ?? "");
    mkdirSync(base, { recursive: true, mode: 0o755 });
    return join(base, kind, name);
  }
}

function own(directory: string, pod: Pod): void {
  const group = pod.spec.securityContext?.fsGroup;
  if (group === undefined) return;
  chownSync(directory, 0, group);
  chmodSync(directory, 0o2777);
}

function ownAll(directory: string, group: number): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), 0, group);
  }
}

/** Makes or checks a host path as its type asks (volume/hostpath). */
function checkHostPath(path: string, type: string): string {
  const fail = (what: string) =>
    new RuntimeError("CreateContainerConfigError", `hostPath type check failed: ${path} is not ${what}`);
  const stat = existsSync(path) ? statSync(path) : undefined;
  switch (type) {
    case "DirectoryOrCreate":
      if (stat === undefined) mkdirSync(path, { recursive: true, mode: 0o755 });
      else if (!stat.isDirectory()) throw fail("a directory");
      break;
    case "FileOrCreate":
      if (stat === undefined) {
        if (!existsSync(dirname(path))) throw fail("a file");
        writeFileSync(path, "", { mode: 0o644 });
      } else if (!stat.isFile()) throw fail("a file");
      break;
    case "Directory":
      if (stat?.isDirectory() !== true) throw fail("a directory");
      break;
    case "File":
      if (stat?.isFile() !== true) throw fail("a file");
      break;
    case "Socket":
      if (stat?.isSocket() !== true) throw fail("a socket file");
      break;
    case "CharDevice":
      if (stat?.isCharacterDevice() !== true) throw fail("a character device");
      break;
    case "BlockDevice":
      if (stat?.isBlockDevice() !== true) throw fail("a block device");
      break;
    default:
      // Without a type nothing is checked, and a runtime makes a missing directory.
      if (stat === undefined) mkdirSync(path, { recursive: true, mode: 0o755 });
  }
  return path;
}

/** Mount points at or below a directory, innermost first. */
function mountsBelow(directory: string): string[] {
  return readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => (line.split(" ")[1] ?? "").replaceAll(String.raw`\040`, " "))
    .filter((mount) => mount === directory || mount.startsWith(`${directory}/`))
    .reverse();
}
