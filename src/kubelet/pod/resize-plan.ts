import type { Container } from "../../api/core/pod/container.ts";
import { type Requirements, sizeOf, wholePod } from "../allocation/sizes.ts";
import type { ContainerStatus as RuntimeContainer } from "../runtime.ts";
import { membersOf } from "./roles.ts";
import { milliOf, valueOf } from "./resources.ts";
import { latest, type PodView } from "./view.ts";

/** The amounts that a resize changes; 0 for none. CPU in thousandths, memory in bytes. */
interface Amounts {
  readonly cpuRequest: number;
  readonly cpuLimit: number;
  readonly memoryRequest: number;
  readonly memoryLimit: number;
}

/** A running container whose sizes change in place. */
export interface ContainerChange {
  readonly id: string;
  readonly container: Container;
  readonly present: Amounts;
  readonly wanted: Amounts;
}

/** The changes of one resource, decreases first. */
export interface ResizeChanges {
  readonly memory: readonly ContainerChange[];
  readonly cpu: readonly ContainerChange[];
  /** True when the Pod's own limits change with those of a container, or by themselves. */
  readonly wholePod: boolean;
}

export interface ResizePlan {
  readonly restarts: readonly { readonly container: Container; readonly status: RuntimeContainer }[];
  readonly changes: ResizeChanges | undefined;
}

const nothing: ResizePlan = { restarts: [], changes: undefined };

/** Plans how running containers get the accepted sizes (kubelet `computePodResizeAction`). */
export function planResize(view: PodView): ResizePlan {
  const { pod, resize } = view;
  if (resize === undefined || resize.actuated.size === 0) return nothing;
  const { actuated } = resize;
  const presentPod = actuated.get(wholePod) ?? pod.spec.resources;
  const restarts: ResizePlan["restarts"][number][] = [];
  const changed: ContainerChange[] = [];
  for (const { container, role } of membersOf(pod)) {
    const status = latest(view, container.name);
    if (role === "ephemeral" || status?.state !== "running") continue;
    const present = amountsOf(actuated.get(container.name) ?? container.resources, presentPod);
    const wanted = amountsOf(container.resources, pod.spec.resources);
    if (isSame(present, wanted, "cpu") && isSame(present, wanted, "memory")) continue;
    if (role !== "init" && needsRestart(container, present, wanted)) restarts.push({ container, status });
    else changed.push({ id: status.id, container, present, wanted });
  }
  const changesPod = actuated.has(wholePod) || restarts.length > 0;
  if (changed.length === 0 && !changesPod) return { restarts, changes: leftovers(view) };
  const of = (resource: "cpu" | "memory") =>
    changed
      .filter(({ present, wanted }) => !isSame(present, wanted, resource))
      .sort((a, b) => growth(a, resource) - growth(b, resource));
  return { restarts, changes: { memory: of("memory"), cpu: of("cpu"), wholePod: changesPod } };
}

/** Sizes of running containers that differ in form only are noted as applied by a change of nothing. */
function leftovers(view: PodView): ResizeChanges | undefined {
  const names = [...(view.resize?.actuated.keys() ?? [])];
  const isLeft = names.some((name) => latest(view, name)?.state === "running");
  return isLeft ? { memory: [], cpu: [], wholePod: false } : undefined;
}

function needsRestart({ resizePolicy = [] }: Container, present: Amounts, wanted: Amounts): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" &&
      (resourceName === "cpu" || resourceName === "memory") &&
      !isSame(present, wanted, resourceName),
  );
}

function isSame(a: Amounts, b: Amounts, resource: "cpu" | "memory"): boolean {
  return resource === "cpu"
    ? a.cpuRequest === b.cpuRequest && a.cpuLimit === b.cpuLimit
    : a.memoryRequest === b.memoryRequest && a.memoryLimit === b.memoryLimit;
}

/** Returns -1 for a decrease and 1 for an increase: of the limit, or else of the request. */
function growth({ present, wanted }: ContainerChange, resource: "cpu" | "memory"): number {
  return resource === "cpu"
    ? Math.sign(wanted.cpuLimit - present.cpuLimit || wanted.cpuRequest - present.cpuRequest)
    : Math.sign(wanted.memoryLimit - present.memoryLimit || wanted.memoryRequest - present.memoryRequest);
}

function amountsOf(
  { requests = {}, limits = {} }: Requirements,
  podLevel: Requirements | undefined,
): Amounts {
  return {
    cpuRequest: milliOf(requests["cpu"]),
    cpuLimit: milliOf(limits["cpu"] ?? podLevel?.limits?.["cpu"]),
    memoryRequest: valueOf(requests["memory"]),
    memoryLimit: valueOf(limits["memory"] ?? podLevel?.limits?.["memory"]),
  };
}

/** Returns the sizes in use after a change of one resource. */
export function withResource(
  present: Requirements,
  wanted: Requirements,
  resource: "cpu" | "memory",
): Requirements {
  const merge = (a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}) => {
    const { [resource]: _, ...rest } = a;
    const next = b[resource];
    return next === undefined ? rest : { ...rest, [resource]: next };
  };
  const limits = merge(present.limits, wanted.limits);
  const requests = merge(present.requests, wanted.requests);
  return {
    ...present,
    ...(wanted.limits === undefined && Object.keys(limits).length === 0 ? {} : { limits }),
    ...(wanted.requests === undefined && Object.keys(requests).length === 0 ? {} : { requests }),
  };
}

/** Returns the sizes that a container has now, or the whole Pod. */
export function presentSize({ pod, resize }: Pick<PodView, "pod" | "resize">, name: string): Requirements {
  return resize?.actuated.get(name) ?? sizeOf(pod.spec, name) ?? {};
}
