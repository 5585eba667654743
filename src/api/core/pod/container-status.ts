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

export const ContainerStateWaiting = message("ContainerStateWaiting", "The container does not run yet.", {
  reason: optional(1, string, "Why not, as one CamelCase word."),
  message: optional(2, string, "Why not, for people."),
});
export type ContainerStateWaiting = Out<typeof ContainerStateWaiting>;

export const ContainerStateRunning = message("ContainerStateRunning", "The container runs.", {
  startedAt: optional(1, time, "Since when."),
});
export type ContainerStateRunning = Out<typeof ContainerStateRunning>;

export const ContainerStateTerminated = message("ContainerStateTerminated", "The container has ended.", {
  exitCode: required(1, int32, "Its exit code."),
  signal: optional(2, int32, "The signal that ended it."),
  reason: optional(3, string, "Why it ended, as one CamelCase word."),
  message: optional(4, string, "Its last message, or why it ended."),
  startedAt: optional(5, time, "When it started."),
  finishedAt: optional(6, time, "When it ended."),
  containerID: optional(7, string, "Its ID, as `type://id`."),
});
export type ContainerStateTerminated = Out<typeof ContainerStateTerminated>;

export const ContainerState = message(
  "ContainerState",
  "What a container is doing; at most one is set, none means waiting.",
  {
    waiting: pointer(1, ContainerStateWaiting, "It waits."),
    running: pointer(2, ContainerStateRunning, "It runs."),
    terminated: pointer(3, ContainerStateTerminated, "It has ended."),
  },
);
export type ContainerState = Out<typeof ContainerState>;

export const ImageVolumeStatus = message("ImageVolumeStatus", "What an image volume is made of.", {
  imageRef: optional(1, string, "The image's digest."),
});
export type ImageVolumeStatus = Out<typeof ImageVolumeStatus>;

export const VolumeStatus = message(
  "VolumeStatus",
  "What is known about a mounted volume; at most one is set.",
  {
    image: pointer(1, ImageVolumeStatus, "An image volume."),
  },
);
export type VolumeStatus = Out<typeof VolumeStatus>;

export const VolumeMountStatus = message("VolumeMountStatus", "A mount as it was made.", {
  name: required(1, string, "The volume."),
  mountPath: required(2, string, "The path in the container."),
  readOnly: optional(3, boolean, "Whether the mount may only be read."),
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
  linux: pointer(1, LinuxContainerUser, "On Linux."),
});
export type ContainerUser = Out<typeof ContainerUser>;

export const ContainerStatus = message("ContainerStatus", "What is known about one container.", {
  name: required(1, string, "The container."),
  state: optional(2, ContainerState, "What it is doing now."),
  lastState: optional(3, ContainerState, "How it ended the last time."),
  ready: required(4, boolean, "Whether it passes its readiness probe."),
  restartCount: required(5, int32, "How often it was restarted."),
  image: required(6, string, "The image that runs."),
  imageID: required(7, string, "The image's ID."),
  containerID: optional(8, string, "The container's ID, as `type://id`."),
  started: pointer(9, boolean, "Whether it has started: postStart is done and the startup probe has passed."),
  allocatedResources: optional(10, map(amount), "The requests that the node has set aside for it."),
  resources: pointer(11, ResourceRequirements, "The requests and limits in force."),
  volumeMounts: optional(12, keyed(VolumeMountStatus, "mountPath"), "Its mounts.", { merge: "mountPath" }),
  user: pointer(13, ContainerUser, "The identity of its first process."),
  allocatedResourcesStatus: optional(14, keyed(ResourceStatus, "name"), "The health of its devices.", {
    merge: "name",
  }),
  stopSignal: pointer(15, Signal, "The signal that stops it."),
});
export type ContainerStatus = Out<typeof ContainerStatus>;
