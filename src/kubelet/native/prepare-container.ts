import { chmod, mkdir, writeFile } from "node:fs/promises";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { ResolvedImage } from "../images/image.ts";
import type { Mount } from "../runtime.ts";
import { bootScript, launchFile } from "./boot-script.ts";
import type { Cgroups } from "./cgroup/cgroups.ts";
import { saveFilter } from "./container-seccomp.ts";
import { type LaunchFilter, launchPlan } from "./init-plan.ts";
import { imageMounts, mountWaves, podMount, rootFstab } from "./mount-plan.ts";
import type { ContainerRecord } from "./records.ts";
import type { ScriptShell } from "./script-shell.ts";
import { quoteAll } from "./shell.ts";
import type { StatePaths } from "./state-paths.ts";

export interface Preparation {
  readonly paths: StatePaths;
  readonly shell: ScriptShell;
  readonly cgroups: Cgroups;
  readonly record: ContainerRecord;
  readonly image: ResolvedImage;
  /** nsenter's options for the sandbox's namespaces. */
  readonly namespaces: readonly string[];
  /** Undefined for a container without a filter of system calls. */
  readonly seccomp: LaunchFilter | undefined;
}

/** The file in the container's directory that is mounted at its `terminationMessagePath`. */
export const terminationFile = "termination-message";
/** The file in the container's directory with its filter of system calls, for execs. */
export const filterFile = "seccomp.json";
/** The file in the container's directory that holds the `InnerMount`s, wave by wave. */
export const wavesFile = "waves.json";

/**
 * Returns the path of the toolbox inside a container: named after the container's ID, which no image can
 * know.
 */
export function toolboxInside(container: string): string {
  return `/dev/.${container}`;
}

/** Returns the container's cgroup, which is below the sandbox's. */
export function cgroupPath(record: Pick<ContainerRecord, "id" | "sandboxId">): string {
  return `${record.sandboxId}/${record.id}`;
}

/**
 * Writes everything that a container's start needs to its directory; the start itself only runs `boot.sh`.
 */
export async function prepareContainer(preparation: Preparation): Promise<void> {
  const { paths, shell, cgroups, record, image, seccomp } = preparation;
  const { id, config } = record;
  const directory = paths.container(id);
  const fifos = ["stdin", "stdout", "stderr"].map((name) => join(directory, name));
  // Awaited alone, because it may fail: nothing may still write when the caller cleans up.
  await cgroups.create(cgroupPath(record), config.resources, !config.security.privileged);
  const [mounts] = await Promise.all([
    podMounts(preparation),
    makeDirectories(directory),
    shell.run("make FIFOs", `mkfifo -m 600 ${quoteAll(fifos)}`),
  ]);
  const toolbox = toolboxInside(id);
  const waves = mountWaves([...imageMounts(image.binds), ...mounts.map(podMount)]);
  const root = rootFstab(
    {
      mountPoint: paths.mountPoint,
      layers: image.layers,
      upper: join(directory, "upper"),
      work: join(directory, "work"),
      stage: paths.stage,
      toolbox: { hostPath: paths.toolbox, containerPath: toolbox },
      privileged: config.security.privileged,
      cgroups: cgroups.mounts(cgroupPath(record)),
    },
    isDirectory,
  );
  const script = bootScript({
    directory,
    layersDirectory: image.layersDirectory,
    mountPoint: paths.mountPoint,
    ...(!config.security.privileged && { devices: paths.devices }),
    joinFiles: cgroups.joinFiles(cgroupPath(record)),
    namespaces: preparation.namespaces,
    tty: config.tty,
    sharesMounts: mounts.some((mount) => mount.propagation === "Bidirectional"),
    fstab: join(directory, "fstab"),
    waves: waves.length,
    readOnlyRoot: config.security.readOnlyRootFilesystem,
    toolbox,
    cwd: record.process.cwd,
  });
  const files = [
    ["fstab", root],
    ["boot.sh", script],
    [wavesFile, JSON.stringify(waves)],
    // The boot has made the process a session's leader already.
    [launchFile, launchPlan(record.process, { seccomp, terminal: false })],
  ] as const;
  await saveFilter(join(directory, filterFile), seccomp);
  for (const [name, content] of files) {
    await writeFile(join(directory, name), content, { mode: 0o600 });
  }
}

/**
 * Creates plain directories in the upper layer, so that an image's links cannot be where the kernel's file
 * systems are mounted.
 */
async function makeDirectories(directory: string): Promise<void> {
  await mkdir(join(directory, "work"), { recursive: true, mode: 0o700 });
  await mkdir(join(directory, "upper"), { recursive: true });
  await chmod(join(directory, "upper"), 0o755);
  for (const [name, mode] of [
    ["dev", 0o755],
    ["proc", 0o555],
    ["sys", 0o555],
  ] as const) {
    await mkdir(join(directory, "upper", name), { recursive: true });
    await chmod(join(directory, "upper", name), mode);
  }
}

/** Returns the Pod's mounts, and the sandbox's files for paths at which the Pod mounts nothing. */
async function podMounts({ paths, record }: Preparation): Promise<readonly Mount[]> {
  const { mounts, terminationMessagePath } = record.config;
  const message = paths.container(record.id, terminationFile);
  await writeFile(message, "", { mode: 0o600 });
  await chmod(message, 0o666); // The container's user, whoever that is, writes it.
  const files = ["hosts", "resolv.conf", "hostname"].map((name): Mount => ({
    hostPath: paths.sandbox(record.sandboxId, name),
    containerPath: `/etc/${name}`,
    readOnly: false,
    propagation: "None",
  }));
  if (terminationMessagePath !== "") {
    files.push({
      hostPath: message,
      containerPath: terminationMessagePath,
      readOnly: false,
      propagation: "None",
    });
  }
  const own = files.filter((file) => !mounts.some((mount) => mount.containerPath === file.containerPath));
  return [...own, ...mounts];
}

function isDirectory(path: string): boolean {
  return statSync(path).isDirectory();
}
