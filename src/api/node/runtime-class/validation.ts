import { duplicate, type FieldError, requiredValue, root } from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { validateLabels } from "../../../meta/validation/labels.ts";
import { validateDnsLabel } from "../../../meta/validation/report.ts";
import type { Toleration } from "../../core/v1/scheduling.ts";
import { validateContainerResources } from "../../core/validation/resources.ts";
import { validateTolerations } from "../../core/pod/validation/scheduling.ts";
import type { RuntimeClass } from "./schema.ts";
import { repeats } from "../../../util/repeats.ts";

const handlerPath = root.child("handler");
const schedulingPath = root.child("scheduling");

export function* validateRuntimeClass({
  handler,
  overhead,
  scheduling,
}: RuntimeClass): Generator<FieldError> {
  if (handler === "") yield requiredValue(handlerPath);
  else yield* validateDnsLabel(handler, handlerPath);
  if (overhead !== undefined) {
    const limits = overhead.podFixed ?? {};
    yield* validateContainerResources({ limits }, new Set(), root.child("overhead"));
  }
  if (scheduling === undefined) return;
  const { nodeSelector, tolerations = [] } = scheduling;
  const place = schedulingPath.child("tolerations");
  yield* validateLabels(nodeSelector, schedulingPath.child("nodeSelector"));
  yield* validateTolerations(tolerations, place);
  const repeated = repeats(tolerations.map(identity));
  for (const [i, one] of tolerations.entries()) {
    if (repeated.has(i)) yield duplicate(place.index(i), one);
  }
}

/** The identity of a toleration. In canonical form, equal tolerations have equal texts. */
const identity = (toleration: Toleration) => JSON.stringify({ ...toleration, tolerationSeconds: undefined });

export function* validateSameHandler({ handler }: RuntimeClass, old: RuntimeClass): Generator<FieldError> {
  yield* validateImmutable(handler, old.handler, handlerPath);
}
