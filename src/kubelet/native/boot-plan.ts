import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ImageBind } from "../images/image.ts";
import { maskedPaths, readOnlyPaths } from "../kernel-paths.ts";
import type { Mount } from "../runtime.ts";
import type { CgroupMount } from "./cgroup/cgroups.ts";
import { deviceGuard } from "./cgroup/device-guard.ts";
import type { Operation } from "./init-plan.ts";
import { hasId, isInUserNamespace, ownIds } from "../../util/own-ids.ts";
import { mountAttributes } from "./mount-attributes.ts";

export interface RootPlan {
  readonly mountPoint: string;
  readonly layersDirectory: string;
  /** Layer names, topmost first. */
  readonly layers: readonly string[];
  readonly upper: string;
  readonly work: string;
  readonly privileged: boolean;
  /** True if the container shares the host's processes. */
  readonly hostProcesses: boolean;
  /** Nothing of `/proc` and `/sys` is hidden. */
  readonly unmasked: boolean;
  readonly cgroups: readonly CgroupMount[];
  readonly users: UserNamespace | undefined;
}

/** A user namespace of the sandbox. */
export interface UserNamespace {
  readonly pin: string;
  /** The host's ID of its root. */
  readonly firstId: number;
}

export interface BootPlan {
  readonly root: RootPlan;
  /** Files into which a process writes `0` to join a cgroup. */
  readonly joinFiles: readonly string[];
  /** The cgroup's directory that gets a guard of devices. */
  readonly guardedDirectory: string | undefined;
  /** The pins of the sandbox's own namespaces. */
  readonly namespaces: readonly string[];
  readonly tty: boolean;
  readonly binds: readonly ImageBind[];
  readonly mounts: readonly Mount[];
  readonly readOnlyRoot: boolean;
  readonly cwd: string;
  /** The user of the container's process, inside its user namespace. */
  readonly uid: number;
}

const { readOnly, noSuid, noDev, noExec, strictTime } = mountAttributes;
const kernelFiles = noSuid | noDev | noExec;

/** AT_RECURSIVE of mount_setattr(2): the attributes hold for the mounts below, too. */
const recursively = 0x8000;

/** Flags of unshare(2): the namespaces of mounts and cgroups. */
const ownMountsAndCgroups = 0x00020000 | 0x02000000;

/** Flags of mount(2) for the propagation of mounts. */
const propagations = { None: 1 << 18, HostToContainer: 1 << 19, Bidirectional: 1 << 20 } as const;

/** A user namespace may not set the attributes with which overlayfs marks directories by default. */
const layerAttributes = isInUserNamespace ? ",userxattr" : "";

/**
 * Returns the operations that build a container's root in its first process. The init program resolves the paths of mounts
 * inside the root, or inside the volume for a subPath, by descriptors.
 */
export function bootOperations(plan: BootPlan): readonly Operation[] {
  const { root, tty, binds, mounts, readOnlyRoot, cwd } = plan;
  const { users } = root;
  const sharesMounts = mounts.some(({ propagation }) => propagation === "Bidirectional");
  const { guardedDirectory } = plan;
  return [
    ...(guardedDirectory === undefined ? [] : [["devices", guardedDirectory, deviceGuard()] as const]),
    ...plan.joinFiles.map((file) => ["join", file] as const),
    ["own-streams", String((users?.firstId ?? 0) + plan.uid)],
    ...plan.namespaces.map((pin) => ["enter", pin] as const),
    ["unshare", hex(ownMountsAndCgroups)],
    ...(sharesMounts ? [] : [["propagation", hex(propagations.HostToContainer)] as const]),
    ...(users === undefined ? [] : mappedLayers(root, users)),
    ...rootOperations(root, tty),
    ...byDepth([...binds.map(imageMount), ...mounts]).map((mount) => bind(mount, users !== undefined)),
    ["make-directory", cwd],
    ["pivot"],
    ...(readOnlyRoot ? [["read-only-root"] as const] : []),
    ...(users === undefined ? [] : [["enter-user"] as const]),
  ];
}

/** The layers and the container's own directory show the IDs of its user namespace. */
function mappedLayers(root: RootPlan, { pin, firstId }: UserNamespace): readonly Operation[] {
  const layers = root.layers.map((layer) => join(root.layersDirectory, layer));
  return [
    ["user", pin, String(firstId)],
    ...[...layers, dirname(root.upper)].map((path) => ["idmap", path] as const),
  ];
}

/** Returns the mounts that every container has: layers, kernel file systems and devices. */
function rootOperations(root: RootPlan, tty: boolean): readonly Operation[] {
  const { mountPoint, layersDirectory, layers, upper, work, privileged, unmasked, users } = root;
  const owner = users === undefined ? "" : `,uid=${users.firstId},gid=${users.firstId}`;
  return [
    [
      "root",
      layersDirectory,
      mountPoint,
      `lowerdir=${layers.join(":")},upperdir=${upper},workdir=${work}${layerAttributes}`,
    ],
    // A user namespace may not mount the processes of another one anew.
    root.hostProcesses && isInUserNamespace
      ? hostMount("/proc", kernelFiles)
      : filesystem("proc", "", kernelFiles, "/proc"),
    filesystem("sysfs", "", privileged ? kernelFiles : kernelFiles | readOnly, "/sys"),
    filesystem("tmpfs", `mode=755,size=65536k${owner}`, noSuid | strictTime, "/dev"),
    ...deviceOperations(privileged),
    ...links,
    tty
      ? ["own-terminals"]
      : filesystem(
          "devpts",
          `ptmxmode=0666,mode=0620,gid=${terminalGroup(users)}`,
          noSuid | noExec,
          "/dev/pts",
        ),
    filesystem("tmpfs", `mode=1777,size=65536k${owner}`, kernelFiles, "/dev/shm"),
    filesystem("mqueue", "", kernelFiles, "/dev/mqueue"),
    ...root.cgroups.map(cgroupMount),
    ...(unmasked ? [] : maskedPaths.map((path) => ["mask", path] as const)),
    ...(unmasked ? [] : readOnlyPaths.map((path) => ["read-only", path] as const)),
  ];
}

/** Returns the host's ID of the group `tty`. */
export function terminalGroup(users: UserNamespace | undefined): number {
  const group = (users?.firstId ?? 0) + 5;
  return hasId(ownIds.groups, group) ? group : 0;
}

function filesystem(type: string, options: string, attributes: number, target: string): Operation {
  return ["filesystem", type, options, hex(attributes), target];
}

function cgroupMount(mount: CgroupMount): Operation {
  if ("type" in mount) return filesystem(mount.type, mount.options, mount.attributes, mount.target);
  const flags = readOnly | kernelFiles;
  return ["bind", mount.source, "", mount.target, hex(flags), "0", hex(propagations.None), "0"];
}

/** A user namespace may not make devices: there the host's are mounted. */
function deviceOperations(privileged: boolean): readonly Operation[] {
  const nodes = privileged ? hostDevices() : devices;
  if (!isInUserNamespace) return nodes;
  return nodes.map(([, name = ""]) => hostMount(`/dev/${name}`, 0));
}

/** Mounts a file or a directory of the host at its own path. */
function hostMount(path: string, attributes: number): Operation {
  return ["bind", path, "", path, hex(attributes), "0", hex(propagations.None), "0"];
}

/** The devices of the OCI runtimes, by major and minor number. */
const devices: readonly Operation[] = (
  [
    ["null", 1, 3],
    ["zero", 1, 5],
    ["full", 1, 7],
    ["random", 1, 8],
    ["urandom", 1, 9],
    ["tty", 5, 0],
  ] as const
).map(([name, major, minor]) => node(name, 0o020666, [major, minor], 0, 0));

const links: readonly Operation[] = [
  ["link", "fd", "/proc/self/fd"],
  ["link", "stdin", "/proc/self/fd/0"],
  ["link", "stdout", "/proc/self/fd/1"],
  ["link", "stderr", "/proc/self/fd/2"],
  ["link", "ptmx", "pts/ptmx"],
];

function node(
  name: string,
  mode: number,
  [major, minor]: readonly [number, number],
  uid: number,
  gid: number,
): Operation {
  return ["node", name, mode.toString(8), ...[major, minor, uid, gid].map(String)];
}

/** Returns the host's devices directly in `/dev`, but for the multiplexer of its terminals. */
function hostDevices(): readonly Operation[] {
  return readdirSync("/dev").flatMap((name) => {
    const stat = lstatSync(join("/dev", name), { throwIfNoEntry: false });
    if (stat === undefined || name === "ptmx" || name === "console") return [];
    if (!stat.isCharacterDevice() && !stat.isBlockDevice()) return [];
    return [node(name, stat.mode, deviceNumbers(stat.rdev), stat.uid, stat.gid)];
  });
}

/** Splits a device's number (makedev(3)). */
function deviceNumbers(rdev: number): readonly [major: number, minor: number] {
  const device = BigInt(rdev);
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn & 0xffffffffn);
  return [Number(major), Number(minor)];
}

function imageMount(bind: ImageBind): Mount {
  return { ...bind, readOnly: true, propagation: "None" };
}

function bind(mount: Mount, isMapped: boolean): Operation {
  const { hostPath, subPath = "", containerPath, propagation } = mount;
  const flags = hex(mount.readOnly ? readOnly : 0);
  const below = hex(mount.recursiveReadOnly === true ? recursively : 0);
  const mapped = isMapped ? "1" : "0";
  return ["bind", hostPath, subPath, containerPath, flags, below, hex(propagations[propagation]), mapped];
}

/** Puts a mount before the mounts below its path, as containerd orders them. */
function byDepth(mounts: readonly Mount[]): readonly Mount[] {
  const depth = ({ containerPath }: Mount) => join("/", containerPath, ".").split("/").filter(Boolean).length;
  return mounts.toSorted((a, b) => depth(a) - depth(b));
}

function hex(value: number): string {
  return value.toString(16);
}
