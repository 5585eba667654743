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
  hostPort: optional(2, int32, "The port on the host that leads here."),
  containerPort: required(3, int32, "The port number in the container."),
  protocol: optional(4, oneOf("SCTP", "TCP", "UDP"), "The transport.", { default: "TCP" }),
  hostIP: optional(5, string, "The host's address that `hostPort` is bound to."),
});
export type ContainerPort = Out<typeof ContainerPort>;

export const VolumeMount = message("VolumeMount", "A volume's place in a container.", {
  name: required(1, string, "The volume."),
  readOnly: optional(2, boolean, "Whether the mount may only be read."),
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
    "How later mounts spread between host and container; None when absent.",
  ),
  subPathExpr: optional(6, string, "As `subPath`, with `$(NAME)` for the container's variables."),
});
export type VolumeMount = Out<typeof VolumeMount>;

export const VolumeDevice = message("VolumeDevice", "A block volume's place in a container.", {
  name: required(1, string, "The volume; it must come from a claim in Block mode."),
  devicePath: required(2, string, "The device's path in the container."),
});
export type VolumeDevice = Out<typeof VolumeDevice>;

export const ContainerRestartRuleOnExitCodes = message(
  "ContainerRestartRuleOnExitCodes",
  "Matches exit codes.",
  {
    operator: optional(1, string, "In or NotIn."),
    values: optional(2, set(int32), "The exit codes; at most 255 of them."),
  },
);
export type ContainerRestartRuleOnExitCodes = Out<typeof ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = message(
  "ContainerRestartRule",
  "What to do when a container ends in a certain way.",
  {
    action: optional(1, string, "What to do: Restart or RestartAllContainers."),
    exitCodes: pointer(2, ContainerRestartRuleOnExitCodes, "The exit codes that are meant."),
  },
);
export type ContainerRestartRule = Out<typeof ContainerRestartRule>;

const container = message("Container", "A process tree with its own file system, within a Pod.", {
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
  envFrom: optional(19, list(EnvFromSource), "Environment variables in bulk; later sources win."),
  env: optional(7, keyed(EnvVar, "name"), "Environment variables.", { merge: "name" }),
  resources: optional(8, ResourceRequirements, "What the container needs, and may take at most."),
  resizePolicy: optional(
    23,
    list(ContainerResizePolicy),
    "What a change of resources means for the running container.",
  ),
  restartPolicy: pointer(24, string, "Overrides the Pod's policy; Always makes an init container a sidecar."),
  restartPolicyRules: optional(
    25,
    list(ContainerRestartRule),
    "Exceptions by exit code; the first that matches decides.",
  ),
  volumeMounts: optional(9, keyed(VolumeMount, "mountPath"), "Where volumes are mounted.", {
    merge: "mountPath",
  }),
  volumeDevices: optional(21, keyed(VolumeDevice, "devicePath"), "Where block volumes appear.", {
    merge: "devicePath",
  }),
  livenessProbe: pointer(10, Probe, "Whether the container lives; failure restarts it."),
  readinessProbe: pointer(
    11,
    Probe,
    "Whether the container can serve; failure takes the Pod out of Services.",
  ),
  startupProbe: pointer(22, Probe, "Whether the container has started; other probes wait for it."),
  lifecycle: pointer(12, Lifecycle, "What is done when the container starts and ends."),
  terminationMessagePath: optional(13, string, "The file that a last message is read from.", {
    default: "/dev/termination-log",
  }),
  terminationMessagePolicy: optional(
    20,
    oneOf("FallbackToLogsOnError", "File"),
    "Whether the end of the log serves when that file is empty.",
    { default: "File" },
  ),
  imagePullPolicy: optional(14, oneOf("Always", "IfNotPresent", "Never"), "When the image is pulled."),
  securityContext: pointer(15, SecurityContext, "Security settings."),
  stdin: optional(16, boolean, "Whether a buffer for standard input is kept."),
  stdinOnce: optional(17, boolean, "Whether standard input ends with the first client that detaches."),
  tty: optional(18, boolean, "Whether a terminal is allocated; needs `stdin`."),
});
export interface Container extends Out<typeof container> {}
export interface ContainerInput extends In<typeof container> {}
export const Container: MessageType<Container, ContainerInput> = container;

export const EphemeralContainerCommon = message(
  "EphemeralContainerCommon",
  "What an ephemeral container has in common with others.",
  {
    name: required(1, string, "The name, unique in the Pod."),
    image: optional(2, string, "The image's reference."),
    command: optional(3, list(string), "The entrypoint, without a shell; the image's own when empty."),
    args: optional(4, list(string), "Arguments of the entrypoint; the image's own when empty."),
    workingDir: optional(5, string, "The working directory; the image's own when empty."),
    ports: optional(6, keyed(ContainerPort, "containerPort", "protocol"), "Not allowed here.", {
      merge: "containerPort",
    }),
    envFrom: optional(19, list(EnvFromSource), "Environment variables in bulk; later sources win."),
    env: optional(7, keyed(EnvVar, "name"), "Environment variables.", { merge: "name" }),
    resources: optional(8, ResourceRequirements, "Not allowed here."),
    resizePolicy: optional(
      23,
      list(ContainerResizePolicy),
      "What a change of resources means for the running container.",
    ),
    restartPolicy: pointer(24, string, "Not allowed here."),
    restartPolicyRules: optional(25, list(ContainerRestartRule), "Not allowed here."),
    volumeMounts: optional(
      9,
      keyed(VolumeMount, "mountPath"),
      "Where volumes are mounted; without sub-paths.",
      { merge: "mountPath" },
    ),
    volumeDevices: optional(21, keyed(VolumeDevice, "devicePath"), "Where block volumes appear.", {
      merge: "devicePath",
    }),
    livenessProbe: pointer(10, Probe, "Not allowed here."),
    readinessProbe: pointer(11, Probe, "Not allowed here."),
    startupProbe: pointer(22, Probe, "Not allowed here."),
    lifecycle: pointer(12, Lifecycle, "Not allowed here."),
    terminationMessagePath: optional(13, string, "The file that a last message is read from.", {
      default: "/dev/termination-log",
    }),
    terminationMessagePolicy: optional(
      20,
      oneOf("FallbackToLogsOnError", "File"),
      "Whether the end of the log serves when that file is empty.",
      { default: "File" },
    ),
    imagePullPolicy: optional(14, oneOf("Always", "IfNotPresent", "Never"), "When the image is pulled."),
    securityContext: pointer(15, SecurityContext, "Security settings."),
    stdin: optional(16, boolean, "Whether a buffer for standard input is kept."),
    stdinOnce: optional(17, boolean, "Whether standard input ends with the first client that detaches."),
    tty: optional(18, boolean, "Whether a terminal is allocated; needs `stdin`."),
  },
);
export type EphemeralContainerCommon = Out<typeof EphemeralContainerCommon>;

const ephemeralContainer = message(
  "EphemeralContainer",
  "A container added to a running Pod, to look into it; it is never restarted.",
  {
    ephemeralContainerCommon: inline(
      1,
      EphemeralContainerCommon,
      "What it has in common with other containers.",
    ),
    targetContainerName: optional(2, string, "The container whose process namespace is joined."),
  },
);
export interface EphemeralContainer extends Out<typeof ephemeralContainer> {}
export interface EphemeralContainerInput extends In<typeof ephemeralContainer> {}
export const EphemeralContainer: MessageType<EphemeralContainer, EphemeralContainerInput> =
  ephemeralContainer;
