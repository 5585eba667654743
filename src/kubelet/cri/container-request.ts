import { join } from "node:path";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type ContainerConfigSchema,
  type LinuxContainerSecurityContextSchema,
  MountPropagation,
  SecurityProfile_ProfileType,
  Signal,
  SupplementalGroupsPolicy,
} from "../rpc/generated/cri_pb.ts";
import { maskedPaths, readOnlyPaths } from "../kernel-paths.ts";
import {
  type ContainerConfig,
  type ContainerSecurity,
  type Mount,
  type PodIdentity,
  RuntimeError,
  type Seccomp,
} from "../runtime.ts";
import { containerAnnotations, containerLabels } from "./labels.ts";
import { type namespaces, resourcesRequest } from "./sandbox-request.ts";

export type ContainerConfigInit = MessageInitShape<typeof ContainerConfigSchema>;

/** The user of an image: a number, or else a name; neither for root. */
export interface ImageUser {
  readonly uid?: bigint;
  readonly username: string;
}

/** A mount whose source the runtime may resolve as a path. */
export interface SafeMount {
  readonly hostPath: string;
  readonly containerPath: string;
  readonly readOnly: boolean;
  readonly recursiveReadOnly?: true;
  readonly propagation: Mount["propagation"];
}

/** The facts of a container's sandbox and node that the container's configuration contains. */
export interface ContainerPlace {
  readonly owner: string;
  readonly pod: PodIdentity;
  /** The ID of the image on this node. */
  readonly imageId: string;
  readonly imageUser: ImageUser;
  readonly namespaces: ReturnType<typeof namespaces>;
  readonly mounts: readonly SafeMount[];
  readonly seccompDirectory: string;
}

const propagations = {
  None: MountPropagation.PROPAGATION_PRIVATE,
  HostToContainer: MountPropagation.PROPAGATION_HOST_TO_CONTAINER,
  Bidirectional: MountPropagation.PROPAGATION_BIDIRECTIONAL,
};

const signals: ReadonlyMap<string, Signal> = new Map(Object.entries(Signal));

/** Returns the path of a container's log below its Pod's directory of logs. */
export function logPathOf({ name, attempt }: Pick<ContainerConfig, "name" | "attempt">): string {
  return `${name}/${attempt}.log`;
}

/**
 * Returns the runtime's configuration of a container (kubelet `kuberuntime_container.go`). @throws RuntimeError
 * CreateContainerError for a seccomp profile outside of the node's directory
 */
export function containerRequest(config: ContainerConfig, place: ContainerPlace): ContainerConfigInit {
  const { name, attempt, image, terminationMessagePolicy, stdin, stdinOnce, tty } = config;
  return {
    metadata: { name, attempt },
    image: { image: place.imageId, userSpecifiedImage: image },
    command: [...config.command],
    args: [...config.args],
    workingDir: config.workingDir,
    envs: config.env.map(({ name, value }) => ({ key: name, value: Buffer.from(value) })),
    devices: (config.devices ?? []).map(({ hostPath, containerPath, readOnly }) => ({
      hostPath,
      containerPath,
      permissions: readOnly ? "r" : "mrw",
    })),
    mounts: place.mounts.map(({ hostPath, containerPath, readOnly, recursiveReadOnly, propagation }) => ({
      hostPath,
      containerPath,
      readonly: readOnly,
      recursiveReadOnly: recursiveReadOnly ?? false,
      propagation: propagations[propagation],
    })),
    labels: containerLabels(place.owner, place.pod, name),
    annotations: containerAnnotations({ attempt, image, terminationMessagePolicy }),
    logPath: logPathOf(config),
    stdin,
    stdinOnce,
    tty,
    stopSignal: signals.get(config.stopSignal) ?? Signal.RUNTIME_DEFAULT,
    linux: {
      resources: resourcesRequest(config.resources),
      securityContext: securityRequest(config.security, place),
    },
  };
}

function securityRequest(
  security: ContainerSecurity,
  { namespaces, seccompDirectory, imageUser }: ContainerPlace,
): MessageInitShape<typeof LinuxContainerSecurityContextSchema> {
  const { privileged } = security;
  return {
    privileged,
    namespaceOptions: namespaces,
    capabilities: {
      addCapabilities: [...security.addCapabilities],
      dropCapabilities: [...security.dropCapabilities],
    },
    ...userRequest(security, imageUser),
    readonlyRootfs: security.readOnlyRootFilesystem,
    supplementalGroups: security.supplementalGroups.map(BigInt),
    supplementalGroupsPolicy: SupplementalGroupsPolicy[security.supplementalGroupsPolicy],
    noNewPrivs: !security.allowPrivilegeEscalation,
    maskedPaths: privileged ? [] : [...maskedPaths],
    readonlyPaths: privileged ? [] : [...readOnlyPaths],
    seccomp: seccompRequest(security.seccomp, seccompDirectory),
  };
}

/** The Pod's user, or else the image's: CRI takes a group only with a user (kubelet `security_context.go`). */
function userRequest({ runAsUser, runAsGroup }: ContainerSecurity, { uid, username }: ImageUser) {
  const user = runAsUser === undefined ? uid : BigInt(runAsUser);
  return {
    ...(user !== undefined && { runAsUser: { value: user } }),
    runAsUsername: user === undefined ? username : "",
    ...(runAsGroup !== undefined && { runAsGroup: { value: BigInt(runAsGroup) } }),
  };
}

/** Refuses root where the Pod forbids it (kubelet `verifyRunAsNonRoot`). @throws RuntimeError CreateContainerConfigError */
export function verifyNonRoot(
  { runAsNonRoot, runAsUser }: ContainerSecurity,
  { uid, username }: ImageUser,
): void {
  if (!runAsNonRoot) return;
  const refuse = (why: string) => new RuntimeError("CreateContainerConfigError", why);
  if (runAsUser !== undefined) {
    if (runAsUser === 0) throw refuse("container's runAsUser breaks non-root policy");
    return;
  }
  if (username !== "") {
    const why = `image has non-numeric user (${username}), cannot verify user is non-root`;
    throw refuse(`container has runAsNonRoot and ${why}`);
  }
  if (uid === undefined || uid === 0n) throw refuse("container has runAsNonRoot and image will run as root");
}

function seccompRequest(seccomp: Seccomp, directory: string) {
  const { RuntimeDefault, Unconfined, Localhost } = SecurityProfile_ProfileType;
  if (seccomp.type !== "Localhost")
    return { profileType: seccomp.type === "Unconfined" ? Unconfined : RuntimeDefault };
  const { profile } = seccomp;
  if (profile.startsWith("/") || profile.split("/").includes("..")) {
    const message = `the seccomp profile ${JSON.stringify(profile)} is outside of the node's directory`;
    throw new RuntimeError("CreateContainerError", message);
  }
  return { profileType: Localhost, localhostRef: join(directory, profile) };
}
