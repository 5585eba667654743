import type { Draft } from "../../../meta/schema.ts";
import type { Container } from "./container.ts";
import type { PodSpec } from "./spec.ts";

/**
 * A spec in the sizes that another one asks for, and otherwise as it was (registry `core/pod`, `dropNonResizeUpdates`).
 * Where the containers are not the same ones, the other spec as it is: it will be refused.
 */
export function withSizes(old: PodSpec, asked: Draft<PodSpec>): Draft<PodSpec> {
  const containers = inSizesOf(old.containers, asked.containers);
  const initContainers = inSizesOf(old.initContainers ?? [], asked.initContainers ?? []);
  if (containers === undefined || initContainers === undefined) return asked;
  const { resources: _, ...rest } = old;
  return {
    ...rest,
    containers,
    ...(initContainers.length === 0 ? {} : { initContainers }),
    ...(asked.resources === undefined ? {} : { resources: asked.resources }),
  } as Draft<PodSpec>;
}

function inSizesOf(
  old: readonly Container[],
  asked: readonly Draft<Container>[],
): readonly object[] | undefined {
  if (old.length !== asked.length || old.some(({ name }, i) => name !== asked[i]?.name)) return undefined;
  return old.map(({ resizePolicy: _, ...container }, i) => {
    const { resources = {}, resizePolicy } = asked[i] ?? {};
    return { ...container, resources, ...(resizePolicy === undefined ? {} : { resizePolicy }) };
  });
}
