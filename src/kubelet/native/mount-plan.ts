import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ImageBind } from "../images/image.ts";
import type { Mount } from "../runtime.ts";
import type { CgroupMount } from "./cgroup/cgroups.ts";

/** A line of fstab(5). */
export interface Entry {
  readonly source: string;
  readonly target: string;
  readonly type: string;
  readonly options: string;
}

export interface RootPlan {
  readonly mountPoint: string;
  /** Layer names, topmost first. */
  readonly layers: readonly string[];
  readonly upper: string;
  readonly work: string;
  /**
   * The directory at which mounts are made before the container sees them: a tmpfs of the container's own.
   */
  readonly stage: string;
  readonly toolbox: { readonly hostPath: string; readonly containerPath: string };
  readonly privileged: boolean;
  readonly cgroups: readonly CgroupMount[];
}

/** Masked and read-only paths: the defaults of the OCI runtimes. */
const maskedPaths = [
  "/proc/acpi",
  "/proc/asound",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/sys/devices/virtual/powercap",
  "/sys/firmware",
];
const readOnlyPaths = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

/**
 * Returns the mounts that every container has: root, kernel file systems, devices and toolbox. They are made
 * from outside, and so only at paths that no image controls.
 */
export function rootFstab(plan: RootPlan, isDirectory: (path: string) => boolean): string {
  const at = (path: string) => `${plan.mountPoint}${path}`;
  const overlay = `lowerdir=${plan.layers.join(":")},upperdir=${plan.upper},workdir=${plan.work},nodev`;
  const kernel = "nosuid,nodev,noexec";
  const entries: Entry[] = [
    { source: "overlay", target: plan.mountPoint, type: "overlay", options: overlay },
    { source: "tmpfs", target: plan.stage, type: "tmpfs", options: `${kernel},mode=700` },
    { source: "proc", target: at("/proc"), type: "proc", options: kernel },
    {
      source: "sysfs",
      target: at("/sys"),
      type: "sysfs",
      options: plan.privileged ? kernel : `${kernel},ro`,
    },
    {
      source: "tmpfs",
      target: at("/dev"),
      type: "tmpfs",
      options: "nosuid,strictatime,mode=755,size=65536k",
    },
    {
      source: "devpts",
      target: at("/dev/pts"),
      type: "devpts",
      options: "nosuid,noexec,newinstance,ptmxmode=0666,mode=0620,gid=5,X-mount.mkdir",
    },
    {
      source: "shm",
      target: at("/dev/shm"),
      type: "tmpfs",
      options: `${kernel},mode=1777,size=65536k,X-mount.mkdir`,
    },
    { source: "mqueue", target: at("/dev/mqueue"), type: "mqueue", options: `${kernel},X-mount.mkdir` },
    bindEntry(plan.toolbox.hostPath, at(plan.toolbox.containerPath), "bind,ro,nosuid,nodev,X-mount.mkdir"),
    ...plan.cgroups.map((mount) => ({ ...mount, target: at(mount.target) })),
    ...(plan.privileged ? [] : protection(at, isDirectory)),
  ];
  return formatFstab(entries);
}

function protection(at: (path: string) => string, isDirectory: (path: string) => boolean): readonly Entry[] {
  return [
    ...maskedPaths
      .filter(existsSync)
      .map((path) =>
        isDirectory(path)
          ? { source: "tmpfs", target: at(path), type: "tmpfs", options: "ro,size=0" }
          : bindEntry("/dev/null", at(path), "bind"),
      ),
    ...readOnlyPaths
      .filter(existsSync)
      .map((path) => bindEntry(at(path), at(path), "bind,ro,nosuid,nodev,noexec")),
  ];
}

const propagations = { None: "rprivate", HostToContainer: "rslave", Bidirectional: "rshared" } as const;

/** A mount that is made inside the container's root, by descriptors (`make-mounts.ts`). */
export interface InnerMount {
  readonly hostPath: string;
  readonly subPath: string;
  readonly containerPath: string;
  readonly options: string;
}

/** Returns the mounts of the image's own read-only binds. */
export function imageMounts(binds: readonly ImageBind[]): readonly InnerMount[] {
  return binds.map((bind) => ({ ...bind, subPath: "", options: "bind,ro" }));
}

export function podMount(mount: Mount): InnerMount {
  const { hostPath, subPath, readOnly, propagation } = mount;
  return {
    hostPath,
    subPath: subPath ?? "",
    containerPath: join("/", mount.containerPath).replace(/(.)\/+$/, "$1"),
    options: `rbind,${readOnly ? "ro" : "rw"},${propagations[propagation]}`,
  };
}

/** Sorts mounts into waves, because a mount point below another mount exists only after that mount. */
export function mountWaves(mounts: readonly InnerMount[]): readonly (readonly InnerMount[])[] {
  const waves: InnerMount[][] = [];
  for (const mount of mounts) {
    const below = (other: InnerMount) => `${mount.containerPath}/`.startsWith(`${other.containerPath}/`);
    const after = waves.findLastIndex((wave) => wave.some(below));
    (waves[after + 1] ??= []).push(mount);
  }
  return waves;
}

export function bindEntry(source: string, target: string, options: string): Entry {
  return { source, target, type: "none", options };
}

export function formatFstab(entries: readonly Entry[]): string {
  return entries
    .map(
      ({ source, target, type, options }) => `${escape(source)} ${escape(target)} ${type} ${options} 0 0\n`,
    )
    .join("");
}

/** Escapes the field separators of fstab(5) as octal numbers. */
function escape(path: string): string {
  return path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
