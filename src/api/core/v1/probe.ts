import {
  type Out,
  inline,
  int32,
  int64,
  intOrString,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";

const message = messages("io.k8s.api.core.v1");

/** The signals that may stop a container, on Linux and Windows. */
export const Signal = oneOf(
  "SIGABRT",
  "SIGALRM",
  "SIGBUS",
  "SIGCHLD",
  "SIGCLD",
  "SIGCONT",
  "SIGFPE",
  "SIGHUP",
  "SIGILL",
  "SIGINT",
  "SIGIO",
  "SIGIOT",
  "SIGKILL",
  "SIGPIPE",
  "SIGPOLL",
  "SIGPROF",
  "SIGPWR",
  "SIGQUIT",
  "SIGRTMAX",
  "SIGRTMAX-1",
  "SIGRTMAX-10",
  "SIGRTMAX-11",
  "SIGRTMAX-12",
  "SIGRTMAX-13",
  "SIGRTMAX-14",
  "SIGRTMAX-2",
  "SIGRTMAX-3",
  "SIGRTMAX-4",
  "SIGRTMAX-5",
  "SIGRTMAX-6",
  "SIGRTMAX-7",
  "SIGRTMAX-8",
  "SIGRTMAX-9",
  "SIGRTMIN",
  "SIGRTMIN+1",
  "SIGRTMIN+10",
  "SIGRTMIN+11",
  "SIGRTMIN+12",
  "SIGRTMIN+13",
  "SIGRTMIN+14",
  "SIGRTMIN+15",
  "SIGRTMIN+2",
  "SIGRTMIN+3",
  "SIGRTMIN+4",
  "SIGRTMIN+5",
  "SIGRTMIN+6",
  "SIGRTMIN+7",
  "SIGRTMIN+8",
  "SIGRTMIN+9",
  "SIGSEGV",
  "SIGSTKFLT",
  "SIGSTOP",
  "SIGSYS",
  "SIGTERM",
  "SIGTRAP",
  "SIGTSTP",
  "SIGTTIN",
  "SIGTTOU",
  "SIGURG",
  "SIGUSR1",
  "SIGUSR2",
  "SIGVTALRM",
  "SIGWINCH",
  "SIGXCPU",
  "SIGXFSZ",
);

export const ExecAction = message("ExecAction", "A exec action.", {
  command: optional(1, list(string), "The command."),
});
export type ExecAction = Out<typeof ExecAction>;

export const HTTPHeader = message("HTTPHeader", "A http header.", {
  name: required(1, string, "The name."),
  value: required(2, string, "The value."),
});
export type HTTPHeader = Out<typeof HTTPHeader>;

export const HTTPGetAction = message("HTTPGetAction", "A http get action.", {
  path: optional(1, string, "The path.", { default: "/" }),
  port: required(2, intOrString, "The port."),
  host: optional(3, string, "The host."),
  scheme: optional(4, oneOf("HTTP", "HTTPS"), "The scheme.", { default: "HTTP" }),
  httpHeaders: optional(5, list(HTTPHeader), "The http headers."),
});
export type HTTPGetAction = Out<typeof HTTPGetAction>;

export const TCPSocketAction = message("TCPSocketAction", "A tcp socket action.", {
  port: required(1, intOrString, "The port."),
  host: optional(2, string, "The host."),
});
export type TCPSocketAction = Out<typeof TCPSocketAction>;

export const GRPCAction = message("GRPCAction", "A grpc action.", {
  port: required(1, int32, "The port."),
  service: pointer(2, string, "The service.", { default: "" }),
});
export type GRPCAction = Out<typeof GRPCAction>;

export const SleepAction = message("SleepAction", "A sleep action.", {
  seconds: required(1, int64, "The seconds."),
});
export type SleepAction = Out<typeof SleepAction>;

export const ProbeHandler = message("ProbeHandler", "A probe handler.", {
  exec: pointer(1, ExecAction, "The exec."),
  httpGet: pointer(2, HTTPGetAction, "The http get."),
  tcpSocket: pointer(3, TCPSocketAction, "The tcp socket."),
  grpc: pointer(4, GRPCAction, "The grpc."),
});
export type ProbeHandler = Out<typeof ProbeHandler>;

export const Probe = message("Probe", "A probe.", {
  handler: inline(1, ProbeHandler, "The handler."),
  initialDelaySeconds: optional(2, int32, "The initial delay seconds."),
  timeoutSeconds: optional(3, int32, "The timeout seconds.", { default: 1 }),
  periodSeconds: optional(4, int32, "The period seconds.", { default: 10 }),
  successThreshold: optional(5, int32, "The success threshold.", { default: 1 }),
  failureThreshold: optional(6, int32, "The failure threshold.", { default: 3 }),
  terminationGracePeriodSeconds: pointer(7, int64, "The termination grace period seconds."),
});
export type Probe = Out<typeof Probe>;

export const LifecycleHandler = message("LifecycleHandler", "A lifecycle handler.", {
  exec: pointer(1, ExecAction, "The exec."),
  httpGet: pointer(2, HTTPGetAction, "The http get."),
  tcpSocket: pointer(3, TCPSocketAction, "The tcp socket."),
  sleep: pointer(4, SleepAction, "The sleep."),
});
export type LifecycleHandler = Out<typeof LifecycleHandler>;

export const Lifecycle = message("Lifecycle", "A lifecycle.", {
  postStart: pointer(1, LifecycleHandler, "The post start."),
  preStop: pointer(2, LifecycleHandler, "The pre stop."),
  stopSignal: pointer(3, Signal, "The stop signal."),
});
export type Lifecycle = Out<typeof Lifecycle>;
