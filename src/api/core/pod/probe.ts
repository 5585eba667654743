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

/** The possible stop signals, on Linux and Windows. */
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

export const ExecAction = message("ExecAction", "Runs a command in the container.", {
  command: optional(
    1,
    list(string),
    "The command and its arguments, without a shell; exit code 0 is success.",
  ),
});
export type ExecAction = Out<typeof ExecAction>;

export const HTTPHeader = message("HTTPHeader", "A header of a request.", {
  name: required(1, string, "The header's name."),
  value: required(2, string, "The header's value."),
});
export type HTTPHeader = Out<typeof HTTPHeader>;

export const HTTPGetAction = message("HTTPGetAction", "Sends an HTTP GET; 200 to 399 is success.", {
  path: optional(1, string, "The path.", { default: "/" }),
  port: required(2, intOrString, "The port's number, or its name in the container."),
  host: optional(3, string, "The host; the Pod's IP when empty."),
  scheme: optional(4, oneOf("HTTP", "HTTPS"), "The scheme.", { default: "HTTP" }),
  httpHeaders: optional(5, list(HTTPHeader), "Headers to send."),
});
export type HTTPGetAction = Out<typeof HTTPGetAction>;

export const TCPSocketAction = message("TCPSocketAction", "Opens a TCP connection.", {
  port: required(1, intOrString, "The port's number, or its name in the container."),
  host: optional(2, string, "The host; the Pod's IP when empty."),
});
export type TCPSocketAction = Out<typeof TCPSocketAction>;

export const GRPCAction = message("GRPCAction", "Calls the gRPC health service.", {
  port: required(1, int32, "The port's number."),
  service: pointer(2, string, "The name of the service to check; empty checks the server.", { default: "" }),
});
export type GRPCAction = Out<typeof GRPCAction>;

export const SleepAction = message("SleepAction", "Waits.", {
  seconds: required(1, int64, "The number of seconds."),
});
export type SleepAction = Out<typeof SleepAction>;

export const ProbeHandler = message("ProbeHandler", "The action of a probe; exactly one is set.", {
  exec: pointer(1, ExecAction, "Runs a command."),
  httpGet: pointer(2, HTTPGetAction, "Sends an HTTP request."),
  tcpSocket: pointer(3, TCPSocketAction, "Opens a TCP connection."),
  grpc: pointer(4, GRPCAction, "Calls the gRPC health service."),
});
export type ProbeHandler = Out<typeof ProbeHandler>;

export const Probe = message("Probe", "A periodic check of a container.", {
  handler: inline(1, ProbeHandler, "The probe's action."),
  initialDelaySeconds: optional(
    2,
    int32,
    "The number of seconds between the container's start and the first probe.",
  ),
  timeoutSeconds: optional(3, int32, "The timeout in seconds.", { default: 1 }),
  periodSeconds: optional(4, int32, "The interval between probes in seconds.", { default: 10 }),
  successThreshold: optional(
    5,
    int32,
    "The number of consecutive successes after a failure for the probe to succeed.",
    { default: 1 },
  ),
  failureThreshold: optional(
    6,
    int32,
    "The number of consecutive failures after a success for the probe to fail.",
    { default: 3 },
  ),
  terminationGracePeriodSeconds: pointer(7, int64, "Overrides the Pod's grace period when this probe fails."),
});
export type Probe = Out<typeof Probe>;

export const LifecycleHandler = message(
  "LifecycleHandler",
  "The action of a lifecycle hook; exactly one is set.",
  {
    exec: pointer(1, ExecAction, "Runs a command."),
    httpGet: pointer(2, HTTPGetAction, "Sends an HTTP request."),
    tcpSocket: pointer(3, TCPSocketAction, "No effect; kept for compatibility."),
    sleep: pointer(4, SleepAction, "Waits."),
  },
);
export type LifecycleHandler = Out<typeof LifecycleHandler>;

export const Lifecycle = message("Lifecycle", "Hooks after the start and before the stop of a container.", {
  postStart: pointer(1, LifecycleHandler, "Runs right after the start; a failure terminates the container."),
  preStop: pointer(2, LifecycleHandler, "Runs before the container is stopped, within the grace period."),
  stopSignal: pointer(3, Signal, "The signal that stops the container; the image's own when absent."),
});
export type Lifecycle = Out<typeof Lifecycle>;
