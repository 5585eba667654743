import type { ApiRequest } from "../../meta/exchange.ts";
import { type Answer, json, methodNotAllowed, notFound, scrape, text } from "./answer.ts";
import { containerLogs } from "./container-logs.ts";
import { health } from "./health.ts";
import type { KubeletHost } from "./host.ts";
import { cadvisorMetrics, probeMetrics, resourceMetrics } from "./metrics.ts";
import { runCommand } from "./run-command.ts";
import { runningPods } from "./running-pods.ts";
import { summaryOf } from "./summary.ts";

/** Answers a request that stays HTTP. */
export async function route(
  host: KubeletHost,
  request: ApiRequest,
  segments: readonly string[],
): Promise<Answer> {
  const [first = "", ...rest] = segments;
  const { method } = request;
  const refused = refusedPath(first, rest);
  if (refused !== undefined) return refused;
  switch (first) {
    case "exec":
    case "attach":
    case "portForward":
      return text(500, "Upgrade request required\n");
    case "run":
      if (rest.length < 3 || rest.length > 4) return notFound;
      return method === "POST" ? runCommand(host, request, rest) : methodNotAllowed;
    case "checkpoint":
      return method === "POST" && rest.length === 3 ? checkpoint(host, rest) : notFound;
    case "stats":
      if (rest.join("/") !== "summary") return notFound;
      if (method !== "GET" && method !== "POST") return methodNotAllowed;
      return json(await summaryOf(host, request.query.get("only_cpu_and_memory") === "true"));
    default:
      return method === "GET" || method === "HEAD" ? read(host, request, first, rest) : methodNotAllowed;
  }
}

async function read(
  host: KubeletHost,
  request: ApiRequest,
  first: string,
  rest: readonly string[],
): Promise<Answer> {
  switch ([first, ...(first === "containerLogs" || first === "healthz" ? [] : rest)].join("/")) {
    case "healthz":
      return health(host, request.query, rest);
    case "pods":
      return json({ kind: "PodList", apiVersion: "v1", metadata: {}, items: host.pods() });
    case "runningpods":
      return json(runningPods(host));
    case "configz":
      return json({ kubeletconfig: host.configuration });
    case "metrics":
      return scrape(host.metrics);
    case "metrics/resource":
      return scrape(await resourceMetrics(host));
    case "metrics/cadvisor":
      return scrape(await cadvisorMetrics(host));
    case "metrics/probes":
      return scrape(probeMetrics(host));
    case "containerLogs":
      return rest.length === 3 ? containerLogs(host, request, rest) : notFound;
    default:
      return notFound;
  }
}

/** Refuses paths that show the machine or the process, in upstream's words for what is switched off. */
function refusedPath(first: string, rest: readonly string[]): Answer | undefined {
  if (first === "logs") return text(405, "logs endpoint is disabled.\n");
  if (first !== "debug") return undefined;
  if (rest[0] === "pprof") return text(405, "profiling endpoint is disabled.\n");
  return rest[0] === "flags" ? text(405, "flags endpoint is disabled.\n") : undefined;
}

/** No runtime here writes checkpoints. */
function checkpoint(
  host: KubeletHost,
  [namespace = "", name = "", container = ""]: readonly string[],
): Answer {
  const pod = host.pod(namespace, name);
  if (pod === undefined) return text(404, "pod does not exist");
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  if (![...containers, ...initContainers, ...ephemeralContainers].some((one) => one.name === container))
    return text(404, `container ${container} does not exist`);
  const why = "the container runtime does not support checkpoints";
  return text(500, `checkpointing of ${namespace}/${name}/${container} failed (${why})`);
}
