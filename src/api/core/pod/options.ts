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

export const PodLogOptions = message("PodLogOptions", "Which part of a container's log is wanted.", {
  container: optional(1, string, "The container; may be left out when there is only one."),
  follow: optional(2, boolean, "Whether to go on as the log grows."),
  previous: optional(3, boolean, "Whether to show the container that ran before."),
  sinceSeconds: pointer(4, int64, "Only lines of the last so many seconds."),
  sinceTime: pointer(5, time, "Only lines since this time."),
  timestamps: optional(6, boolean, "Whether each line starts with its time."),
  tailLines: pointer(7, int64, "Only the last so many lines."),
  limitBytes: pointer(8, int64, "At most so many bytes."),
  insecureSkipTLSVerifyBackend: optional(9, boolean, "Whether the kubelet's certificate goes unchecked."),
  stream: pointer(10, string, "Which output: All, Stdout or Stderr."),
});
export type PodLogOptions = Out<typeof PodLogOptions>;

export const PodAttachOptions = message(
  "PodAttachOptions",
  "Which streams of a running container to attach to.",
  {
    stdin: optional(1, boolean, "Whether to send standard input."),
    stdout: optional(2, boolean, "Whether to receive standard output."),
    stderr: optional(3, boolean, "Whether to receive standard error."),
    tty: optional(4, boolean, "Whether the streams are a terminal."),
    container: optional(5, string, "The container; may be left out when there is only one."),
  },
);
export type PodAttachOptions = Out<typeof PodAttachOptions>;

export const PodExecOptions = message("PodExecOptions", "The command to run in a container.", {
  stdin: optional(1, boolean, "Whether to send standard input."),
  stdout: optional(2, boolean, "Whether to receive standard output."),
  stderr: optional(3, boolean, "Whether to receive standard error."),
  tty: optional(4, boolean, "Whether a terminal is allocated."),
  container: optional(5, string, "The container; may be left out when there is only one."),
  command: required(6, list(string), "The command and its arguments, without a shell."),
});
export type PodExecOptions = Out<typeof PodExecOptions>;

export const PodPortForwardOptions = message("PodPortForwardOptions", "The ports to forward.", {
  ports: optional(1, list(int32), "The Pod's ports."),
});
export type PodPortForwardOptions = Out<typeof PodPortForwardOptions>;

export const PodProxyOptions = message("PodProxyOptions", "Where to send a request to a Pod.", {
  path: optional(1, string, "The URL path."),
});
export type PodProxyOptions = Out<typeof PodProxyOptions>;

export const ServiceProxyOptions = message("ServiceProxyOptions", "Where to send a request to a Service.", {
  path: optional(1, string, "The URL path, with the port before it."),
});
export type ServiceProxyOptions = Out<typeof ServiceProxyOptions>;

export const NodeProxyOptions = message("NodeProxyOptions", "Where to send a request to a node.", {
  path: optional(1, string, "The URL path."),
});
export type NodeProxyOptions = Out<typeof NodeProxyOptions>;
