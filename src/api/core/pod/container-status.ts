import {
  type Out,
  amount,
  boolean,
  int32,
  int64,
  keyed,
  list,
  map,
  messages,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { Signal } from "./probe.ts";
import { ResourceRequirements, ResourceStatus } from "../v1/resources.ts";

const message = messages("io.k8s.api.core.v1");

export const ContainerStateWaiting = message("ContainerStateWaiting", "A waiting container.", {
  reason: optional(1, string, "The reason why the container waits, as one CamelCase word."),
  message: optional(2, string, "A human-readable explanation."),
});
export type ContainerStateWaiting = Out<typeof ContainerStateWaiting>;

export const ContainerStateRunning = message("ContainerStateRunning", "A running container.", {
  startedAt: optional(1, time, "The time when the container started."),
});
export type ContainerStateRunning = Out<typeof ContainerStateRunning>;

export const ContainerStateTerminated = message("ContainerStateTerminated", "A terminated container.", {
  exitCode: required(1, int32, "The exit code."),
  signal: optional(2, int32, "The signal that terminated the container."),
  reason: optional(3, string, "The reason of the termination, as one CamelCase word."),
  message: optional(4, string, "The container's termination message, or an explanation."),
  startedAt: optional(5, time, "The time when the container started."),
  finishedAt: optional(6, time, "The time when the container terminated."),
  containerID: optional(7, string, "The container's ID, as `type://id`."),
});
export type ContainerStateTerminated = Out<typeof ContainerStateTerminated>;

export const ContainerState = message(
  "ContainerState",
  "The state of a container; at most one is set, none means waiting.",
  {
    waiting: pointer(1, ContainerStateWaiting, "The container waits."),
    running: pointer(2, ContainerStateRunning, "The container runs."),
    terminated: pointer(3, ContainerStateTerminated, "The container has terminated."),
  },
);
export type ContainerState = Out<typeof ContainerState>;

export const ImageVolumeStatus = message("ImageVolumeStatus", "The content of an image volume.", {
  imageRef: optional(1, string, "The image's digest."),
});
export type ImageVolumeStatus = Out<typeof ImageVolumeStatus>;

export const VolumeStatus = message(
  "VolumeStatus",
  "The observed state of a mounted volume; at most one is set.",
  {
    image: pointer(1, ImageVolumeStatus, "An image volume."),
  },
);
export type VolumeStatus = Out<typeof VolumeStatus>;

export const VolumeMountStatus = message("VolumeMountStatus", "The status of a mount.", {
  name: required(1, string, "The volume."),
  mountPath: required(2, string, "The path in the container."),
  readOnly: optional(3, boolean, "Whether the mount is read-only."),
  recursiveReadOnly: pointer(4, string, "Whether mounts below are read-only too: Disabled or Enabled."),
  volumeStatus: pointer(5, VolumeStatus, "More about the volume."),
});
export type VolumeMountStatus = Out<typeof VolumeMountStatus>;

export const LinuxContainerUser = message(
  "LinuxContainerUser",
  "The identity of a container's first process at its start.",
  {
    uid: required(1, int64, "The user ID."),
    gid: required(2, int64, "The group ID."),
    supplementalGroups: optional(3, list(int64), "Further groups."),
  },
);
export type LinuxContainerUser = Out<typeof LinuxContainerUser>;

export const ContainerUser = message("ContainerUser", "The identity of a container's first process.", {
  linux: pointer(1, LinuxContainerUser, "The identity on Linux."),
});
export type ContainerUser = Out<typeof ContainerUser>;

export const ContainerStatus = message("ContainerStatus", "The observed state of one container.", {
  name: required(1, string, "The container."),
  state: optional(2, ContainerState, "The current state."),
  lastState: optional(3, ContainerState, "The previous termination."),
  ready: required(4, boolean, "Whether the readiness probe passes."),
  restartCount: required(5, int32, "The number of restarts."),
  image: required(6, string, "The running image."),
  imageID: required(7, string, "The image's ID."),
  containerID: optional(8, string, "The container's ID, as `type://id`."),
  started: pointer(9, boolean, "Whether it has started: postStart is done and the startup probe has passed."),
  allocatedResources: optional(10, map(amount), "The requests that the node has allocated to the container."),
  resources: pointer(11, ResourceRequirements, "The current requests and limits."),
  volumeMounts: optional(12, keyed(VolumeMountStatus, "mountPath"), "The container's mounts.", {
    merge: "mountPath",
  }),
  user: pointer(13, ContainerUser, "The identity of its first process."),
  allocatedResourcesStatus: optional(
    14,
    keyed(ResourceStatus, "name"),
    "The health of the container's devices.",
    {
      merge: "name",
    },
  ),
  stopSignal: pointer(15, Signal, "The signal that stops it."),
});
export type ContainerStatus = Out<typeof ContainerStatus>;
