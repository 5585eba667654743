import { type FieldError, type FieldPath, forbidden, invalid, root } from "../../../../meta/field-error.ts";
import { deepEqual } from "../../../../util/deep-equal.ts";
import { qosClass } from "../qos.ts";
import type { ResourceList } from "../resources.ts";
import type { Container } from "../container.ts";
import type { Pod } from "../schema.ts";
import type { PodSpec } from "../spec.ts";
import type { ResourceRequirements } from "../../v1/resources.ts";
import { mirrorAnnotation, validatePod } from "./pod.ts";

const specPath = root.child("spec");
const lists = ["containers", "initContainers"] as const;

/** Only permits changes of CPU and memory (upstream `ValidatePodResize`). */
export function* validatePodResize(pod: Pod, old: Pod): Generator<FieldError> {
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    yield forbidden(root, "static pods cannot be resized");
    return;
  }
  if (old.spec.os?.name === "windows") {
    yield forbidden(root, "windows pods cannot be resized");
    return;
  }
  yield* validatePod(pod);
  if ((old.status.qosClass ?? qosClass(old.spec)) !== qosClass(pod.spec)) {
    const why = "Pod QOS Class may not change as a result of resizing";
    yield invalid(specPath, pod.status.qosClass ?? "", why);
  }
  if (!takesSizes(old)) yield forbidden(specPath, "Pod running on node without support for resize");
  yield* validateOfPod(pod.spec, old.spec);
  const moved = lists.flatMap((list) => [...validateSameContainers(pod.spec, old.spec, list)]);
  yield* moved;
  if (moved.length > 0) return;
  for (const [now, before, path] of pairs(pod.spec, old.spec, "initContainers"))
    yield* validateRemoved(now, before, path);
  for (const [now, before, path] of pairs(pod.spec, old.spec, "containers"))
    yield* validateRemoved(now, before, path);
  for (const [now, before] of pairs(pod.spec, old.spec, "containers"))
    if (!isResized(now, before)) yield forbidden(specPath, "only cpu and memory resources are mutable");
  for (const [now, before, path] of pairs(pod.spec, old.spec, "initContainers"))
    yield* validateInitContainer(now, before, path);
}

/** New and old containers with their paths. */
function pairs(spec: PodSpec, old: PodSpec, list: (typeof lists)[number]) {
  return (spec[list] ?? []).flatMap((now, i) => {
    const before = old[list]?.[i];
    return before === undefined ? [] : [[now, before, specPath.child(list).index(i)] as const];
  });
}

/**
 * Reports whether the Pod's node supports resizing: it then reports the resources of running containers.
 * Without running containers, any node is accepted.
 */
function takesSizes({ status }: Pod): boolean {
  const running = (status.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

function* validateOfPod({ resources }: PodSpec, { resources: before }: PodSpec): Generator<FieldError> {
  const path = specPath.child("resources");
  if (before !== undefined && resources === undefined) {
    yield forbidden(path, "pod-level resources cannot be removed");
    return;
  }
  for (const what of ["requests", "limits"] as const) {
    if (isRemoved(resources?.[what], before?.[what]))
      yield forbidden(path.child(what), `pod-level resource ${what} cannot be removed`);
  }
  if (!deepEqual(inOldAmounts(resources, before), inOldAmounts(before, before)))
    yield forbidden(specPath, "only cpu and memory resources are mutable at pod-level");
}

function* validateSameContainers(
  spec: PodSpec,
  old: PodSpec,
  list: (typeof lists)[number],
): Generator<FieldError> {
  const [now, before] = [spec[list] ?? [], old[list] ?? []];
  if (now.length !== before.length) {
    yield forbidden(specPath.child(list), `${list} may not be added or removed on resize`);
    return;
  }
  for (const [i, { name }] of before.entries()) {
    if (now[i]?.name !== name)
      yield forbidden(
        specPath.child(list).index(i).child("name"),
        `${list} may not be renamed or reordered on resize`,
      );
  }
}

function* validateRemoved(now: Container, before: Container, path: FieldPath): Generator<FieldError> {
  for (const what of ["requests", "limits"] as const) {
    if (isRemoved(now.resources[what], before.resources[what]))
      yield forbidden(path.child("resources", what), `resource ${what} cannot be removed`);
  }
}

/** Reports whether only CPU and memory differ. */
function isResized(now: Container, before: Container): boolean {
  const masked = { ...now, resources: inOldAmounts(now.resources, before.resources) };
  return deepEqual(masked, { ...before, resources: withoutEmpty(before.resources) });
}

function* validateInitContainer(now: Container, before: Container, path: FieldPath): Generator<FieldError> {
  if (!isResized(now, before))
    yield forbidden(path, "only cpu and memory resources for init or sidecar containers are mutable");
  if (now.restartPolicy === "Always" || deepEqual(now, before)) return;
  for (const { restartPolicy } of now.resizePolicy ?? []) {
    if (restartPolicy !== "RestartContainer") continue;
    const why = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
    yield forbidden(path, why);
  }
}

function isRemoved(now: ResourceList = {}, before: ResourceList = {}): boolean {
  return Object.keys(before).some((name) => now[name] === undefined);
}

/** The new resources with the old amounts of CPU and memory, and without claims. */
function inOldAmounts(
  { requests, limits }: Sizes = {},
  { requests: oldRequests, limits: oldLimits }: Sizes = {},
): ResourceRequirements {
  return withoutEmpty({ requests: masked(requests, oldRequests), limits: masked(limits, oldLimits) });
}

type Sizes = Pick<ResourceRequirements, "requests" | "limits">;

function masked(now: ResourceList = {}, before: ResourceList = {}): ResourceList {
  const { cpu: _, memory: __, ...rest } = now;
  const { cpu, memory } = before;
  return {
    ...rest,
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
  };
}

/** Treats an empty list of amounts as absent. */
function withoutEmpty({ requests = {}, limits = {}, ...rest }: ResourceRequirements): ResourceRequirements {
  return {
    ...rest,
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}
