import {
  type Out,
  boolean,
  inline,
  int32,
  keyed,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  set,
  string,
} from "../../../meta/schema.ts";
import { EnvFromSource, EnvVar } from "./env.ts";
import { Lifecycle, Probe } from "./probe.ts";
import { ContainerResizePolicy, ResourceRequirements } from "./resources.ts";
import { SecurityContext } from "./security.ts";

const message = messages("io.k8s.api.core.v1");

export const ContainerPort = message("ContainerPort", "A container port.", {
  name: optional(1, string, "The name."),
  hostPort: optional(2, int32, "The host port."),
  containerPort: required(3, int32, "The container port."),
  protocol: optional(4, oneOf("SCTP", "TCP", "UDP"), "The protocol.", { default: "TCP" }),
  hostIP: optional(5, string, "The host ip."),
});
export type ContainerPort = Out<typeof ContainerPort>;

export const VolumeMount = message("VolumeMount", "A volume mount.", {
  name: required(1, string, "The name."),
  readOnly: optional(2, boolean, "The read only."),
  recursiveReadOnly: pointer(7, string, "The recursive read only."),
  mountPath: required(3, string, "The mount path."),
  subPath: optional(4, string, "The sub path."),
  mountPropagation: pointer(5, oneOf("Bidirectional", "HostToContainer", "None"), "The mount propagation."),
  subPathExpr: optional(6, string, "The sub path expr."),
});
export type VolumeMount = Out<typeof VolumeMount>;

export const VolumeDevice = message("VolumeDevice", "A volume device.", {
  name: required(1, string, "The name."),
  devicePath: required(2, string, "The device path."),
});
export type VolumeDevice = Out<typeof VolumeDevice>;

export const ContainerRestartRuleOnExitCodes = message(
  "ContainerRestartRuleOnExitCodes",
  "A container restart rule on exit codes.",
  {
    operator: optional(1, string, "The operator."),
    values: optional(2, set(int32), "The values."),
  },
);
export type ContainerRestartRuleOnExitCodes = Out<typeof ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = message("ContainerRestartRule", "A container restart rule.", {
  action: optional(1, string, "The action."),
  exitCodes: pointer(2, ContainerRestartRuleOnExitCodes, "The exit codes."),
});
export type ContainerRestartRule = Out<typeof ContainerRestartRule>;

export const Container = message("Container", "A container.", {
  name: required(1, string, "The name."),
  image: optional(2, string, "The image."),
  command: optional(3, list(string), "The command."),
  args: optional(4, list(string), "The args."),
  workingDir: optional(5, string, "The working dir."),
  ports: optional(6, keyed(ContainerPort, "containerPort", "protocol"), "The ports.", {
    merge: "containerPort",
  }),
  envFrom: optional(19, list(EnvFromSource), "The env from."),
  env: optional(7, keyed(EnvVar, "name"), "The env.", { merge: "name" }),
  resources: optional(8, ResourceRequirements, "The resources."),
  resizePolicy: optional(23, list(ContainerResizePolicy), "The resize policy."),
  restartPolicy: pointer(24, string, "The restart policy."),
  restartPolicyRules: optional(25, list(ContainerRestartRule), "The restart policy rules."),
  volumeMounts: optional(9, keyed(VolumeMount, "mountPath"), "The volume mounts.", { merge: "mountPath" }),
  volumeDevices: optional(21, keyed(VolumeDevice, "devicePath"), "The volume devices.", {
    merge: "devicePath",
  }),
  livenessProbe: pointer(10, Probe, "The liveness probe."),
  readinessProbe: pointer(11, Probe, "The readiness probe."),
  startupProbe: pointer(22, Probe, "The startup probe."),
  lifecycle: pointer(12, Lifecycle, "The lifecycle."),
  terminationMessagePath: optional(13, string, "The termination message path.", {
    default: "/dev/termination-log",
  }),
  terminationMessagePolicy: optional(
    20,
    oneOf("FallbackToLogsOnError", "File"),
    "The termination message policy.",
    { default: "File" },
  ),
  imagePullPolicy: optional(14, oneOf("Always", "IfNotPresent", "Never"), "The image pull policy."),
  securityContext: pointer(15, SecurityContext, "The security context."),
  stdin: optional(16, boolean, "The stdin."),
  stdinOnce: optional(17, boolean, "The stdin once."),
  tty: optional(18, boolean, "The tty."),
});
export type Container = Out<typeof Container>;

export const EphemeralContainerCommon = message("EphemeralContainerCommon", "A ephemeral container common.", {
  name: required(1, string, "The name."),
  image: optional(2, string, "The image."),
  command: optional(3, list(string), "The command."),
  args: optional(4, list(string), "The args."),
  workingDir: optional(5, string, "The working dir."),
  ports: optional(6, keyed(ContainerPort, "containerPort", "protocol"), "The ports.", {
    merge: "containerPort",
  }),
  envFrom: optional(19, list(EnvFromSource), "The env from."),
  env: optional(7, keyed(EnvVar, "name"), "The env.", { merge: "name" }),
  resources: optional(8, ResourceRequirements, "The resources."),
  resizePolicy: optional(23, list(ContainerResizePolicy), "The resize policy."),
  restartPolicy: pointer(24, string, "The restart policy."),
  restartPolicyRules: optional(25, list(ContainerRestartRule), "The restart policy rules."),
  volumeMounts: optional(9, keyed(VolumeMount, "mountPath"), "The volume mounts.", { merge: "mountPath" }),
  volumeDevices: optional(21, keyed(VolumeDevice, "devicePath"), "The volume devices.", {
    merge: "devicePath",
  }),
  livenessProbe: pointer(10, Probe, "The liveness probe."),
  readinessProbe: pointer(11, Probe, "The readiness probe."),
  startupProbe: pointer(22, Probe, "The startup probe."),
  lifecycle: pointer(12, Lifecycle, "The lifecycle."),
  terminationMessagePath: optional(13, string, "The termination message path.", {
    default: "/dev/termination-log",
  }),
  terminationMessagePolicy: optional(
    20,
    oneOf("FallbackToLogsOnError", "File"),
    "The termination message policy.",
    { default: "File" },
  ),
  imagePullPolicy: optional(14, oneOf("Always", "IfNotPresent", "Never"), "The image pull policy."),
  securityContext: pointer(15, SecurityContext, "The security context."),
  stdin: optional(16, boolean, "The stdin."),
  stdinOnce: optional(17, boolean, "The stdin once."),
  tty: optional(18, boolean, "The tty."),
});
export type EphemeralContainerCommon = Out<typeof EphemeralContainerCommon>;

export const EphemeralContainer = message("EphemeralContainer", "A ephemeral container.", {
  ephemeralContainerCommon: inline(1, EphemeralContainerCommon, "The ephemeral container common."),
  targetContainerName: optional(2, string, "The target container name."),
});
export type EphemeralContainer = Out<typeof EphemeralContainer>;
