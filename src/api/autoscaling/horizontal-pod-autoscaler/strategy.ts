import type * as v2 from "./schema.ts";
import type * as v1 from "./schema-v1.ts";
import type { Draft } from "../../../meta/schema.ts";
import type { Strategy, StrategyContext } from "../../../meta/strategy.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { specAnnotations, statusAnnotations, toV1, toV2 } from "./conversion.ts";
import { defaultHorizontalPodAutoscaler } from "./defaults.ts";
import { horizontalPodAutoscalerColumns } from "./printer.ts";
import { validateHorizontalPodAutoscaler, validateHorizontalPodAutoscalerStatus } from "./validation.ts";

export const strategy: Strategy<v2.HorizontalPodAutoscaler> = {
  setDefaults: defaultHorizontalPodAutoscaler,
  validateCreate: (autoscaler) => validateHorizontalPodAutoscaler(autoscaler),
  validateUpdate: validateHorizontalPodAutoscaler,
  parts: { status: { validate: validateHorizontalPodAutoscalerStatus } },
  columns: horizontalPodAutoscalerColumns,
};

/** The strategy of v1, which validates the object after conversion to v2. */
export const olderStrategy: Strategy<v1.HorizontalPodAutoscaler> = {
  setDefaults: normalize,
  prepareForCreate: ({ metadata }) => keepAnnotations(metadata, {}, statusAnnotations),
  prepareForUpdate: ({ metadata }, old, { subresource }: StrategyContext) =>
    keepAnnotations(metadata, old.metadata, subresource === "status" ? specAnnotations : statusAnnotations),
  validateCreate: (autoscaler) => validateHorizontalPodAutoscaler(toV2(autoscaler)),
  validateUpdate: (autoscaler, old) => validateHorizontalPodAutoscaler(toV2(autoscaler), toV2(old)),
  parts: { status: { validate: (autoscaler) => validateHorizontalPodAutoscalerStatus(toV2(autoscaler)) } },
  columns: horizontalPodAutoscalerColumns.map((column) => ({
    ...column,
    cell: (autoscaler, now) => column.cell(toV2(autoscaler), now),
  })),
};

/**
 * Rewrites the annotations from the fields of v2, so that they contain nothing else.
 * `currentCPUUtilizationPercentage` is not repeated in an annotation, because the annotation would contain
 * amounts that the writer did not set.
 */
function normalize(draft: Draft<v1.HorizontalPodAutoscaler>): void {
  const before = draft.metadata.annotations ?? {};
  const { metadata, ...rest } = toV1(toV2(draft));
  const { [statusAnnotations.metrics]: _, ...others } = metadata.annotations ?? {};
  const isSaid = before[statusAnnotations.metrics] !== undefined;
  Object.assign(draft, rest, { metadata: isSaid ? metadata : { ...metadata, annotations: others } });
  if (Object.keys(draft.metadata.annotations ?? {}).length === 0) delete draft.metadata.annotations;
}

/** Restores annotations that hold the part of the object that this endpoint must not change. */
function keepAnnotations(
  metadata: Draft<v1.HorizontalPodAutoscaler>["metadata"],
  old: v1.HorizontalPodAutoscaler["metadata"],
  names: Readonly<Record<string, string>>,
): void {
  const annotations = { ...metadata.annotations };
  for (const name of Object.values(names)) {
    const before = old.annotations?.[name];
    if (before === undefined) delete annotations[name];
    else annotations[name] = before;
  }
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
  else metadata.annotations = annotations;
}

/**
 * Converts to the stored version, v2. Keeps the stored spec or status if that part is unchanged in v1,
 * because v2 has defaults that v1 lacks and v1 shows absent amounts as zero.
 */
export function storedForm(
  autoscaler: v1.HorizontalPodAutoscaler,
  before?: { readonly stored: v2.HorizontalPodAutoscaler; readonly shown: v1.HorizontalPodAutoscaler },
): v2.HorizontalPodAutoscaler {
  const draft = toV2(autoscaler);
  defaultHorizontalPodAutoscaler(draft);
  if (before === undefined) return draft;
  const { spec, status } = before.stored;
  return {
    ...draft,
    ...(isSame("spec", specAnnotations, autoscaler, before.shown) && { spec }),
    ...(isSame("status", statusAnnotations, autoscaler, before.shown) && { status }),
  };
}

function isSame(
  part: "spec" | "status",
  names: Readonly<Record<string, string>>,
  ...[a, b]: readonly [v1.HorizontalPodAutoscaler, v1.HorizontalPodAutoscaler]
): boolean {
  const isSameText = (name: string) => a.metadata.annotations?.[name] === b.metadata.annotations?.[name];
  return deepEqual(a[part], b[part]) && Object.values(names).every(isSameText);
}
