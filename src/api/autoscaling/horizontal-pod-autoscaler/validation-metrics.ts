import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
} from "../../../meta/field-error.ts";
import { report, validateDnsLabel } from "../../../meta/validation/report.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import { parseQuantity } from "../../../meta/quantity.ts";
import { validateContainerResourceName } from "../../core/validation/resources.ts";
import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from "./metrics.ts";
import { type AllowedVersions, validateReference } from "./validation-reference.ts";

/** The field of each type, in upstream's order. */
const fields = {
  Object: "object",
  External: "external",
  Pods: "pods",
  Resource: "resource",
  ContainerResource: "containerResource",
} as const;

type SourceType = keyof typeof fields;

const isSourceType = (type: string): type is SourceType => Object.hasOwn(fields, type);

/** Validates a metric. If several sources are set, only the first one is validated. */
export function* validateMetric(
  metric: MetricSpec,
  path: FieldPath,
  versions: AllowedVersions,
): Generator<FieldError> {
  const { type } = metric;
  if (type === "") yield requiredValue(path.child("type"), "must specify a metric source type");
  const unknown = notSupported(path.child("type"), type, Object.keys(fields).sort());
  if (!isSourceType(type)) yield unknown;
  const present = Object.values(fields).filter((field) => metric[field] !== undefined);
  const [first] = present;
  if (first !== undefined) yield* validateSource(metric, first, path.child(first), versions);
  const expected = isSourceType(type) ? fields[type] : undefined;
  if (expected !== undefined && metric[expected] === undefined) {
    yield requiredValue(path.child(expected), "must populate information for the given metric source");
  }
  if (present.length <= 1) return;
  for (const field of present) {
    if (field !== expected) yield forbidden(path.child(field), "must populate the given metric source only");
  }
}

function* validateSource(
  { object, external, pods, resource, containerResource }: MetricSpec,
  field: (typeof fields)[SourceType],
  path: FieldPath,
  versions: AllowedVersions,
): Generator<FieldError> {
  switch (field) {
    case "object":
      return yield* object ? validateObjectSource(object, path, versions) : [];
    case "external":
      return yield* external ? validateExternalSource(external, path) : [];
    case "pods":
      return yield* pods ? validatePodsSource(pods, path) : [];
    case "resource":
      return yield* resource ? validateResourceSource(resource, path) : [];
    case "containerResource":
      return yield* containerResource ? validateContainerSource(containerResource, path) : [];
  }
}

function* validateObjectSource(
  { describedObject, metric, target }: ObjectMetricSource,
  path: FieldPath,
  versions: AllowedVersions,
): Generator<FieldError> {
  yield* validateReference(describedObject, path.child("describedObject"), versions);
  yield* validateIdentifier(metric, path.child("metric"));
  yield* validateTarget(target, path.child("target"));
  if (target.value === undefined && target.averageValue === undefined) {
    const place = path.child("target", "averageValue");
    yield requiredValue(place, "must set either a target value or averageValue");
  }
}

function* validateExternalSource(
  { metric, target }: ExternalMetricSource,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateIdentifier(metric, path.child("metric"));
  yield* validateTarget(target, path.child("target"));
  const [hasValue, hasMean] = [target.value !== undefined, target.averageValue !== undefined];
  if (!hasValue && !hasMean) {
    const place = path.child("target", "averageValue");
    yield requiredValue(place, "must set either a target value for metric or a per-pod target");
  }
  if (hasValue && hasMean) {
    const place = path.child("target", "value");
    yield forbidden(place, "may not set both a target value for metric and a per-pod target");
  }
}

function* validatePodsSource({ metric, target }: PodsMetricSource, path: FieldPath): Generator<FieldError> {
  yield* validateIdentifier(metric, path.child("metric"));
  yield* validateTarget(target, path.child("target"));
  if (target.averageValue === undefined) {
    const place = path.child("target", "averageValue");
    yield requiredValue(place, "must specify a positive target averageValue");
  }
}

function* validateResourceSource(
  { name, target }: ResourceMetricSource,
  path: FieldPath,
): Generator<FieldError> {
  if (name === "") yield requiredValue(path.child("name"), "must specify a resource name");
  yield* validateUsage(target, path.child("target"));
}

function* validateContainerSource(
  { name, container, target }: ContainerResourceMetricSource,
  path: FieldPath,
): Generator<FieldError> {
  if (name === "") yield requiredValue(path.child("name"), "must specify a resource name");
  else yield* validateContainerResourceName(name, path.child("name"));
  if (container === "") yield requiredValue(path.child("container"), "must specify a container");
  else yield* validateDnsLabel(container, path.child("container"));
  yield* validateUsage(target, path.child("target"));
}

function* validateUsage(target: MetricTarget, path: FieldPath): Generator<FieldError> {
  yield* validateTarget(target, path);
  const [hasShare, hasMean] = [target.averageUtilization !== undefined, target.averageValue !== undefined];
  if (!hasShare && !hasMean) {
    const why = "must set either a target raw value or a target utilization";
    yield requiredValue(path.child("averageUtilization"), why);
  }
  if (hasShare && hasMean) {
    const why = "may not set both a target raw value and a target utilization";
    yield forbidden(path.child("averageValue"), why);
  }
}

const targetTypes: readonly string[] = ["Utilization", "Value", "AverageValue"];

function* validateTarget(target: MetricTarget, path: FieldPath): Generator<FieldError> {
  const { type, averageUtilization } = target;
  if (type === "") yield requiredValue(path.child("type"), "must specify a metric target type");
  if (!targetTypes.includes(type)) {
    yield invalid(path.child("type"), type, "must be either Utilization, Value, or AverageValue");
  }
  for (const name of ["value", "averageValue"] as const) {
    const amount = target[name];
    if (amount !== undefined && parseQuantity(amount).nanos <= 0n) {
      yield invalid(path.child(name), amount, "must be positive");
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    yield invalid(path.child("averageUtilization"), averageUtilization, "must be greater than 0");
  }
}

function* validateIdentifier({ name }: MetricIdentifier, path: FieldPath): Generator<FieldError> {
  if (name === "") yield requiredValue(path.child("name"), "must specify a metric name");
  else yield* report(path.child("name"), name, pathSegmentProblems(name));
}
