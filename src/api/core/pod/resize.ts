import { type Draft, draftOf } from "../../../meta/schema.ts";
import type { Container } from "./container.ts";
import type { PodSpec } from "./spec.ts";

/**
 * The old spec with the resources of the requested one (registry `core/pod`, `dropNonResizeUpdates`). Returns
 * the requested spec if its containers differ, so that validation refuses it.
 */
export function withSizes(old: PodSpec, asked: Draft<PodSpec>): Draft<PodSpec> {
  const containers = inSizesOf(old.containers, asked.containers);
  const initContainers = inSizesOf(old.initContainers ?? [], asked.initContainers ?? []);
  if (containers === undefined || initContainers === undefined) return asked;
  const { resources: _, ...rest } = old;
  return {
    ...draftOf(rest),
    containers,
    ...(initContainers.length === 0 ? {} : { initContainers }),
    ...(asked.resources === undefined ? {} : { resources: asked.resources }),
  };
}

function inSizesOf(
  old: readonly Container[],
  asked: readonly Draft<Container>[],
): Draft<Container>[] | undefined {
  if (old.length !== asked.length || old.some(({ name }, i) => name !== asked[i]?.name)) return undefined;
  return old.map(({ resizePolicy: _, ...container }, i) => {
    const { resources = {}, resizePolicy } = asked[i] ?? {};
    return { ...draftOf(container), resources, ...(resizePolicy === undefined ? {} : { resizePolicy }) };
  });
}
