import type {
  CrossVersionObjectReference,
  MetricSpec,
} from "../../api/autoscaling/horizontal-pod-autoscaler/metrics.ts";
import { podMetrics, type PodMetrics as ServedPodMetrics } from "../../api/metrics/schema.ts";
import { query } from "../../client/options.ts";
import { decode, DecodeError } from "../../meta/decode.ts";
import { groupResource, parseGroupVersion } from "../../meta/kind.ts";
import { type Selector, SelectorError, selectorOf } from "../../meta/labels.ts";
import { parseGoDuration } from "../../meta/protobuf/go-duration.ts";
import { parseQuantity, quantityMilliValue } from "../../meta/quantity.ts";
import { hasReason } from "../../meta/status.ts";
import type { LabelSelector } from "../../meta/v1.ts";
import type { Reconcile } from "../../operator/controller.ts";
import { errorText } from "../../util/error-text.ts";
import { ownValue } from "../../util/table.ts";
import type { KindFinder } from "../kind-finder.ts";
import type { Reading } from "./evaluate.ts";
import { MetricError } from "./metric-error.ts";
import { type MetricValueList, MetricValueList as metricValueList } from "./metric-values.ts";
import type { PodMetric, PodMetrics } from "./pod-groups.ts";

/** The tools of a reconciliation that a reading needs. */
type Request = Pick<Reconcile, "client" | "namespace" | "env" | "signal">;

const customGroup = "custom.metrics.k8s.io";
const customVersions: readonly string[] = ["v1beta2", "v1beta1"];
/** The version of custom metrics is asked for again after this time, as upstream. */
const versionMs = 15_000;
/** The window of a custom metric that names none. */
const defaultWindowMs = 60_000;

/** Reads metrics from the resource, custom and external metrics APIs (upstream `podautoscaler/metrics`). */
export class MetricsReader {
  readonly #kinds: KindFinder;
  #version: { readonly name: string; readonly at: number } | undefined;

  constructor(kinds: KindFinder) {
    this.#kinds = kinds;
  }

  /** Reads one metric, for the Pods that the selector selects. Never throws: a failure is a reading too. */
  async read(metric: MetricSpec, selector: Selector, request: Request): Promise<Reading> {
    try {
      return await this.#read(metric, selector, request);
    } catch (error) {
      return { error: errorText(error) };
    }
  }

  async #read(metric: MetricSpec, selector: Selector, request: Request): Promise<Reading> {
    const { resource, containerResource, pods, object, external } = metric;
    if (metric.type === "Resource" && resource !== undefined)
      return { pods: await readResource(resource.name, undefined, selector, request) };
    if (metric.type === "ContainerResource" && containerResource !== undefined) {
      const { name, container } = containerResource;
      return { pods: await readResource(name, container, selector, request) };
    }
    if (metric.type === "Pods" && pods !== undefined)
      return { pods: await this.#readPods(pods.metric.name, pods.metric.selector, selector, request) };
    if (metric.type === "Object" && object !== undefined) {
      const { name, selector: labels } = object.metric;
      return { values: [await this.#readObject(name, object.describedObject, labels, request)] };
    }
    if (metric.type === "External" && external !== undefined)
      return { values: await readExternal(external.metric.name, external.metric.selector, request) };
    return { error: `the metric has no source of type ${metric.type}` };
  }

  async #readPods(
    name: string,
    labels: LabelSelector | undefined,
    selector: Selector,
    request: Request,
  ): Promise<PodMetrics> {
    const search = { labelSelector: selector.toString(), ...metricSelector(labels) };
    const { items } = await fetching("custom", () => this.#getCustom(["pods", "*", name], search, request));
    if (items.length === 0) throw none("custom");
    return new Map(
      items.map(({ describedObject, timestamp, windowSeconds, window, value }) => {
        const seconds = windowSeconds ?? window;
        const windowMs = seconds === undefined ? defaultWindowMs : seconds * 1000;
        return [describedObject.name ?? "", { value: millis(value), timestamp: timeOf(timestamp), windowMs }];
      }),
    );
  }

  async #readObject(
    name: string,
    { apiVersion = "", kind, name: described }: CrossVersionObjectReference,
    labels: LabelSelector | undefined,
    request: Request,
  ): Promise<number> {
    return fetching("custom", async () => {
      const group = parseGroupVersion(apiVersion)?.group ?? "";
      const isNamespace = kind === "Namespace" && group === "";
      const place = isNamespace
        ? ["metrics", name]
        : [await this.#resourceName(group, kind, request), described, name];
      const { items } = await this.#getCustom(place, metricSelector(labels), request);
      const [item] = items;
      if (item !== undefined && items.length === 1) return millis(item.value);
      throw new MetricError(
        `the custom metrics API server returned ${items.length} results when we asked for exactly one`,
      );
    });
  }

  async #resourceName(group: string, kind: string, request: Request): Promise<string> {
    const [found] = await this.#kinds.find({ group, kind }, request);
    if (found !== undefined) return groupResource(found);
    const id = group === "" ? kind : `${kind}.${group}`;
    throw new MetricError(
      `unable to map kind ${id} to resource: no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`,
    );
  }

  async #getCustom(place: readonly string[], search: Search, request: Request): Promise<MetricValueList> {
    const version = await this.#customVersion(request);
    const { namespace } = request;
    return get(["apis", customGroup, version, "namespaces", namespace, ...place], search, request);
  }

  /** The served version of custom metrics: the preferred one, if it is known. */
  async #customVersion({ client, env, signal }: Request): Promise<string> {
    const now = env.clock.monotonic();
    if (this.#version !== undefined && now - this.#version.at < versionMs) return this.#version.name;
    const path = `/apis/${customGroup}`;
    try {
      const { value } = await client.transport.request({ method: "GET", path, signal });
      // The server is trusted to answer with an APIGroup.
      const { preferredVersion, versions = [] } = value as ApiGroup;
      const served = [preferredVersion, ...versions].map((one) => one?.version ?? "");
      const name = served.find((one) => customVersions.includes(one));
      if (name === undefined) throw new MetricError("no known available metric versions found");
      this.#version = { name, at: now };
      return name;
    } catch (error) {
      if (!hasReason(error, "NotFound")) throw error;
      throw new MetricError(`no custom metrics API (${customGroup}) registered`, { cause: error });
    }
  }
}

interface ApiGroup {
  readonly preferredVersion?: { readonly version?: string };
  readonly versions?: readonly { readonly version?: string }[];
}

type Search = Readonly<Record<string, string | undefined>>;
type Api = "resource" | "custom" | "external";

async function readResource(
  resource: string,
  container: string | undefined,
  selector: Selector,
  { client, namespace, signal }: Request,
): Promise<PodMetrics> {
  const labelSelector = selector.toString();
  const { items } = await fetching("resource", () =>
    client.of(podMetrics, namespace).list({ labelSelector, signal }),
  );
  if (items.length === 0) throw none("resource");
  const metrics = new Map<string, PodMetric>();
  for (const item of items) {
    const value = usageOf(item, resource, container);
    const windowMs = Number(parseGoDuration(item.window) ?? 0n) / 1e6;
    if (value !== undefined)
      metrics.set(item.metadata.name ?? "", { value, timestamp: timeOf(item.timestamp), windowMs });
  }
  return metrics;
}

/** The usage of a container, or of the whole Pod; undefined when a part of it is unknown. */
function usageOf(
  { containers }: ServedPodMetrics,
  resource: string,
  container: string | undefined,
): number | undefined {
  const chosen = container === undefined ? containers : containers.filter(({ name }) => name === container);
  const amounts = chosen.map(({ usage }) => ownValue(usage, resource));
  if (amounts.length === 0) return undefined;
  let sum = 0;
  for (const amount of amounts) {
    if (amount === undefined) return undefined;
    sum += millis(amount);
  }
  return sum;
}

async function readExternal(
  name: string,
  labels: LabelSelector | undefined,
  request: Request,
): Promise<readonly number[]> {
  const place = ["apis", "external.metrics.k8s.io", "v1beta1", "namespaces", request.namespace, name];
  const { metricLabelSelector: labelSelector } = metricSelector(labels);
  const { items } = await fetching("external", () => get(place, { labelSelector }, request));
  if (items.length === 0) throw none("external");
  return items.map(({ value }) => millis(value));
}

async function get(
  segments: readonly string[],
  search: Search,
  { client, signal }: Request,
): Promise<MetricValueList> {
  const path = `/${segments.map(encodeURIComponent).join("/")}`;
  const { value } = await client.transport.request({
    method: "GET",
    path,
    query: query(search),
    list: true,
    signal,
  });
  return decode(metricValueList, value);
}

/** An empty selector is not sent. @throws MetricError when the selector is invalid. */
function metricSelector(labels: LabelSelector | undefined): { readonly metricLabelSelector?: string } {
  try {
    const text = selectorOf(labels).toString();
    return text === "" ? {} : { metricLabelSelector: text };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new MetricError(error.message, { cause: error });
  }
}

async function fetching<T>(api: Api, fetch: () => Promise<T>): Promise<T> {
  try {
    return await fetch();
  } catch (error) {
    const text = error instanceof DecodeError ? `the answer is invalid: ${error.message}` : errorText(error);
    throw new MetricError(`unable to fetch metrics from ${api} metrics API: ${text}`, { cause: error });
  }
}

const none = (api: Api) => new MetricError(`no metrics returned from ${api} metrics API`);

const millis = (text: string): number => quantityMilliValue(parseQuantity(text));

const timeOf = (text: string): number => Date.parse(text) || 0;
