import { duplicate, type FieldError, requiredValue, root } from "../../meta/field-error.ts";
import { validateImmutable } from "../../meta/validation/immutable.ts";
import { validateLabels } from "../../meta/validation/labels.ts";
import { validateDnsLabel } from "../../meta/validation/report.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { Toleration } from "../core/v1/scheduling.ts";
import { validateContainerResources } from "../core/validation/resources.ts";
import { validateTolerations } from "../core/validation/scheduling.ts";
import type { RuntimeClass } from "./v1.ts";

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
  for (const [i, one] of tolerations.entries()) {
    const first = tolerations.findIndex((other) => deepEqual(identity(other), identity(one)));
    if (first < i) yield duplicate(place.index(i), one);
  }
}

const identity = (toleration: Toleration) => ({ ...toleration, tolerationSeconds: undefined });

export function* validateSameHandler({ handler }: RuntimeClass, old: RuntimeClass): Generator<FieldError> {
  yield* validateImmutable(handler, old.handler, handlerPath);
}
