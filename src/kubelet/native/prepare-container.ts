import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResolvedImage } from "../images/image.ts";
import type { ProcessHandle } from "../process-handle.ts";
import type { Mount } from "../runtime.ts";
import { bootOperations, terminalGroup, type UserNamespace } from "./boot-plan.ts";
import type { Cgroups } from "./cgroup/cgroups.ts";
import { saveFilter } from "./container-seccomp.ts";
import { encodeOperations, type LaunchFilter, launchOperations, type Operation } from "./init-plan.ts";
import type { ContainerRecord } from "./records.ts";
import type { StatePaths } from "./state-paths.ts";

/** The PID namespace of a container: its own, the host's, or that of another process. */
export type Processes = "own" | "host" | ProcessHandle;

export interface Preparation {
  readonly paths: StatePaths;
  readonly cgroups: Cgroups;
  readonly record: ContainerRecord;
  readonly image: ResolvedImage;
  /** The pins of the sandbox's namespaces. */
  readonly namespaces: readonly string[];
  readonly users: UserNamespace | undefined;
  readonly processes: Processes;
  /** Undefined for a container without a filter of system calls. */
  readonly seccomp: LaunchFilter | undefined;
}

/** The file in the container's directory that is mounted at its `terminationMessagePath`. */
export const terminationFile = "termination-message";
/** The file in the container's directory with its filter of system calls, for execs. */
export const filterFile = "seccomp.json";
/** The file in the container's directory with the plan of its start, for the init program. */
export const planFile = "plan";

/** The directory in the container's directory with what overlayfs writes. */
const layerDirectory = "layer";

/** Returns the container's cgroup, which is below the sandbox's. */
export function cgroupPath(record: Pick<ContainerRecord, "id" | "sandboxId">): string {
  return `${record.sandboxId}/${record.id}`;
}

/** Writes everything that a container's start needs to its directory; the start itself only runs the plan. */
export async function prepareContainer(preparation: Preparation): Promise<void> {
  const { paths, cgroups, record, image, users, seccomp } = preparation;
  const { id, config } = record;
  const directory = paths.container(id);
  // Awaited alone, because it may fail: nothing may still write when the caller cleans up.
  await cgroups.create(cgroupPath(record), config.resources, !config.security.privileged);
  const [mounts] = await Promise.all([
    podMounts(preparation),
    makeDirectories(join(directory, layerDirectory)),
  ]);
  const operations = [
    supervision(preparation),
    ...bootOperations({
      root: {
        mountPoint: paths.mountPoint,
        layersDirectory: image.layersDirectory,
        layers: image.layers,
        upper: join(directory, layerDirectory, "upper"),
        work: join(directory, layerDirectory, "work"),
        privileged: config.security.privileged,
        hostProcesses: preparation.processes === "host",
        // Without a user namespace, the kernel's files would obey the container's root.
        unmasked: config.security.privileged || (config.security.unmasked === true && users !== undefined),
        cgroups: cgroups.mounts(cgroupPath(record)),
        users,
      },
      guardedDirectory: config.security.privileged ? undefined : cgroups.guardedDirectory(cgroupPath(record)),
      joinFiles: cgroups.joinFiles(cgroupPath(record)),
      namespaces: preparation.namespaces,
      tty: config.tty,
      binds: image.binds,
      mounts,
      readOnlyRoot: config.security.readOnlyRootFilesystem,
      cwd: record.process.cwd,
      uid: record.process.credentials.uid,
    }),
    ...launchOperations(record.process, seccomp),
  ];
  await saveFilter(join(directory, filterFile), seccomp);
  await writeFile(join(directory, planFile), encodeOperations(operations), { mode: 0o600 });
}

/** The first operation, which makes the process after it the container's, and this one its supervisor. */
function supervision({ paths, cgroups, record, users, processes }: Preparation): Operation {
  const { id, config, logPath } = record;
  const oomFile = cgroups.oomFile(cgroupPath(record));
  const stdin = !config.stdin ? "none" : config.stdinOnce ? "once" : "open";
  const shared =
    typeof processes === "string" ? [processes] : ["shared", String(processes.pid), processes.startTime];
  const terminal = [config.tty ? "1" : "0", String(terminalGroup(users))];
  return ["container", paths.container(id), paths.exit(id), oomFile, logPath, stdin, ...terminal, ...shared];
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
