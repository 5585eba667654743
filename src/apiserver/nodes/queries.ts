import type { AttachOptions, ContainerAddress, LogOptions, PodAddress } from "../../meta/node-endpoint.ts";
import { formatTime } from "../../util/clock.ts";

/** Returns the path of a container's log (`pkg/registry/core/pod` `LogLocation`). */
export function logPath(
  address: ContainerAddress,
  { follow, previous, timestamps, since, tailLines, limitBytes, stream }: Omit<LogOptions, "signal">,
): string {
  return withQuery(`/containerLogs/${containerPath(address)}`, {
    follow: follow ? ["true"] : [],
    limitBytes: limitBytes === undefined ? [] : [String(limitBytes)],
    previous: previous ? ["true"] : [],
    sinceTime: since === undefined ? [] : [formatTime(since)],
    // As upstream, whose kubelets before v1.32 do not know the parameter.
    stream: stream === "All" ? [] : [stream],
    tailLines: tailLines === undefined ? [] : [String(tailLines)],
    timestamps: timestamps ? ["true"] : [],
  });
}

/** Returns the path of an exec or attach (`pkg/registry/core/pod` `streamLocation`). */
export function sessionPath(
  verb: "exec" | "attach",
  address: ContainerAddress,
  { stdin, stdout, stderr, tty }: AttachOptions,
  command: readonly string[] = [],
): string {
  const flag = (isSet: boolean) => (isSet ? ["1"] : []);
  return withQuery(`/${verb}/${containerPath(address)}`, {
    command,
    error: flag(stderr),
    input: flag(stdin),
    output: flag(stdout),
    tty: flag(tty),
  });
}

export function forwardPath({ namespace, name }: PodAddress): string {
  return `/portForward/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

function containerPath({ namespace, name, container }: ContainerAddress): string {
  return [namespace, name, container].map(encodeURIComponent).join("/");
}

/** Adds a parameter for each value, in the order of names that upstream sends. */
function withQuery(path: string, parameters: Readonly<Record<string, readonly string[]>>): string {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(parameters))
    for (const value of values) query.append(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
