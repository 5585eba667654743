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

export const PodLogOptions = message("PodLogOptions", "The requested part of a container's log.", {
  container: optional(1, string, "The container; optional when there is only one."),
  follow: optional(2, boolean, "Whether the stream follows the log."),
  previous: optional(3, boolean, "Whether to return the log of the previous container instance."),
  sinceSeconds: pointer(4, int64, "Returns only lines of the last seconds."),
  sinceTime: pointer(5, time, "Returns only lines since this time."),
  timestamps: optional(6, boolean, "Whether each line begins with its timestamp."),
  tailLines: pointer(7, int64, "Returns only this number of last lines."),
  limitBytes: pointer(8, int64, "Returns at most this number of bytes."),
  insecureSkipTLSVerifyBackend: optional(9, boolean, "Whether the kubelet's certificate is not verified."),
  stream: pointer(10, string, "The stream: All, Stdout or Stderr."),
});
export type PodLogOptions = Out<typeof PodLogOptions>;

export const PodAttachOptions = message(
  "PodAttachOptions",
  "The streams of a running container to attach to.",
  {
    stdin: optional(1, boolean, "Whether to send standard input."),
    stdout: optional(2, boolean, "Whether to receive standard output."),
    stderr: optional(3, boolean, "Whether to receive standard error."),
    tty: optional(4, boolean, "Whether a terminal is allocated."),
    container: optional(5, string, "The container; optional when there is only one."),
  },
);
export type PodAttachOptions = Out<typeof PodAttachOptions>;

export const PodExecOptions = message("PodExecOptions", "The command to run in a container.", {
  stdin: optional(1, boolean, "Whether to send standard input."),
  stdout: optional(2, boolean, "Whether to receive standard output."),
  stderr: optional(3, boolean, "Whether to receive standard error."),
  tty: optional(4, boolean, "Whether a terminal is allocated."),
  container: optional(5, string, "The container; optional when there is only one."),
  command: required(6, list(string), "The command and its arguments, without a shell."),
});
export type PodExecOptions = Out<typeof PodExecOptions>;

export const PodPortForwardOptions = message("PodPortForwardOptions", "The ports to forward.", {
  ports: optional(1, list(int32), "The Pod's ports."),
});
export type PodPortForwardOptions = Out<typeof PodPortForwardOptions>;

export const PodProxyOptions = message("PodProxyOptions", "The target of a proxied request to a Pod.", {
  path: optional(1, string, "The URL path."),
});
export type PodProxyOptions = Out<typeof PodProxyOptions>;

export const ServiceProxyOptions = message(
  "ServiceProxyOptions",
  "The target of a proxied request to a Service.",
  {
    path: optional(1, string, "The URL path, with the port before it."),
  },
);
export type ServiceProxyOptions = Out<typeof ServiceProxyOptions>;

export const NodeProxyOptions = message("NodeProxyOptions", "The target of a proxied request to a node.", {
  path: optional(1, string, "The URL path."),
});
export type NodeProxyOptions = Out<typeof NodeProxyOptions>;
