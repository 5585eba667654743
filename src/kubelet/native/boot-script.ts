import { quote, quoteAll } from "./shell.ts";
import { initTool, toolCommand } from "./toolbox.ts";

export interface BootPlan {
  /** The container's own directory on the host. */
  readonly directory: string;
  readonly layersDirectory: string;
  readonly mountPoint: string;
  /** The template of `/dev`; absent: all of the host's devices. */
  readonly devices?: string;
  /** Files into which a process writes `0` to join a cgroup. */
  readonly joinFiles: readonly string[];
  /** Namespaces of the sandbox, as options of nsenter: `--net=…`. */
  readonly namespaces: readonly string[];
  readonly tty: boolean;
  /** At least one mount propagates mounts made in the container to the host. */
  readonly sharesMounts: boolean;
  readonly fstab: string;
  /** The number of mount waves. */
  readonly waves: number;
  readonly readOnlyRoot: boolean;
  /** The path of the toolbox inside the container. */
  readonly toolbox: string;
  readonly cwd: string;
}

/** The file in the container's directory with the plan of its launch (`init-plan.ts`). */
export const launchFile = "launch";

/** The boot's requests on descriptor 3: `mounts <wave>` and `directory`. */
export const mountsRequest = "mounts";
export const directoryRequest = "directory";

/**
 * Returns the script that becomes a container's first process, in two phases. `boot.sh join` runs in the
 * host's mount namespace, and enters cgroups and namespaces. `boot.sh root` runs in the container's own,
 * builds the root, switches to it and becomes the init program, which launches the command. Both write errors to
 * descriptor 3; the init program writes `started` just before it runs the command.
 *
 * Between the switch and the end of the old root, the script asks Knarr, by a line on descriptor 3, for work
 * on paths that an image or a container may change (`make-mounts.ts`): each wave's fstab file, and a missing
 * working directory. The script never resolves such a path: links could lead to the old root, or through
 * `/proc` to other processes.
 */
export function bootScript(plan: BootPlan): string {
  return `set -eu
case $1 in
join)
${indent(joinLines(plan))}
  ;;
root)
${indent(rootLines(plan))}
  ;;
esac
`;
}

function joinLines(plan: BootPlan): readonly string[] {
  const script = quote(`${plan.directory}/boot.sh`);
  const enter = plan.namespaces.length === 0 ? "" : `nsenter ${quoteAll(plan.namespaces)} -- `;
  const propagation = plan.sharesMounts ? "unchanged" : "slave";
  return [
    "read -r stat < /proc/self/stat", // Read before a new /proc is mounted: it has the PID that the host knows.
    `echo "$stat" > ${quote(`${plan.directory}/init`)}`,
    ...plan.joinFiles.map((file) => `echo 0 > ${quote(file)}`),
    `exec 5<${quote(`${plan.directory}/${launchFile}`)}`,
    `exec ${plan.tty ? "setsid --ctty " : ""}${enter}unshare --mount --cgroup --propagation ${propagation} -- sh ${script} root`,
  ];
}

function rootLines(plan: BootPlan): readonly string[] {
  const { toolbox, cwd } = plan;
  const old = `${toolbox}/old`;
  const tool = (...args: Parameters<typeof toolCommand>) => toolCommand(...args).join(" ");
  const console = quote(`${plan.mountPoint}/dev/console`);
  const devices =
    plan.devices === undefined
      ? [
          "set --",
          'for node in /dev/*; do if [ -c "$node" ] || [ -b "$node" ]; then set -- "$@" "$node"; fi; done',
        ]
      : [`set -- ${quote(plan.devices)}/.`];
  return [
    "exec 4>&2 2>&3",
    "umask 022",
    `cd ${quote(plan.layersDirectory)}`, // Layers are named relative to it.
    `mount -n -a -T ${quote(plan.fstab)}`,
    ...devices,
    `cp -a "$@" ${quote(plan.mountPoint)}/dev/`,
    // The terminal belongs to the host's devpts; programs inside find it by this name.
    ...(plan.tty ? [`: > ${console}`, `mount -n --bind "$(tty)" ${console}`] : []),
    `cd ${quote(plan.mountPoint)}`,
    `pivot_root . ${quote(old.slice(1))}`,
    "cd /",
    'ask() { echo "$*" >&3; read -r answer <&3; }',
    ...Array.from({ length: plan.waves }, (_, wave) => [
      `ask ${mountsRequest} ${wave}`,
      // The newer mount API does not follow a descriptor's link.
      `LIBMOUNT_FORCE_MOUNT2=always ${tool(toolbox, "mount")} -n -c -a -T ${quote(`${old}${plan.directory}/mounts.${wave}`)}`,
    ]).flat(),
    `[ -d ${quote(cwd)} ] || ask ${directoryRequest}`,
    // Without it, unmounting the old root would propagate to the host.
    ...(plan.sharesMounts ? [`${tool(toolbox, "mount")} -n --make-rslave ${old}`] : []),
    `${tool(toolbox, "umount")} -n -l ${old}`,
    ...(plan.readOnlyRoot ? [`${tool(toolbox, "mount")} -n -o remount,bind,ro /`] : []),
    "exec 2>&4 4<&5 5<&-",
    `exec ${quote(`${toolbox}/${initTool}`)}`,
  ];
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join("\n");
}
