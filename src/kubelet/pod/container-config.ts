import { join } from "node:path";
import type { Container, VolumeMount } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { SeccompProfile } from "../../api/core/pod/security.ts";
import type { NodeContext, PreparedVolume } from "../node-context.ts";
import {
  type ContainerConfig,
  type ContainerSecurity,
  type Mount,
  RuntimeError,
  type SandboxStatus,
  type Seccomp,
} from "../runtime.ts";
import { environment } from "./environment.ts";
import { expand } from "./expand.ts";
import { containerResources } from "./resources.ts";
import { podFacts } from "./facts.ts";
import { roleOf } from "./roles.ts";
import { checkSubPath } from "../safe-path/sub-path.ts";

/** Returns the runtime's configuration of a Pod's container. */
export async function containerConfig(
  node: NodeContext,
  pod: Pod,
  container: Container,
  {
    sandbox,
    volumes,
    attempt,
  }: {
    readonly sandbox: SandboxStatus;
    readonly volumes: ReadonlyMap<string, PreparedVolume>;
    readonly attempt: number;
  },
): Promise<ContainerConfig> {
  const { addresses, allocatable } = node;
  // The sandbox's addresses are newer than those in the status.
  const podIPs = pod.spec.hostNetwork === true ? addresses.hostIPs : sandbox.ips;
  const facts = { hostIPs: addresses.hostIPs, podIPs, allocatable };
  const variables = await environment(node, pod, container, facts);
  const words = (list: readonly string[] | undefined) => (list ?? []).map((word) => expand(word, variables));
  return {
    name: container.name,
    attempt,
    image: container.image ?? "",
    command: words(container.command),
    args: words(container.args),
    workingDir: container.workingDir ?? "",
    env: [...variables].map(([name, value]) => ({ name, value })),
    mounts: (container.volumeMounts ?? []).map((mount) =>
      mountOf(node, container, mount, volumes, variables),
    ),
    ...devicesOf(node, container, volumes),
    resources: containerResources(container, pod.spec.resources),
    security: withVolumeGroups(securityOf(pod, container), volumes),
    tty: container.tty ?? false,
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    stopSignal: container.lifecycle?.stopSignal ?? "",
    terminationMessagePath: container.terminationMessagePath ?? "",
    terminationMessagePolicy: container.terminationMessagePolicy ?? "File",
    role: roleOf(pod, container),
    ...targetOf(pod, container, sandbox),
    pod: podFacts(pod),
  };
}

function mountOf(
  node: NodeContext,
  container: Container,
  mount: VolumeMount,
  volumes: ReadonlyMap<string, PreparedVolume>,
  variables: ReadonlyMap<string, string>,
): Mount {
  const volume = volumes.get(mount.name);
  if (volume === undefined) {
    throw new RuntimeError(
      "CreateContainerConfigError",
      `volume ${JSON.stringify(mount.name)} is not available`,
    );
  }
  const subPath =
    mount.subPathExpr === undefined ? (mount.subPath ?? "") : expand(mount.subPathExpr, variables);
  checkSubPath(subPath);
  if (subPath !== "") {
    node.volumes.prepareSubPath({
      volume: volume.path,
      subPath,
      mountName: mount.name,
      containerName: container.name,
    });
  }
  return {
    hostPath: volume.path,
    ...(subPath === "" ? {} : { subPath }),
    // A relative path starts at the root, as upstream.
    containerPath: join("/", mount.mountPath),
    readOnly: volume.readOnly || (mount.readOnly ?? false),
    ...(isRecursivelyReadOnly(mount, node.runtime) ? { recursiveReadOnly: true } : {}),
    propagation: mount.mountPropagation ?? "None",
  };
}

/** Decides by the mount's mode and the runtime's abilities (kubelet `resolveRecursiveReadOnly`). @throws RuntimeError */
function isRecursivelyReadOnly(
  { name, readOnly = false, recursiveReadOnly: mode = "Disabled", mountPropagation = "None" }: VolumeMount,
  { mountsRecursivelyReadOnly }: NodeContext["runtime"],
): boolean {
  const isSupported = mountsRecursivelyReadOnly === true;
  if (mode === "Disabled") return false;
  const asked = `volume ${JSON.stringify(name)} requested recursive read-only mode`;
  const refuse = (why: string) =>
    new RuntimeError(
      "CreateContainerConfigError",
      `failed to resolve recursive read-only mode: ${asked}, but it is ${why}`,
    );
  if (!readOnly) throw refuse("not read-only");
  if (mountPropagation !== "None")
    throw refuse(`not compatible with propagation ${JSON.stringify(mountPropagation)}`);
  if (mode === "IfPossible" || isSupported) return isSupported;
  throw refuse("not supported by the runtime");
}

/** Returns the container's block devices. @throws RuntimeError when the runtime cannot map them. */
function devicesOf(
  { runtime }: NodeContext,
  { volumeDevices = [] }: Container,
  volumes: ReadonlyMap<string, PreparedVolume>,
): Pick<ContainerConfig, "devices"> {
  if (volumeDevices.length === 0) return {};
  const refuse = (message: string) => new RuntimeError("CreateContainerConfigError", message);
  if (runtime.mapsDevices !== true)
    throw refuse("cannot map block volumes: this node's container runtime does not map devices");
  const devices = volumeDevices.map(({ name, devicePath }) => {
    const volume = volumes.get(name);
    if (volume?.isBlock !== true) throw refuse(`volume ${JSON.stringify(name)} is not a block volume`);
    return { hostPath: volume.path, containerPath: join("/", devicePath), readOnly: volume.readOnly };
  });
  return { devices };
}

/**
 * Returns the target of an ephemeral container, for `kubectl debug --target`. @throws Error when it has not been started (kubelet
 * `kuberuntime_manager.go`, `getTargetID`).
 */
function targetOf({ spec }: Pod, container: Container, sandbox: SandboxStatus): { target?: string } {
  const name = (spec.ephemeralContainers ?? []).find(
    (ephemeral) => ephemeral === container,
  )?.targetContainerName;
  if (name === undefined || name === "") return {};
  const target = sandbox.containers.findLast((status) => status.name === name);
  if (target === undefined)
    throw new RuntimeError("CreateContainerConfigError", `unable to find target container ${name}`);
  return { target: target.id };
}

function seccompOf({ type, localhostProfile = "" }: SeccompProfile): Seccomp {
  return type === "Localhost" ? { type, profile: localhostProfile } : { type };
}

/** The container's settings override the Pod's. */
function securityOf(pod: Pod, container: Container): ContainerSecurity {
  const outer = pod.spec.securityContext;
  const own = container.securityContext;
  const user = own?.runAsUser ?? outer?.runAsUser;
  const group = own?.runAsGroup ?? outer?.runAsGroup;
  const privileged = own?.privileged ?? false;
  const profile = own?.seccompProfile ?? outer?.seccompProfile;
  const { fsGroup, supplementalGroups = [] } = outer ?? {};
  return {
    privileged,
    ...(own?.procMount === "Unmasked" && pod.spec.hostUsers === false && { unmasked: true }),
    readOnlyRootFilesystem: own?.readOnlyRootFilesystem ?? false,
    allowPrivilegeEscalation: privileged || (own?.allowPrivilegeEscalation ?? true),
    ...(user === undefined ? {} : { runAsUser: user }),
    ...(group === undefined ? {} : { runAsGroup: group }),
    supplementalGroups: fsGroup === undefined ? supplementalGroups : [...supplementalGroups, fsGroup],
    supplementalGroupsPolicy: outer?.supplementalGroupsPolicy ?? "Merge",
    runAsNonRoot: own?.runAsNonRoot ?? outer?.runAsNonRoot ?? false,
    addCapabilities: own?.capabilities?.add ?? [],
    dropCapabilities: own?.capabilities?.drop ?? [],
    // A privileged container is never confined, whatever its profile says (as in containerd).
    seccomp: privileged || profile === undefined ? { type: "Unconfined" } : seccompOf(profile),
  };
}

/** Adds the groups by which the Pod's volumes are shared (kubelet `GetExtraSupplementalGroupsForPod`). */
function withVolumeGroups(
  security: ContainerSecurity,
  volumes: ReadonlyMap<string, PreparedVolume>,
): ContainerSecurity {
  const groups = [...volumes.values()].flatMap(({ group }) => group ?? []);
  if (groups.length === 0) return security;
  return { ...security, supplementalGroups: [...new Set([...security.supplementalGroups, ...groups])] };
}
