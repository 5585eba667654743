import { decode, DecodeError } from "../../../meta/decode.ts";
import type { Draft, MessageType } from "../../../meta/schema.ts";
import type { ObjectMeta } from "../../../meta/v1.ts";
import { specFromV1, specToV1, statusFromV1, statusToV1 } from "./conversion-metrics.ts";
import * as v1Metrics from "./metrics-v1.ts";
import * as v1 from "./schema-v1.ts";
import * as v2 from "./schema.ts";
import type { MetricSpec, MetricStatus } from "./metrics.ts";

const prefix = "autoscaling.alpha.kubernetes.io";
/** The annotations in which `autoscaling/v1` keeps parts of the spec that it has no fields for. */
export const specAnnotations = { metrics: `${prefix}/metrics`, behavior: `${prefix}/behavior` } as const;
/** The annotations in which `autoscaling/v1` keeps parts of the status that it has no fields for. */
export const statusAnnotations = {
  metrics: `${prefix}/current-metrics`,
  conditions: `${prefix}/conditions`,
} as const;

const roundTripAnnotations: readonly string[] = [
  ...Object.values(specAnnotations),
  ...Object.values(statusAnnotations),
  `${prefix}/scale-down-tolerance`,
  `${prefix}/scale-up-tolerance`,
];

type Annotations = Readonly<Record<string, string>>;

/** The annotations without those of the conversion; undefined when none remain. */
export function ownAnnotations(annotations: Annotations = {}): Annotations | undefined {
  const own = Object.entries(annotations).filter(([name]) => !roundTripAnnotations.includes(name));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

function withAnnotations(metadata: ObjectMeta, annotations: Annotations | undefined): ObjectMeta {
  const { annotations: _, ...rest } = metadata;
  return annotations === undefined ? rest : { ...rest, annotations };
}

/** The default metric of an autoscaler without metrics. */
export const defaultMetric = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
} as const;

const cpuTarget = ({ type, resource }: MetricSpec): number | undefined =>
  type === "Resource" && resource?.name === "cpu" ? resource.target.averageUtilization : undefined;

const cpuState = ({ type, resource }: MetricStatus): number | undefined =>
  type === "Resource" && resource?.name === "cpu" ? resource.current.averageUtilization : undefined;

/** Returns a new draft. Annotations that cannot be parsed are ignored. */
export function toV2({
  metadata,
  spec,
  status,
}: v1.HorizontalPodAutoscaler): Draft<v2.HorizontalPodAutoscaler> {
  const { annotations = {} } = metadata;
  const { targetCPUUtilizationPercentage: target, ...sameSpec } = spec;
  const { currentCPUUtilizationPercentage: current, ...sameStatus } = status;
  const cpu = target === undefined ? [] : [cpuMetric(target)];
  const others = readList(v1Metrics.MetricSpec, annotations[specAnnotations.metrics]) ?? [];
  const metrics = [...others.map(specFromV1), ...cpu];
  const read = readList(v1Metrics.MetricStatus, annotations[statusAnnotations.metrics]);
  const state = { type: "Resource", resource: { name: "cpu", current: { averageUtilization: current } } };
  const conditions = readList(v2.HorizontalPodAutoscalerCondition, annotations[statusAnnotations.conditions]);
  return {
    apiVersion: v2.horizontalPodAutoscalers.apiVersion,
    kind: v2.horizontalPodAutoscalers.kind,
    ...canonical(v2.HorizontalPodAutoscaler, {
      metadata: withAnnotations(metadata, ownAnnotations(annotations)),
      spec: {
        ...sameSpec,
        metrics: metrics.length === 0 ? [defaultMetric] : metrics,
        behavior: readBehavior(annotations[specAnnotations.behavior]),
      },
      status: {
        ...sameStatus,
        currentMetrics: read?.map(statusFromV1) ?? (current === undefined ? [] : [state]),
        conditions,
      },
    }),
  };
}

function cpuMetric(averageUtilization: number) {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

/** Returns a new draft. */
export function toV1({
  metadata,
  spec,
  status,
}: v2.HorizontalPodAutoscaler): Draft<v1.HorizontalPodAutoscaler> {
  const { metrics = [], behavior, ...sameSpec } = spec;
  const { currentMetrics, conditions = [], ...sameStatus } = status;
  const others = metrics.filter((metric) => cpuTarget(metric) === undefined).map(specToV1);
  const annotations = {
    ...ownAnnotations(metadata.annotations),
    ...writeList(specAnnotations.metrics, v1Metrics.MetricSpec, others),
    ...writeList(statusAnnotations.metrics, v1Metrics.MetricStatus, currentMetrics.map(statusToV1)),
    ...(behavior && { [specAnnotations.behavior]: JSON.stringify(writtenBehavior(behavior)) }),
    ...(conditions.length > 0 && { [statusAnnotations.conditions]: JSON.stringify(conditions.map(asGo)) }),
  };
  const some = Object.keys(annotations).length > 0;
  return {
    apiVersion: v1.horizontalPodAutoscalers.apiVersion,
    kind: v1.horizontalPodAutoscalers.kind,
    ...canonical(v1.HorizontalPodAutoscaler, {
      metadata: withAnnotations(metadata, some ? annotations : undefined),
      spec: { ...sameSpec, targetCPUUtilizationPercentage: metrics.map(cpuTarget).find(isSet) },
      status: {
        ...sameStatus,
        currentCPUUtilizationPercentage: currentMetrics.map(cpuState).findLast(isSet),
      },
    }),
  };
}

/** Writes an unset time as null, as Go does. */
const asGo = ({ type, status, lastTransitionTime, ...others }: v2.HorizontalPodAutoscalerCondition) => ({
  type,
  status,
  lastTransitionTime: lastTransitionTime ?? null,
  ...others,
});

const isSet = (value: number | undefined) => value !== undefined;

function canonical<O>(schema: MessageType<O>, value: unknown): Draft<O> {
  // Safe: the decoder has just made the object.
  return decode(schema, value) as Draft<O>;
}

function writeList(name: string, item: MessageType, list: readonly unknown[]): Annotations {
  return list.length === 0 ? {} : { [name]: JSON.stringify(list.map((one) => decode(item, one))) };
}

/** Returns undefined when the list is absent or cannot be parsed. */
function readList<O>(item: MessageType<O>, text: string | undefined): readonly O[] | undefined {
  const list = readJson(text);
  return Array.isArray(list) ? attempt(() => list.map((one) => decode(item, one))) : undefined;
}

function readJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Reads upstream's internal form, whose names begin with capitals. Names are read in either case. */
function readBehavior(text: string | undefined): v2.HorizontalPodAutoscalerBehavior | undefined {
  const value = renamed(readJson(text), (name) => name[0]?.toLowerCase() + name.slice(1));
  const behavior = attempt(() => decode(v2.HorizontalPodAutoscalerBehavior, value ?? {}));
  return behavior && Object.keys(behavior).length > 0 ? behavior : undefined;
}

function writtenBehavior({ scaleUp, scaleDown }: v2.HorizontalPodAutoscalerBehavior): unknown {
  const rules = ({
    stabilizationWindowSeconds = null,
    selectPolicy = null,
    policies = null,
    tolerance = null,
  }: Partial<Record<keyof v2.HPAScalingRules, unknown>>) => ({
    stabilizationWindowSeconds,
    selectPolicy,
    policies,
    tolerance,
  });
  const written = {
    scaleUp: scaleUp ? rules(scaleUp) : null,
    scaleDown: scaleDown ? rules(scaleDown) : null,
  };
  return renamed(written, (name) => name[0]?.toUpperCase() + name.slice(1));
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [rename(name), renamed(one, rename)]));
}
