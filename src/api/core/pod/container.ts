import {
  boolean,
  type In,
  inline,
  int32,
  keyed,
  list,
  messages,
  type MessageType,
  oneOf,
  optional,
  type Out,
  pointer,
  required,
  set,
  string,
} from "../../../meta/schema.ts";
import { EnvFromSource, EnvVar } from "./env.ts";
import { Lifecycle, Probe } from "./probe.ts";
import { ContainerResizePolicy, ResourceRequirements } from "../v1/resources.ts";
import { SecurityContext } from "./security.ts";

const message = messages("io.k8s.api.core.v1");

export const ContainerPort = message("ContainerPort", "A port that a container listens on.", {
  name: optional(1, string, "A name, unique in the Pod, for Services to refer to."),
  hostPort: optional(2, int32, "The port on the host that is forwarded to the container."),
  containerPort: required(3, int32, "The port number in the container."),
  protocol: optional(4, oneOf("SCTP", "TCP", "UDP"), "The transport protocol.", { default: "TCP" }),
  hostIP: optional(5, string, "The host's address that `hostPort` is bound to."),
});
export type ContainerPort = Out<typeof ContainerPort>;

export const VolumeMount = message("VolumeMount", "A mount of a volume in a container.", {
  name: required(1, string, "The volume."),
  readOnly: optional(2, boolean, "Whether the mount is read-only."),
  recursiveReadOnly: pointer(
    7,
    string,
    "Whether mounts below are read-only too: Disabled, IfPossible or Enabled.",
  ),
  mountPath: required(3, string, "The path in the container."),
  subPath: optional(4, string, "The path within the volume; its root when empty."),
  mountPropagation: pointer(
    5,
    oneOf("Bidirectional", "HostToContainer", "None"),
    "The propagation of later mounts between host and container; None when absent.",
  ),
  subPathExpr: optional(
    6,
    string,
    "Like `subPath`, with `$(NAME)` replaced by the container's environment variables.",
  ),
});
export type VolumeMount = Out<typeof VolumeMount>;

export const VolumeDevice = message("VolumeDevice", "A block device in a container.", {
  name: required(1, string, "The volume; it must come from a claim in Block mode."),
  devicePath: required(2, string, "The device's path in the container."),
});
export type VolumeDevice = Out<typeof VolumeDevice>;

export const ContainerRestartRuleOnExitCodes = message(
  "ContainerRestartRuleOnExitCodes",
  "Matches exit codes.",
  {
    operator: optional(1, string, "The relation between exit code and values: In or NotIn."),
    values: optional(2, set(int32), "The exit codes; at most 255 of them."),
  },
);
export type ContainerRestartRuleOnExitCodes = Out<typeof ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = message(
  "ContainerRestartRule",
  "The action when a container exits with certain codes.",
  {
    action: optional(1, string, "The action: Restart or RestartAllContainers."),
    exitCodes: pointer(2, ContainerRestartRuleOnExitCodes, "The exit codes that match."),
  },
);
export type ContainerRestartRule = Out<typeof ContainerRestartRule>;

const container = message("Container", "A container of a Pod.", {
  name: required(1, string, "The name, unique in the Pod."),
  image: optional(2, string, "The image's reference."),
  command: optional(3, list(string), "The entrypoint, without a shell; the image's own when empty."),
  args: optional(4, list(string), "Arguments of the entrypoint; the image's own when empty."),
  workingDir: optional(5, string, "The working directory; the image's own when empty."),
  ports: optional(
    6,
    keyed(ContainerPort, "containerPort", "protocol"),
    "The ports that the container listens on, for information.",
    { merge: "containerPort" },
  ),
  envFrom: optional(
    19,
    list(EnvFromSource),
    "Sources of environment variables; later sources override earlier ones.",
  ),
  env: optional(7, keyed(EnvVar, "name"), "Environment variables.", { merge: "name" }),
  resources: optional(8, ResourceRequirements, "The resource requirements."),
  resizePolicy: optional(23, list(ContainerResizePolicy), "The restart policy when resources are resized."),
  restartPolicy: pointer(
    24,
    string,
    "The container's restart policy, which overrides the Pod's; Always makes an init container a sidecar.",
  ),
  restartPolicyRules: optional(
    25,
    list(ContainerRestartRule),
    "Exceptions by exit code; the first match applies.",
  ),
  volumeMounts: optional(9, keyed(VolumeMount, "mountPath"), "The mounts of volumes.", {
    merge: "mountPath",
  }),
  volumeDevices: optional(21, keyed(VolumeDevice, "devicePath"), "The block devices.", {
    merge: "devicePath",
  }),
  livenessProbe: pointer(10, Probe, "The liveness probe; a failure restarts the container."),
  readinessProbe: pointer(
    11,
    Probe,
    "The readiness probe; while it fails, the Pod is removed from Services.",
  ),
  startupProbe: pointer(22, Probe, "The startup probe; other probes start after it has succeeded."),
  lifecycle: pointer(12, Lifecycle, "Actions after the start and before the stop of the container."),
  terminationMessagePath: optional(13, string, "The file that the termination message is read from.", {
    default: "/dev/termination-log",
  }),
  terminationMessagePolicy: optional(
    20,
    oneOf("FallbackToLogsOnError", "File"),
    "The source of the termination message: the file, or the end of the log when the file is empty.",
    { default: "File" },
  ),
  imagePullPolicy: optional(
    14,
    oneOf("Always", "IfNotPresent", "Never"),
    "The policy for pulling the image.",
  ),
  securityContext: pointer(15, SecurityContext, "Security settings of the container."),
  stdin: optional(16, boolean, "Whether a buffer for standard input is allocated."),
  stdinOnce: optional(17, boolean, "Whether standard input is closed after the first attached client."),
  tty: optional(18, boolean, "Whether a terminal is allocated; requires `stdin`."),
});
export interface Container extends Out<typeof container> {}
export interface ContainerInput extends In<typeof container> {}
export const Container: MessageType<Container, ContainerInput> = container;

export const EphemeralContainerCommon = message(
  "EphemeralContainerCommon",
  "The fields that ephemeral containers share with other containers.",
  {
    name: required(1, string, "The name, unique in the Pod."),
    image: optional(2, string, "The image's reference."),
    command: optional(3, list(string), "The entrypoint, without a shell; the image's own when empty."),
    args: optional(4, list(string), "Arguments of the entrypoint; the image's own when empty."),
    workingDir: optional(5, string, "The working directory; the image's own when empty."),
    ports: optional(6, keyed(ContainerPort, "containerPort", "protocol"), "Not allowed here.", {
      merge: "containerPort",
    }),
    envFrom: optional(
      19,
      list(EnvFromSource),
      "Sources of environment variables; later sources override earlier ones.",
    ),
    env: optional(7, keyed(EnvVar, "name"), "Environment variables.", { merge: "name" }),
    resources: optional(8, ResourceRequirements, "Not allowed here."),
    resizePolicy: optional(23, list(ContainerResizePolicy), "The restart policy when resources are resized."),
    restartPolicy: pointer(24, string, "Not allowed here."),
    restartPolicyRules: optional(25, list(ContainerRestartRule), "Not allowed here."),
    volumeMounts: optional(
      9,
      keyed(VolumeMount, "mountPath"),
      "The mounts of volumes; sub-paths are not allowed.",
      { merge: "mountPath" },
    ),
    volumeDevices: optional(21, keyed(VolumeDevice, "devicePath"), "The block devices.", {
      merge: "devicePath",
    }),
    livenessProbe: pointer(10, Probe, "Not allowed here."),
    readinessProbe: pointer(11, Probe, "Not allowed here."),
    startupProbe: pointer(22, Probe, "Not allowed here."),
    lifecycle: pointer(12, Lifecycle, "Not allowed here."),
    terminationMessagePath: optional(13, string, "The file that the termination message is read from.", {
      default: "/dev/termination-log",
    }),
    terminationMessagePolicy: optional(
      20,
      oneOf("FallbackToLogsOnError", "File"),
      "The source of the termination message: the file, or the end of the log when the file is empty.",
      { default: "File" },
    ),
    imagePullPolicy: optional(
      14,
      oneOf("Always", "IfNotPresent", "Never"),
      "The policy for pulling the image.",
    ),
    securityContext: pointer(15, SecurityContext, "Security settings of the container."),
    stdin: optional(16, boolean, "Whether a buffer for standard input is allocated."),
    stdinOnce: optional(17, boolean, "Whether standard input is closed after the first attached client."),
    tty: optional(18, boolean, "Whether a terminal is allocated; requires `stdin`."),
  },
);
export type EphemeralContainerCommon = Out<typeof EphemeralContainerCommon>;

const ephemeralContainer = message(
  "EphemeralContainer",
  "A container added to a running Pod for debugging; never restarted.",
  {
    ephemeralContainerCommon: inline(
      1,
      EphemeralContainerCommon,
      "The fields that ephemeral containers share with other containers.",
    ),
    targetContainerName: optional(
      2,
      string,
      "The container whose process namespace the ephemeral container joins.",
    ),
  },
);
export interface EphemeralContainer extends Out<typeof ephemeralContainer> {}
export interface EphemeralContainerInput extends In<typeof ephemeralContainer> {}
export const EphemeralContainer: MessageType<EphemeralContainer, EphemeralContainerInput> =
  ephemeralContainer;
