import {
  type Out,
  boolean,
  int32,
  int64,
  keyed,
  list,
  map,
  messages,
  optional,
  pointer,
  quantity,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { Signal } from "./probe.ts";
import { ResourceRequirements, ResourceStatus } from "./resources.ts";

const message = messages("io.k8s.api.core.v1");

export const ContainerStateWaiting = message("ContainerStateWaiting", "A container state waiting.", {
  reason: optional(1, string, "The reason."),
  message: optional(2, string, "The message."),
});
export type ContainerStateWaiting = Out<typeof ContainerStateWaiting>;

export const ContainerStateRunning = message("ContainerStateRunning", "A container state running.", {
  startedAt: optional(1, time, "The started at."),
});
export type ContainerStateRunning = Out<typeof ContainerStateRunning>;

export const ContainerStateTerminated = message("ContainerStateTerminated", "A container state terminated.", {
  exitCode: required(1, int32, "The exit code."),
  signal: optional(2, int32, "The signal."),
  reason: optional(3, string, "The reason."),
  message: optional(4, string, "The message."),
  startedAt: optional(5, time, "The started at."),
  finishedAt: optional(6, time, "The finished at."),
  containerID: optional(7, string, "The container id."),
});
export type ContainerStateTerminated = Out<typeof ContainerStateTerminated>;

export const ContainerState = message("ContainerState", "A container state.", {
  waiting: pointer(1, ContainerStateWaiting, "The waiting."),
  running: pointer(2, ContainerStateRunning, "The running."),
  terminated: pointer(3, ContainerStateTerminated, "The terminated."),
});
export type ContainerState = Out<typeof ContainerState>;

export const ImageVolumeStatus = message("ImageVolumeStatus", "A image volume status.", {
  imageRef: optional(1, string, "The image ref."),
});
export type ImageVolumeStatus = Out<typeof ImageVolumeStatus>;

export const VolumeStatus = message("VolumeStatus", "A volume status.", {
  image: pointer(1, ImageVolumeStatus, "The image."),
});
export type VolumeStatus = Out<typeof VolumeStatus>;

export const VolumeMountStatus = message("VolumeMountStatus", "A volume mount status.", {
  name: required(1, string, "The name."),
  mountPath: required(2, string, "The mount path."),
  readOnly: optional(3, boolean, "The read only."),
  recursiveReadOnly: pointer(4, string, "The recursive read only."),
  volumeStatus: pointer(5, VolumeStatus, "The volume status."),
});
export type VolumeMountStatus = Out<typeof VolumeMountStatus>;

export const LinuxContainerUser = message("LinuxContainerUser", "A linux container user.", {
  uid: required(1, int64, "The uid."),
  gid: required(2, int64, "The gid."),
  supplementalGroups: optional(3, list(int64), "The supplemental groups."),
});
export type LinuxContainerUser = Out<typeof LinuxContainerUser>;

export const ContainerUser = message("ContainerUser", "A container user.", {
  linux: pointer(1, LinuxContainerUser, "The linux."),
});
export type ContainerUser = Out<typeof ContainerUser>;

export const ContainerStatus = message("ContainerStatus", "A container status.", {
  name: required(1, string, "The name."),
  state: optional(2, ContainerState, "The state."),
  lastState: optional(3, ContainerState, "The last state."),
  ready: required(4, boolean, "The ready."),
  restartCount: required(5, int32, "The restart count."),
  image: required(6, string, "The image."),
  imageID: required(7, string, "The image id."),
  containerID: optional(8, string, "The container id."),
  started: pointer(9, boolean, "The started."),
  allocatedResources: optional(10, map(quantity), "The allocated resources."),
  resources: pointer(11, ResourceRequirements, "The resources."),
  volumeMounts: optional(12, keyed(VolumeMountStatus, "mountPath"), "The volume mounts.", {
    merge: "mountPath",
  }),
  user: pointer(13, ContainerUser, "The user."),
  allocatedResourcesStatus: optional(14, keyed(ResourceStatus, "name"), "The allocated resources status.", {
    merge: "name",
  }),
  stopSignal: pointer(15, Signal, "The stop signal."),
});
export type ContainerStatus = Out<typeof ContainerStatus>;
