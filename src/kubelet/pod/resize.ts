import type { Pod } from "../../api/core/pod/schema.ts";
import type { NodeContext } from "../node-context.ts";
import { wholePod, withSizes } from "../allocation/sizes.ts";
import type { Resources, SandboxStatus } from "../runtime.ts";
import { containerResources, podResources } from "./resources.ts";
import { type ContainerChange, presentSize, type ResizeChanges, withResource } from "./resize-plan.ts";
import type { PodView } from "./view.ts";

type Resource = "cpu" | "memory";

/**
 * Applies the accepted sizes to running containers (kubelet `doPodResizeAction`). The Pod's cgroup grows before its containers
 * and shrinks after them, so that it always holds them. Memory comes first. @throws Error whose message the Pod's
 * condition shows
 */
export async function resizePod(
  node: NodeContext,
  view: PodView,
  sandbox: SandboxStatus,
  changes: ResizeChanges,
): Promise<void> {
  const { pod } = view;
  const uid = pod.metadata.uid ?? "";
  await node.allocations.saved();
  const present = podResources(asPresent(view));
  const wanted = podResources(pod);
  if (changes.memory.length > 0 || changes.wholePod)
    await checkMemory(node, sandbox, changes.memory, present.memoryLimitBytes, wanted.memoryLimitBytes);
  for (const resource of ["memory", "cpu"] as const) {
    const changed = changes[resource];
    if (changed.length === 0 && !changes.wholePod) continue;
    const [grow, shrink] = podSteps(resource, present, wanted);
    await updateSandbox(node, sandbox, grow);
    for (const change of changed) {
      await node.runtime.updateContainer(change.id, settingsOf(resource, pod, change));
      const before = presentSize({ pod, resize: node.allocations.resizeOf(uid) }, change.container.name);
      const after = withResource(before, change.container.resources, resource);
      await node.allocations.actuate(uid, change.container.name, after);
    }
    await updateSandbox(node, sandbox, shrink);
  }
  await node.allocations.actuate(uid, wholePod, pod.spec.resources);
  await noteEqualSizes(node, view, changes);
}

/** Sizes that differ in other resources than CPU and memory, or in form, need no call of the runtime. */
async function noteEqualSizes(node: NodeContext, { pod }: PodView, changes: ResizeChanges): Promise<void> {
  const uid = pod.metadata.uid ?? "";
  const changed = [...changes.memory, ...changes.cpu].map(({ container }) => container.name);
  const { actuated } = node.allocations.resizeOf(uid);
  if (changes.wholePod) return;
  for (const { name, resources } of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])])
    if (actuated.has(name) && (changed.length === 0 || changed.includes(name)))
      await node.allocations.actuate(uid, name, resources);
}

/** Returns the Pod with the sizes in use. */
function asPresent({ pod, resize }: PodView): Pick<Pod, "spec"> {
  const actuated = resize?.actuated ?? new Map();
  const sizes = { pod: actuated.get(wholePod) ?? pod.spec.resources, containers: actuated };
  return { spec: withSizes(pod.spec, sizes) };
}

async function updateSandbox(
  { runtime }: NodeContext,
  { id }: SandboxStatus,
  resources: Resources,
): Promise<void> {
  if (Object.keys(resources).length > 0) await runtime.updateSandbox?.(id, resources);
}

/**
 * Returns the changes of the Pod's cgroup before and after those of its containers. A limit that the Pod no longer has stays, as
 * upstream keeps it.
 */
export function podSteps(
  resource: Resource,
  present: Resources,
  wanted: Resources,
): readonly [grow: Resources, shrink: Resources] {
  const grow: { -readonly [K in keyof Resources]: Resources[K] } = {};
  const shrink: typeof grow = {};
  if (resource === "memory") {
    const { memoryLimitBytes: next } = wanted;
    const before = present.memoryLimitBytes ?? Infinity;
    if (next !== undefined && next !== before) (next > before ? grow : shrink).memoryLimitBytes = next;
    return [grow, shrink];
  }
  const { cpuQuota: next, cpuPeriod, cpuShares } = wanted;
  const before = present.cpuQuota ?? Infinity;
  if (next !== undefined && next !== before)
    Object.assign(next > before ? grow : shrink, { cpuQuota: next, cpuPeriod });
  if (cpuShares !== undefined && cpuShares !== present.cpuShares)
    (cpuShares > (present.cpuShares ?? 0) ? grow : shrink).cpuShares = cpuShares;
  return [grow, shrink];
}

/** Returns the settings of one resource. A negative limit removes the present one. */
function settingsOf(resource: Resource, { spec }: Pod, { container }: ContainerChange): Resources {
  const { cpuShares, cpuQuota, cpuPeriod, memoryLimitBytes } = containerResources(container, spec.resources);
  if (resource === "memory") return { memoryLimitBytes: memoryLimitBytes ?? -1 };
  return {
    ...(cpuShares !== undefined && { cpuShares }),
    cpuQuota: cpuQuota ?? -1,
    ...(cpuPeriod !== undefined && { cpuPeriod }),
  };
}

/** Refuses limits below the present usage: the kernel would kill the container (kubelet `validateMemoryResizeAction`). */
async function checkMemory(
  { runtime }: NodeContext,
  sandbox: SandboxStatus,
  changed: readonly ContainerChange[],
  before: number | undefined,
  after: number | undefined,
): Promise<void> {
  const shrinksPod = after !== undefined && after < (before ?? Infinity);
  const shrinking = changed.filter(
    ({ present, wanted }) =>
      wanted.memoryLimit > 0 && (present.memoryLimit === 0 || wanted.memoryLimit < present.memoryLimit),
  );
  if ((!shrinksPod && shrinking.length === 0) || runtime.usage === undefined) return;
  const { containers } = await runtime.usage();
  const used = (id: string) => containers.get(id)?.memoryBytes ?? 0;
  const errors: string[] = [];
  const all = sandbox.containers.reduce((sum, { id }) => sum + used(id), 0);
  if (shrinksPod && all >= after)
    errors.push(`attempting to set pod memory limit (${after}) below current usage (${all})`);
  for (const { id, container, wanted } of shrinking) {
    if (used(id) >= wanted.memoryLimit)
      errors.push(
        `attempting to set container ${JSON.stringify(container.name)} memory limit (${wanted.memoryLimit}) below current usage (${used(id)})`,
      );
  }
  if (errors.length === 0) return;
  const [only = ""] = errors;
  throw new Error(`cannot decrease memory limits: ${errors.length === 1 ? only : `[${errors.join(", ")}]`}`);
}
