import {
  ContainerState,
  type ContainerStatus as CriContainerStatus,
  type PodSandbox,
  PodSandboxState,
  type PodSandboxStatus,
} from "../rpc/generated/cri_pb.ts";
import type { ContainerStatus, ContainerUser, SandboxStatus } from "../runtime.ts";
import { imageIn } from "./labels.ts";

/** The exit code and reason of a container that its runtime has lost (kubelet `ContainerStatusUnknown`). */
const unknownExit = { exitCode: 137, reason: "ContainerStatusUnknown" };

/** Returns the sandbox as the interface has it. `network` is given for ready sandboxes with a network of their own. */
export function sandboxStatus(
  { id, metadata, state, createdAt }: PodSandbox,
  network: PodSandboxStatus["network"],
  containers: readonly ContainerStatus[],
): SandboxStatus {
  const { uid = "", namespace = "", name = "", attempt = 0 } = metadata ?? {};
  const isReady = state === PodSandboxState.SANDBOX_READY;
  const ips = [network?.ip ?? "", ...(network?.additionalIps ?? []).map(({ ip }) => ip)];
  return {
    id,
    pod: { uid, namespace, name },
    attempt,
    state: isReady ? "ready" : "notReady",
    createdAt: milliseconds(createdAt),
    ips: isReady ? ips.filter((ip) => ip !== "") : [],
    containers,
  };
}

/** Returns the container as the interface has it. `message` is its termination message. */
export function containerStatus(status: CriContainerStatus, message: string | undefined): ContainerStatus {
  const { id, metadata, annotations, image, imageRef, createdAt, startedAt, logPath, user } = status;
  const { name = "", attempt = 0 } = metadata ?? {};
  const words = [status.message, message].find((text) => text !== undefined && text !== "");
  return {
    id,
    name,
    attempt,
    image: imageIn(annotations) || (image?.image ?? ""),
    imageId: imageRef,
    createdAt: milliseconds(createdAt),
    ...(startedAt > 0n && { startedAt: milliseconds(startedAt) }),
    ...(user?.linux !== undefined && { user: userOf(user.linux) }),
    logPath,
    ...exitOf(status),
    ...(status.state === ContainerState.CONTAINER_EXITED && words !== undefined && { message: words }),
  };
}

function exitOf({ state, finishedAt, exitCode, reason }: CriContainerStatus) {
  if (state === ContainerState.CONTAINER_CREATED) return { state: "created" } as const;
  if (state === ContainerState.CONTAINER_RUNNING) return { state: "running" } as const;
  const finished = finishedAt > 0n ? { finishedAt: milliseconds(finishedAt) } : {};
  if (state === ContainerState.CONTAINER_UNKNOWN)
    return { state: "exited", ...finished, ...unknownExit } as const;
  const why = reason === "" ? (exitCode === 0 ? "Completed" : "Error") : reason;
  return { state: "exited", ...finished, exitCode, reason: why } as const;
}

function userOf(user: {
  readonly uid: bigint;
  readonly gid: bigint;
  readonly supplementalGroups: readonly bigint[];
}): ContainerUser {
  return { uid: Number(user.uid), gid: Number(user.gid), groups: user.supplementalGroups.map(Number) };
}

function milliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000n);
}
