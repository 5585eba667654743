import type { ContainerImage } from "../../../api/core/node/schema.ts";
import { validateResourceAmount, validateResourceName } from "../../../api/core/validation/resources.ts";
import { validateTaints } from "../../../api/core/pod/validation/scheduling.ts";
import {
  duplicate,
  type FieldError,
  FieldPath,
  invalid,
  notSupported,
  requiredValue,
  tooLong,
  tooMany,
} from "../../../meta/field-error.ts";
import { parseQuantity } from "../../../meta/quantity.ts";
import { validateBoundedList } from "../../../meta/validation/bounded-list.ts";
import { labelProblems, subdomainProblems } from "../../../meta/validation/dns.ts";
import { validateLabels, validateLabelSelector } from "../../../meta/validation/labels.ts";
import { rangeProblems } from "../../../meta/validation/number.ts";
import { report } from "../../../meta/validation/report.ts";
import { lengthProblems } from "../../../meta/validation/text.ts";
import type {
  ContainerRule,
  Delay,
  End,
  HeartbeatFailure,
  NodeGroup,
  Pull,
  SimulationConfiguration,
  UsageAmounts,
} from "./schema.ts";
import { amountOf } from "./amount.ts";

type Issues = Generator<FieldError>;

/** The bounds of a configuration. Each start of a container looks at all rules, and each node has its own copies. */
export const limits = {
  rules: 256,
  /** Images, namespaces, ends or expressions of one rule. */
  entries: 32,
  patternBytes: 512,
  groups: 64,
  nodes: 5000,
  /** Upstream's greatest number of images in a Node's status (kubelet `nodeStatusMaxImages`). */
  images: 50,
  /** All nodes together as JSON: each has its own copy of its group's properties. */
  nodesBytes: 64 * 1024 * 1024,
  /** Labels, taints or resources of one group. */
  nodeEntries: 64,
  messageBytes: 1024,
  /** The longest timer of the system's clock: almost 25 days. */
  delayMs: 2 ** 31 - 1,
  exitCode: 255,
  weight: 1_000_000,
  /** The greatest usage of one container: a million cores, and 8 PiB. Sums of many are still exact. */
  usage: { cpu: 1e6, memory: 2 ** 53 },
} as const;

export const pullReasons = ["ErrImagePull", "InvalidImageName"] as const;

/** Yields the problems of a decoded configuration. */
export function* validateSimulation({ containers = [], nodes = [] }: SimulationConfiguration): Issues {
  yield* validateBoundedList(containers, limits.rules, new FieldPath("containers"), validateRule);
  yield* validateBoundedList(nodes, limits.groups, new FieldPath("nodes"), validateGroup);
  yield* validateNodeNames(nodes.slice(0, limits.groups), new FieldPath("nodes"));
}

function* validateRule(rule: ContainerRule, path: FieldPath): Issues {
  yield* validateBoundedList(rule.images, limits.entries, path.child("images"), validatePattern);
  yield* validateBoundedList(rule.namespaces, limits.entries, path.child("namespaces"), (name, place) =>
    report(place, name, labelProblems(name)),
  );
  yield* validateSelector(rule, path.child("podSelector"));
  const { pull, start, ready, end } = rule.stages ?? {};
  const stages = path.child("stages");
  yield* validatePull(pull, stages.child("pull"));
  yield* validateDelay(start?.delay, stages.child("start", "delay"));
  yield* validateDelay(ready?.delay, stages.child("ready", "delay"));
  yield* validateBoundedList(end, limits.entries, stages.child("end"), validateEnd);
  yield* validateUsage(rule.usage, path.child("usage"));
}

function* validatePattern(pattern: string, path: FieldPath): Issues {
  if (pattern === "") yield requiredValue(path);
  if (Buffer.byteLength(pattern) > limits.patternBytes) yield tooLong(path, limits.patternBytes);
}

function* validateSelector({ podSelector }: ContainerRule, path: FieldPath): Issues {
  const { matchExpressions = [], matchLabels = {} } = podSelector ?? {};
  const values = matchExpressions.flatMap(({ values: some = [] }) => some);
  const count = Math.max(matchExpressions.length, values.length, Object.keys(matchLabels).length);
  if (count > limits.entries) yield tooMany(path, count, limits.entries);
  else yield* validateLabelSelector(podSelector, path);
}

export function* validateDelay(delay: Delay | undefined, path: FieldPath): Issues {
  const { durationMilliseconds: least = 0, jitterDurationMilliseconds: most } = delay ?? {};
  yield* report(path.child("durationMilliseconds"), least, rangeProblems(least, 0, limits.delayMs));
  if (most === undefined) return;
  const place = path.child("jitterDurationMilliseconds");
  yield* report(place, most, rangeProblems(most, 0, limits.delayMs));
  if (most < least) yield invalid(place, most, "must be greater than or equal to durationMilliseconds");
}

function* validatePull(pull: Pull | undefined, path: FieldPath): Issues {
  yield* validateDelay(pull?.delay, path.child("delay"));
  const { reason = "", message = "" } = pull?.failure ?? {};
  const place = path.child("failure");
  if (reason !== "" && !pullReasons.some((one) => one === reason))
    yield notSupported(place.child("reason"), reason, pullReasons);
  if (Buffer.byteLength(message) > limits.messageBytes)
    yield tooLong(place.child("message"), limits.messageBytes);
}

function* validateEnd({ weight = 1, delay, exitCode = 0, untilStopped }: End, path: FieldPath): Issues {
  yield* report(path.child("weight"), weight, rangeProblems(weight, 1, limits.weight));
  yield* validateDelay(delay, path.child("delay"));
  yield* report(path.child("exitCode"), exitCode, rangeProblems(exitCode, 0, limits.exitCode));
  if (untilStopped === true && delay !== undefined)
    yield invalid(path.child("untilStopped"), true, "may not be set when `delay` is specified");
}

export function* validateUsage(usage: UsageAmounts | undefined, path: FieldPath): Issues {
  for (const name of ["cpu", "memory"] as const) {
    const amount = usage?.[name];
    if (amount === undefined) continue;
    const value = amountOf(parseQuantity(amount));
    yield* report(path.child(name), amount, rangeProblems(value, 0, limits.usage[name]));
  }
}

function* validateGroup(group: NodeGroup, path: FieldPath): Issues {
  const { name = "node", count = 1, labels = {}, taints = [], capacity = {}, allocatable = {} } = group;
  // A node's name is also the value of its label kubernetes.io/hostname.
  const longest = `${name}-${limits.nodes}`;
  const problems = [...lengthProblems(longest, 63), ...subdomainProblems(longest)];
  yield* report(path.child("name"), name, problems);
  yield* report(path.child("count"), count, rangeProblems(count, 0, limits.nodes));
  const sized = { labels, taints, capacity, allocatable };
  for (const [field, value] of Object.entries(sized)) {
    const size = Object.keys(value).length;
    if (size > limits.nodeEntries) return yield tooMany(path.child(field), size, limits.nodeEntries);
  }
  yield* validateLabels(labels, path.child("labels"));
  yield* validateTaints(taints, path.child("taints"));
  yield* validateAmounts(capacity, path.child("capacity"));
  yield* validateAmounts(allocatable, path.child("allocatable"));
  yield* validateBoundedList(group.images, limits.images, path.child("images"), validateImage);
  yield* validateHeartbeat(group.heartbeatFailure, path.child("heartbeatFailure"));
}

function* validateImage({ names }: ContainerImage, path: FieldPath): Issues {
  if (names.length === 0) yield requiredValue(path.child("names"));
  yield* validateBoundedList(names, limits.entries, path.child("names"), validatePattern);
}

function* validateAmounts(amounts: Readonly<Record<string, string>>, path: FieldPath): Issues {
  for (const [name, amount] of Object.entries(amounts)) {
    yield* validateResourceName(name, path.key(name));
    yield* validateResourceAmount(name, amount, path.key(name));
  }
}

function* validateHeartbeat(failure: HeartbeatFailure | undefined, path: FieldPath): Issues {
  if (failure === undefined) return;
  const { delay, duration, repeat = false } = failure;
  yield* validateDelay(delay, path.child("delay"));
  yield* validateDelay(duration, path.child("duration"));
  if (!repeat) return;
  if (duration === undefined)
    yield requiredValue(path.child("duration"), "must be specified when `repeat` is set");
  const least = (delay?.durationMilliseconds ?? 0) + (duration?.durationMilliseconds ?? 0);
  if (least < 1000)
    yield invalid(path.child("repeat"), true, "delay and duration must take at least a second");
}

/** Names of two groups never meet, because a name without its last number is the group's. */
function* validateNodeNames(groups: readonly NodeGroup[], path: FieldPath): Issues {
  const seen = new Set<string>();
  for (const [i, { name = "node" }] of groups.entries()) {
    if (seen.has(name)) yield duplicate(path.index(i).child("name"), name);
    seen.add(name);
  }
  const total = groups.reduce((sum, { count = 1 }) => sum + Math.max(0, count), 0);
  if (total > limits.nodes) yield tooMany(path, total, limits.nodes);
  const bytes = groups.reduce((sum, group) => sum + JSON.stringify(group).length * (group.count ?? 1), 0);
  if (bytes > limits.nodesBytes) yield tooLong(path, limits.nodesBytes);
}
