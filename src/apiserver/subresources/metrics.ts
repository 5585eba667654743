import { type Node, nodes } from "../../api/core/node/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { type NodeMetrics, nodeMetrics, type PodMetrics, podMetrics } from "../../api/metrics/schema.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { NodeStats, UsageStats } from "../../meta/node-endpoint.ts";
import { formatGoDuration } from "../../meta/protobuf/go-duration.ts";
import { formatQuantity } from "../../meta/quantity.ts";
import { errors } from "../../meta/status.ts";
import type { ObjectMeta } from "../../meta/v1.ts";
import { formatTime } from "../../util/clock.ts";
import { ascending } from "../../util/compare.ts";
import { inSlices } from "../../util/yield.ts";
import type { Context } from "../context.ts";
import { getPlain } from "../registry/read.ts";
import { parseSelection, selects } from "../registry/selection.ts";
import type { Target } from "../resources/target.ts";
import { respondList, respondObject } from "../rest/respond.ts";

/** The number of objects whose usage is formatted before sockets get a turn. */
const sliceSize = 500;

/**
 * Answers with the usage of nodes and Pods, which is not stored: each read asks the node agents (metrics-server
 * `pkg/api`). What has no measurement yet is left out.
 */
export async function getNodeMetrics(context: Context, { resource, name }: Target): Promise<ApiResponse> {
  const node = getPlain(context, nodes, "", name);
  const object = metricsOfNode(context, node, await statsOf(context, name));
  if (object === undefined)
    throw errors.notFound({ group: nodeMetrics.group, resource: "nodemetrics" }, name);
  return respondObject(context, resource, { object, encoded: undefined });
}

export async function listNodeMetrics(
  context: Context,
  { resource, namespace }: Target,
): Promise<ApiResponse> {
  const selection = parseSelection(resource, namespace, context.request.query);
  const selected = context.services.reader.list(nodes).filter((node) => selects(selection, node));
  const metrics = await inSlices(selected, sliceSize, async (node) =>
    metricsOfNode(context, node, await statsOf(context, node.metadata.name ?? "")),
  );
  return respondAll(context, resource, metrics);
}

export async function getPodMetrics(
  context: Context,
  { resource, namespace, name }: Target,
): Promise<ApiResponse> {
  const pod = getPlain(context, pods, namespace, name);
  const object = metricsOfPod(context, pod, await statsOf(context, pod.spec.nodeName));
  if (object !== undefined) return respondObject(context, resource, { object, encoded: undefined });
  throw errors.notFound({ group: podMetrics.group, resource: "podmetrics" }, `${namespace}/${name}`);
}

export async function listPodMetrics(
  context: Context,
  { resource, namespace }: Target,
): Promise<ApiResponse> {
  const selection = parseSelection(resource, namespace, context.request.query);
  const selected = context.services.reader
    .list(pods, selection.namespace)
    .filter((pod) => selects(selection, pod));
  const names = [...new Set(selected.map(({ spec }) => spec.nodeName ?? ""))];
  const answers = await inSlices(
    names,
    sliceSize,
    async (name) => [name, await statsOf(context, name)] as const,
  );
  const stats = new Map(answers);
  const metrics = await inSlices(selected, sliceSize, async (pod) =>
    metricsOfPod(context, pod, stats.get(pod.spec.nodeName ?? "")),
  );
  return respondAll(context, resource, metrics);
}

/** Returns undefined for a node that cannot be reached. */
async function statsOf({ services }: Context, nodeName = ""): Promise<NodeStats | undefined> {
  try {
    return await services.nodes(nodeName)?.stats();
  } catch (error) {
    services.env.log.warn("Cannot read the usage of a node", { node: nodeName, error });
    return undefined;
  }
}

function respondAll(
  context: Context,
  resource: Target["resource"],
  metrics: readonly (KubeObject | undefined)[],
): ApiResponse {
  const items = metrics
    .filter((one) => one !== undefined)
    .toSorted(
      ({ metadata: a }, { metadata: b }) =>
        ascending(a.namespace ?? "", b.namespace ?? "") || ascending(a.name ?? "", b.name ?? ""),
    )
    .map((object) => ({ object, encoded: undefined }));
  const listing = { items, revision: undefined, continue: undefined, remaining: undefined };
  return respondList(context, resource, listing);
}

function metricsOfNode(
  context: Context,
  { metadata }: Node,
  stats: NodeStats | undefined,
): NodeMetrics | undefined {
  const usage = stats?.node;
  if (usage === undefined) return undefined;
  const { apiVersion, kind } = nodeMetrics;
  return {
    apiVersion,
    kind,
    metadata: metadataOf(context, metadata),
    ...windowOf(usage),
    usage: usageList(usage),
  };
}

function metricsOfPod(
  context: Context,
  { metadata, status }: Pod,
  stats: NodeStats | undefined,
): PodMetrics | undefined {
  const containers = stats?.pods.get(metadata.uid ?? "") ?? [];
  // The containers are measured together. The longest window is that of the oldest samples.
  const [longest] = containers.toSorted((a, b) => b.windowMs - a.windowMs);
  if (longest === undefined || status.phase !== "Running") return undefined;
  const { apiVersion, kind } = podMetrics;
  return {
    apiVersion,
    kind,
    metadata: metadataOf(context, metadata),
    ...windowOf(longest),
    containers: containers.map((container) => ({ name: container.name, usage: usageList(container) })),
  };
}

function metadataOf({ services }: Context, { name, namespace, labels }: ObjectMeta): ObjectMeta {
  const creationTimestamp = formatTime(services.env.clock.now());
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    creationTimestamp,
    ...(labels !== undefined && { labels }),
  };
}

function windowOf({ at, windowMs }: UsageStats) {
  return { timestamp: formatTime(at), window: formatGoDuration(BigInt(Math.round(windowMs)) * 1_000_000n) };
}

function usageList({ cpuNanoCores, memoryBytes }: UsageStats) {
  return {
    cpu: formatQuantity({ nanos: BigInt(cpuNanoCores), format: "decimal" }),
    memory: formatQuantity({ nanos: BigInt(memoryBytes) * 1_000_000_000n, format: "binary" }),
  };
}
