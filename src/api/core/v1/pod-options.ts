import {
  type Out,
  boolean,
  int32,
  int64,
  list,
  messages,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";

const message = messages("io.k8s.api.core.v1");

export const PodLogOptions = message("PodLogOptions", "A pod log options.", {
  container: optional(1, string, "The container."),
  follow: optional(2, boolean, "The follow."),
  previous: optional(3, boolean, "The previous."),
  sinceSeconds: pointer(4, int64, "The since seconds."),
  sinceTime: pointer(5, time, "The since time."),
  timestamps: optional(6, boolean, "The timestamps."),
  tailLines: pointer(7, int64, "The tail lines."),
  limitBytes: pointer(8, int64, "The limit bytes."),
  insecureSkipTLSVerifyBackend: optional(9, boolean, "The insecure skip tls verify backend."),
  stream: pointer(10, string, "The stream."),
});
export type PodLogOptions = Out<typeof PodLogOptions>;

export const PodAttachOptions = message("PodAttachOptions", "A pod attach options.", {
  stdin: optional(1, boolean, "The stdin."),
  stdout: optional(2, boolean, "The stdout."),
  stderr: optional(3, boolean, "The stderr."),
  tty: optional(4, boolean, "The tty."),
  container: optional(5, string, "The container."),
});
export type PodAttachOptions = Out<typeof PodAttachOptions>;

export const PodExecOptions = message("PodExecOptions", "A pod exec options.", {
  stdin: optional(1, boolean, "The stdin."),
  stdout: optional(2, boolean, "The stdout."),
  stderr: optional(3, boolean, "The stderr."),
  tty: optional(4, boolean, "The tty."),
  container: optional(5, string, "The container."),
  command: required(6, list(string), "The command."),
});
export type PodExecOptions = Out<typeof PodExecOptions>;

export const PodPortForwardOptions = message("PodPortForwardOptions", "A pod port forward options.", {
  ports: optional(1, list(int32), "The ports."),
});
export type PodPortForwardOptions = Out<typeof PodPortForwardOptions>;

export const PodProxyOptions = message("PodProxyOptions", "A pod proxy options.", {
  path: optional(1, string, "The path."),
});
export type PodProxyOptions = Out<typeof PodProxyOptions>;

export const ServiceProxyOptions = message("ServiceProxyOptions", "A service proxy options.", {
  path: optional(1, string, "The path."),
});
export type ServiceProxyOptions = Out<typeof ServiceProxyOptions>;

export const NodeProxyOptions = message("NodeProxyOptions", "A node proxy options.", {
  path: optional(1, string, "The path."),
});
export type NodeProxyOptions = Out<typeof NodeProxyOptions>;
