import { type FieldError, type FieldPath, forbidden, invalid, root } from "../../../../meta/field-error.ts";
import { validateImmutable } from "../../../../meta/validation/immutable.ts";
import { isIp, ipFamily, validateIp } from "../../../../meta/validation/ip.ts";
import { report } from "../../../../meta/validation/report.ts";
import { labelKeyProblems } from "../../../../meta/label-syntax.ts";
import { rangeProblems } from "../../../../meta/validation/number.ts";
import { deepEqual } from "../../../../util/deep-equal.ts";
import type { Container } from "../container.ts";
import type { ContainerStatus } from "../container-status.ts";
import type { Pod } from "../schema.ts";
import type { PodSpec } from "../spec.ts";
import type { Toleration } from "../../v1/scheduling.ts";
import { annotationsPath, mirrorAnnotation } from "./pod.ts";
import { validateNodeName, validateTolerations } from "./scheduling.ts";

const specPath = root.child("spec");
const statusPath = root.child("status");
const maxInt32 = 2 ** 31 - 1;

const updatable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

/** Permits changes of images, shorter deadlines, additional tolerations and removed scheduling gates only. */
export function* validatePodUpdate(pod: Pod, old: Pod): Generator<FieldError> {
  yield* validateMirror(pod, old);
  for (const list of ["containers", "initContainers"] as const) {
    if ((pod.spec[list] ?? []).length !== (old.spec[list] ?? []).length) {
      yield forbidden(specPath.child(list), "pod updates may not add or remove containers");
      return;
    }
  }
  yield* validateDeadline(pod.spec, old.spec);
  yield* validateAddedTolerations(pod.spec.tolerations ?? [], old.spec.tolerations ?? []);
  yield* validateDroppedGates(pod.spec, old.spec);
  if (!deepEqual(unchangeable(pod.spec, old.spec), old.spec)) {
    yield forbidden(specPath, `pod updates may not change fields other than ${updatable.join(",")}\n`);
  }
}

/** The new spec with all mutable fields set to their old values. */
function unchangeable(spec: PodSpec, old: PodSpec): object {
  const withOldImages = (containers: readonly Container[], before: readonly Container[] = []) =>
    containers.map((container, i) => ({ ...container, image: before[i]?.image }));
  const { terminationGracePeriodSeconds: grace } = spec;
  const oldGrace = old.terminationGracePeriodSeconds;
  const hastened = oldGrace !== undefined && oldGrace < 0 && grace === 1;
  const changed = {
    ...spec,
    containers: withOldImages(spec.containers, old.containers),
    initContainers: spec.initContainers && withOldImages(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
    terminationGracePeriodSeconds: hastened ? oldGrace : grace,
  };
  if (old.schedulingGates === undefined) return changed;
  // The node affinity of a gated Pod may become stricter.
  const affinity = { ...spec.affinity, nodeAffinity: old.affinity?.nodeAffinity };
  const hasAffinity = Object.values(affinity).some((one) => one !== undefined);
  return {
    ...changed,
    nodeSelector: old.nodeSelector,
    affinity: hasAffinity || old.affinity !== undefined ? affinity : undefined,
  };
}

function* validateMirror(pod: Pod, old: Pod): Generator<FieldError> {
  const [now, before] = [pod, old].map(({ metadata }) => metadata.annotations?.[mirrorAnnotation]);
  if (now === before) return;
  const verb = before === undefined ? "add" : "remove or update";
  yield forbidden(annotationsPath.key(mirrorAnnotation), `may not ${verb} mirror pod annotation`);
}

function* validateDeadline(
  { activeDeadlineSeconds: now }: PodSpec,
  { activeDeadlineSeconds: before }: PodSpec,
): Generator<FieldError> {
  const place = specPath.child("activeDeadlineSeconds");
  if (now === undefined) {
    if (before !== undefined) {
      yield invalid(place, undefined, "must not update from a positive integer to nil value");
    }
    return;
  }
  yield* report(place, now, rangeProblems(now, 0, maxInt32));
  if (before !== undefined && before < now) {
    yield invalid(place, now, "must be less than or equal to previous value");
  }
}

function* validateAddedTolerations(
  now: readonly Toleration[],
  before: readonly Toleration[],
): Generator<FieldError> {
  const place = specPath.child("tolerations");
  // In canonical form, equal tolerations have equal texts.
  const identity = (one: Toleration) => JSON.stringify({ ...one, tolerationSeconds: undefined });
  const present = new Set(now.map(identity));
  const kept = before.every((old) => present.has(identity(old)));
  if (!kept) {
    yield forbidden(place, "existing toleration can not be modified except its tolerationSeconds");
  } else yield* validateTolerations(now, place);
}

function* validateDroppedGates(
  { schedulingGates = [], nodeSelector = {} }: PodSpec,
  { schedulingGates: before = [], nodeSelector: oldSelector = {} }: PodSpec,
): Generator<FieldError> {
  const known = new Set(before.map(({ name }) => name));
  for (const [i, { name }] of schedulingGates.entries()) {
    if (known.has(name)) continue;
    yield forbidden(
      specPath.child("schedulingGates").index(i).child("name"),
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    );
  }
  const lost = Object.entries(oldSelector).some(([key, value]) => nodeSelector[key] !== value);
  if (before.length > 0 && lost) {
    yield invalid(
      specPath.child("nodeSelector"),
      nodeSelector,
      "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
    );
  }
}

export function* validatePodStatusUpdate(pod: Pod, old: Pod): Generator<FieldError> {
  yield* validateMirror(pod, old);
  const { status } = pod;
  yield* validateConditions(pod);
  const nominated = status.nominatedNodeName;
  if (nominated !== undefined && nominated !== old.status.nominatedNodeName) {
    const place = statusPath.child("nominatedNodeName");
    yield* validateNodeName(nominated, place);
    if (old.spec.nodeName !== undefined) {
      yield forbidden(place, "may not be set on pods that are already bound to a node");
    }
  }
  yield* validateImmutable(status.qosClass, old.status.qosClass, statusPath.child("qosClass"));
  for (const list of ["containerStatuses", "initContainerStatuses"] as const) {
    const containers = list === "containerStatuses" ? old.spec.containers : old.spec.initContainers;
    yield* validateRestarts(status[list], old.status[list], containers, old.spec, statusPath.child(list));
  }
  yield* validateAddresses(status.podIPs ?? [], statusPath.child("podIPs"));
  yield* validateAddresses(status.hostIPs ?? [], statusPath.child("hostIPs"));
  const [host] = status.hostIPs ?? [];
  if (host !== undefined && host.ip !== status.hostIP) {
    yield invalid(statusPath.child("hostIPs").index(0).child("ip"), host.ip, "must be equal to `hostIP`");
  }
}

function* validateConditions({ status: { conditions = [] } }: Pod): Generator<FieldError> {
  for (const [i, { type, observedGeneration = 0 }] of conditions.entries()) {
    const place = statusPath.child("conditions").index(i);
    if (observedGeneration < 0) {
      yield invalid(place.child("observedGeneration"), observedGeneration, "must be a non-negative integer");
    }
    yield* report(place.child("Type"), type, labelKeyProblems(type));
  }
}

/** Forbids running states of containers that have terminated and cannot restart. */
function* validateRestarts(
  now: readonly ContainerStatus[] = [],
  before: readonly ContainerStatus[] = [],
  containers: readonly Container[] = [],
  spec: PodSpec,
  path: FieldPath,
): Generator<FieldError> {
  const byName = new Map(now.toReversed().map((status) => [status.name, status]));
  const known = new Map(containers.toReversed().map((container) => [container.name, container]));
  for (const [i, { name, state }] of before.entries()) {
    if (state.terminated === undefined) continue;
    const next = byName.get(name);
    if (next === undefined || next.state.terminated !== undefined) continue;
    const container = known.get(name);
    if (container !== undefined && mayRestart(container, spec, state.terminated.exitCode)) continue;
    yield forbidden(path.index(i).child("state"), "may not be transitioned to non-terminated state");
  }
}

/**
 * Reports whether a container may restart. The container's rules take precedence over its policy, the
 * container's policy over the Pod's.
 */
export function mayRestart(
  { restartPolicy, restartPolicyRules = [] }: Container,
  spec: PodSpec,
  exitCode: number,
): boolean {
  for (const { exitCodes } of restartPolicyRules) {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    if (exitCodes !== undefined && listed === (exitCodes.operator === "In")) return true;
  }
  const policy = restartPolicy ?? spec.restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function* validateAddresses(
  addresses: readonly { readonly ip: string }[],
  path: FieldPath,
): Generator<FieldError> {
  for (const [i, { ip }] of addresses.entries()) yield* validateIp(ip, path.index(i));
  const families = addresses.filter(({ ip }) => isIp(ip)).map(({ ip }) => ipFamily(ip));
  if (new Set(families).size < families.length) {
    yield invalid(path, addresses, "may specify no more than one IP for each IP family");
  }
}

/** Permits adding ephemeral containers only. */
export function* validateEphemeralContainersUpdate(pod: Pod, old: Pod): Generator<FieldError> {
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    yield forbidden(root, "static pods do not support ephemeral containers");
    return;
  }
  const place = specPath.child("ephemeralContainers");
  const kept = new Map(pod.spec.ephemeralContainers?.toReversed().map((one) => [one.name, one]));
  for (const before of old.spec.ephemeralContainers ?? []) {
    const now = kept.get(before.name);
    const what = `existing ephemeral containers ${JSON.stringify(before.name)}`;
    if (now === undefined) yield forbidden(place, `${what} may not be removed\n`);
    else if (!deepEqual(now, before)) yield forbidden(place, `${what} may not be changed\n`);
  }
}
