import {
  aggregate,
  isPodLevelResource,
  type ResourceList,
  toResourceList,
} from "../../api/core/pod/resources.ts";
import type { Container } from "../../api/core/pod/container.ts";
import { type LimitRange, type LimitRangeItem, limitRanges } from "../../api/core/limit-range/schema.ts";
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../api/core/persistent-volume-claim/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { compareQuantities, formatQuantity, parseQuantity, quantityMilliValue } from "../../meta/quantity.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import type { AdmissionServices } from "./admission-services.ts";
import { about, type AdmissionPlugin, type Attributes } from "./plugin.ts";

const annotation = "kubernetes.io/limit-ranger";

/**
 * Sets containers' default requests and limits, and refuses objects outside the namespace's bounds (plugin
 * `limitranger`).
 */
export const limitRanger: AdmissionPlugin = {
  name: "LimitRanger",
  mutate(attributes, services) {
    const pod = newPod(attributes);
    if (pod === undefined) return;
    for (const range of rangesIn(services, attributes.namespace)) setDefaults(pod, range);
  },
  validate(attributes, services) {
    const { resource, namespace, name, old } = attributes;
    const claim = about(persistentVolumeClaims, attributes)?.object;
    const pod = newPod(attributes);
    if (old?.metadata.deletionTimestamp !== undefined || (pod ?? claim) === undefined) return;
    for (const { spec } of rangesIn(services, namespace)) {
      const problems = spec.limits.flatMap((item) => [
        ...(claim === undefined ? [] : claimProblems(item, claim)),
        ...(pod === undefined ? [] : podProblems(item, pod)),
      ]);
      if (problems.length === 0) continue;
      const why = problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`;
      throw errors.forbidden(resource.name, name, why);
    }
  },
};

/**
 * Returns a Pod to be created; undefined for an update, because the containers of an existing Pod do not
 * change.
 */
function newPod(attributes: Attributes): Draft<Pod> | undefined {
  return attributes.operation === "CREATE" ? about(pods, attributes)?.object : undefined;
}

function rangesIn({ reader }: AdmissionServices, namespace: string): readonly LimitRange[] {
  return reader.list(limitRanges, namespace);
}

function setDefaults(pod: Draft<Pod>, { spec: { limits } }: LimitRange): void {
  const items = limits.filter(({ type }) => type === "Container");
  const requests: ResourceList = Object.assign({}, ...items.map((one) => one.defaultRequest));
  const most: ResourceList = Object.assign({}, ...items.map((one) => one.default));
  const said: string[] = [];
  const fill = (container: Draft<Container>, what: string) => {
    for (const [word, field, values] of [
      ["request", "requests", requests],
      ["limit", "limits", most],
    ] as const) {
      const present = container.resources[field];
      const missing = Object.keys(values).filter((name) => present?.[name] === undefined);
      if (missing.length === 0) continue;
      container.resources[field] = { ...values, ...present };
      said.push(`${missing.sort().join(", ")} ${word} for ${what} ${container.name}`);
    }
  };
  for (const container of pod.spec.containers) fill(container, "container");
  for (const container of pod.spec.initContainers ?? []) fill(container, "init container");
  if (said.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${said.join("; ")}`,
  };
}

/** The requests and limits that are compared with an item's bounds. */
interface Use {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

function podProblems(item: LimitRangeItem, { spec }: Pod): readonly string[] {
  if (item.type === "Container") {
    const containers = [...spec.containers, ...(spec.initContainers ?? [])];
    return containers.flatMap(({ resources: { requests = {}, limits = {} } }) => [
      ...problemsOf(item, { requests, limits }),
    ]);
  }
  if (item.type !== "Pod") return [];
  const sum = (field: "requests" | "limits"): ResourceList => {
    const own = Object.entries(spec.resources?.[field] ?? {}).filter(([name]) => isPodLevelResource(name));
    return {
      ...toResourceList(aggregate(spec, ({ resources }) => resources[field])),
      ...Object.fromEntries(own),
    };
  };
  return [...problemsOf(item, { requests: sum("requests"), limits: sum("limits") })];
}

function* problemsOf(item: LimitRangeItem, use: Use): Iterable<string> {
  for (const [name, bound] of Object.entries(item.min ?? {})) yield* tooLittle(item.type, name, bound, use);
  for (const [name, bound] of Object.entries(item.max ?? {})) yield* tooMuch(item.type, name, bound, use);
  for (const [name, bound] of Object.entries(item.maxLimitRequestRatio ?? {}))
    yield* tooFarApart(item.type, name, bound, use);
}

/** A claim has only requests. */
function claimProblems(item: LimitRangeItem, { spec }: PersistentVolumeClaim): readonly string[] {
  if (item.type !== "PersistentVolumeClaim") return [];
  const { requests = {} } = spec.resources;
  const use = { requests, limits: {} };
  return [
    ...Object.entries(item.min ?? {}).flatMap(([name, bound]) => [...tooLittle(item.type, name, bound, use)]),
    ...Object.entries(item.max ?? {}).flatMap(([name, bound]) => {
      const request = requests[name];
      const rule = `maximum ${name} usage per ${item.type} is ${bound}`;
      if (request === undefined) return [`${rule}.  No request is specified`];
      return exceeds(request, bound) ? [`${rule}, but request is ${request}`] : [];
    }),
  ];
}

function exceeds(a: string, b: string): boolean {
  return compareQuantities(parseQuantity(a), parseQuantity(b)) > 0;
}

function* tooLittle(type: string, name: string, bound: string, use: Use): Iterable<string> {
  const request = use.requests[name];
  const limit = use.limits[name];
  const rule = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) yield `${rule}.  No request is specified`;
  else if (exceeds(bound, request)) yield `${rule}, but request is ${request}`;
  else if (limit !== undefined && exceeds(bound, limit)) yield `${rule}, but limit is ${limit}`;
}

function* tooMuch(type: string, name: string, bound: string, use: Use): Iterable<string> {
  const request = use.requests[name];
  const limit = use.limits[name];
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) yield `${rule}.  No limit is specified`;
  else if (exceeds(limit, bound)) yield `${rule}, but limit is ${limit}`;
  else if (request !== undefined && exceeds(request, bound)) yield `${rule}, but request is ${request}`;
}

function* tooFarApart(type: string, name: string, bound: string, use: Use): Iterable<string> {
  const milli = (text: string | undefined) =>
    text === undefined ? 0 : quantityMilliValue(parseQuantity(text));
  const request = milli(use.requests[name]);
  const limit = milli(use.limits[name]);
  const rule = `${name} max limit to request ratio per ${type} is ${formatQuantity(parseQuantity(bound))}`;
  if (request === 0) yield `${rule}, but no request is specified or request is 0`;
  else if (limit === 0) yield `${rule}, but no limit is specified or limit is 0`;
  else if ((limit / request) * 1000 > milli(bound))
    yield `${rule}, but provided ratio is ${(limit / request).toFixed(6)}`;
}
