import type { ApiRequest } from "../../meta/exchange.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { AttachOptions, ContainerAddress } from "../../meta/node-endpoint.ts";
import { StatusError } from "../../meta/status.ts";
import { acceptForward } from "../../streams/accept-forward.ts";
import { acceptSession } from "../../streams/accept-session.ts";
import type { Start, Upgrade } from "../../streams/accept.ts";
import { type Answer, text } from "./answer.ts";
import type { KubeletHost } from "./host.ts";

/** More arguments than the kernel passes to a program. */
const maxArguments = 4096;

/** Prepares the session of a path; undefined for other paths. */
export function acceptPath(
  host: KubeletHost,
  request: ApiRequest,
  segments: readonly string[],
  connection: Upgrade,
): Start | Answer | undefined {
  const [first] = segments;
  if (request.method !== "GET" && request.method !== "POST") return undefined;
  try {
    if (first === "exec" || first === "attach")
      return acceptStreams(host, request, first, segments.slice(1), connection);
    return first === "portForward" ? acceptPorts(host, request, segments.slice(1), connection) : undefined;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return text(error.status.code ?? 500, error.message);
  }
}

/** Parses the query of a session (cri-streaming `remotecommand.NewOptions`). Undefined when it names no stream. */
export function streamsOf(query: URLSearchParams): AttachOptions | undefined {
  const isSet = (name: string) => query.get(name) === "1";
  const [tty, stdin, stdout] = [isSet("tty"), isSet("input"), isSet("output")];
  // A terminal has one output.
  const stderr = isSet("error") && !tty;
  return stdin || stdout || stderr ? { stdin, stdout, stderr, tty } : undefined;
}

function acceptStreams(
  host: KubeletHost,
  request: ApiRequest,
  verb: "exec" | "attach",
  segments: readonly string[],
  connection: Upgrade,
): Start | Answer | undefined {
  const [namespace = "", name = "", third = "", fourth] = segments;
  if (segments.length < 3 || segments.length > 4) return undefined;
  const [uid, container] = fourth === undefined ? [undefined, third] : [third, fourth];
  const options = streamsOf(request.query);
  if (options === undefined) return text(400, "you must specify at least 1 of stdin, stdout, stderr");
  const pod = host.pod(namespace, name);
  if (pod === undefined) return text(404, "pod does not exist");
  const address = addressOf(pod, container);
  if ((uid !== undefined && uid !== address.uid) || !runs(host, address)) return noContainer(verb, address);
  const { clock } = host.env;
  if (verb === "attach")
    return acceptSession(request, clock, connection, options, {
      open: () => host.endpoint.attach(address, options),
      doing: "error attaching to container",
      tellsExitCode: false,
    });
  const command = request.query.getAll("command");
  if (command.length === 0 || command.length > maxArguments)
    return text(400, "you must specify the command to execute");
  return acceptSession(request, clock, connection, options, {
    open: () => host.endpoint.exec(address, { ...options, command }),
    doing: "error executing command in container",
    tellsExitCode: true,
  });
}

function acceptPorts(
  host: KubeletHost,
  request: ApiRequest,
  segments: readonly string[],
  connection: Upgrade,
): Start | Answer | undefined {
  const [namespace = "", name = "", uid] = segments;
  if (segments.length < 2 || segments.length > 3) return undefined;
  const pod = host.pod(namespace, name);
  if (pod === undefined) return text(404, "pod does not exist");
  const address = addressOf(pod, "");
  if (uid !== undefined && uid !== address.uid) return text(404, "pod not found");
  // The kubelet's parameter is `port`, where that of the API is `ports` (cri-streaming `portforward.NewV4Options`).
  const query = new URLSearchParams(
    request.query.getAll("port").map((ports): [string, string] => ["ports", ports]),
  );
  return acceptForward({ ...request, query }, host.env.clock, connection, {
    pod: address,
    dial: (port) => host.endpoint.dial(address, port),
  });
}

export function addressOf({ metadata }: Pod, container: string): ContainerAddress {
  const { namespace = "", name = "", uid = "" } = metadata;
  return { namespace, name, uid, container };
}

/** Reports whether a container runs, so that a missing one is refused before the connection leaves HTTP. */
export function runs(host: KubeletHost, { uid, container }: ContainerAddress): boolean {
  return host
    .sandboxes(uid)
    .some(({ containers }) => containers.some((one) => one.name === container && one.state === "running"));
}

function noContainer(verb: "exec" | "attach", { namespace, name, container }: ContainerAddress): Answer {
  return text(
    500,
    verb === "exec"
      ? `container not found (${JSON.stringify(container)})`
      : `container ${container} not found in pod ${name}_${namespace}`,
  );
}
