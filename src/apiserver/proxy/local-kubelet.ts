import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import type { NodeEndpoint, UsageStats } from "../../meta/node-endpoint.ts";
import { formatTime } from "../../util/clock.ts";
import { inSlices } from "../../util/yield.ts";
import type { Context } from "../context.ts";
import { parseLogOptions } from "../../streams/log-options.ts";
import { containerAddress, readPod } from "../streaming/pod-address.ts";

/**
 * Answers for the kubelet of a node in this process, which has no port of its own: its health, its Pods, logs and
 * statistics, at the paths of upstream's kubelet. Everything else is not found, as on a kubelet without the endpoint.
 */
export async function answerAsKubelet(
  context: Context,
  node: NodeEndpoint,
  nodeName: string,
  path: string,
): Promise<ApiResponse> {
  const { method } = context.request;
  const [first = "", ...rest] = path.split("/").filter((part) => part !== "");
  if (method !== "GET" && method !== "HEAD") return text(405, "405: Method Not Allowed");
  const route = [first, ...(first === "containerLogs" ? [] : rest)].join("/");
  switch (route) {
    case "healthz":
      return text(200, "ok");
    case "pods":
      return { status: 200, headers: {}, body: { type: "object", value: await podsOf(context, nodeName) } };
    case "stats/summary":
      return {
        status: 200,
        headers: {},
        body: { type: "object", value: await summaryOf(context, node, nodeName) },
      };
    case "containerLogs":
      return rest.length === 3 ? log(context, node, nodeName, rest) : text(404, "404 page not found\n");
    default:
      return text(404, "404 page not found\n");
  }
}

async function log(
  context: Context,
  node: NodeEndpoint,
  nodeName: string,
  [namespace = "", name = "", container = ""]: readonly string[],
): Promise<ApiResponse> {
  const { query, signal } = context.request;
  const pod = readPod(context, namespace, name);
  if (pod.spec.nodeName !== nodeName) return text(404, `pod ${JSON.stringify(name)} does not exist\n`);
  const options = parseLogOptions(query, name, context.services.env.clock.now());
  const stream = await node.logs(containerAddress(pod, container), { ...options, signal });
  return { status: 200, headers: {}, body: { type: "stream", contentType: "text/plain", stream } };
}

async function podsOf(context: Context, nodeName: string): Promise<object> {
  return { kind: "PodList", apiVersion: "v1", metadata: {}, items: await podsOn(context, nodeName) };
}

/** The number of Pods that are decoded before sockets get a turn. */
const sliceSize = 500;

async function podsOn({ services }: Context, nodeName: string): Promise<readonly Pod[]> {
  const { store, codec, resources } = services;
  const { entries } = store.list(resources.of(pods).prefix(""));
  const all = await inSlices(entries, sliceSize, (entry) => Promise.resolve(codec.read(pods, entry)));
  return all.filter(({ spec }) => spec.nodeName === nodeName);
}

/** Returns a summary of CPU and memory (`k8s.io/kubelet/pkg/apis/stats/v1alpha1`). */
async function summaryOf(context: Context, node: NodeEndpoint, nodeName: string): Promise<object> {
  const stats = await node.stats();
  const running = await podsOn(context, nodeName);
  return {
    node: { nodeName, ...(stats.node && usage(stats.node)) },
    pods: running.flatMap(({ metadata: { name, namespace, uid = "" } }) => {
      const containers = stats.pods.get(uid);
      if (containers === undefined) return [];
      const podRef = { name, namespace, uid };
      return [{ podRef, containers: containers.map((one) => ({ name: one.name, ...usage(one) })) }];
    }),
  };
}

function usage({ at, cpuNanoCores, memoryBytes }: UsageStats): object {
  const time = formatTime(at);
  return { cpu: { time, usageNanoCores: cpuNanoCores }, memory: { time, workingSetBytes: memoryBytes } };
}

function text(status: number, content: string): ApiResponse {
  return {
    status,
    headers: {},
    body: { type: "bytes", contentType: "text/plain; charset=utf-8", bytes: Buffer.from(content) },
  };
}
