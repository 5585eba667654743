import { type FieldError, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { validateNonNegative } from "../../../meta/validation/number.ts";
import type { ReplicationController } from "./schema.ts";
import { validateLastingTemplate } from "../pod/validation/pod.ts";
import { validateReplicaCounts } from "../validation/replica-counts.ts";

const path = root.child("spec");

export function* validateReplicationController({ spec }: ReplicationController): Generator<FieldError> {
  const { selector = {}, template } = spec;
  yield* validateNonNegative(spec.minReadySeconds, path.child("minReadySeconds"));
  if (Object.keys(selector).length === 0) yield requiredValue(path.child("selector"));
  if (spec.replicas === undefined) yield requiredValue(path.child("replicas"));
  yield* validateNonNegative(spec.replicas, path.child("replicas"));
  const place = path.child("template");
  if (template === undefined) {
    yield requiredValue(place);
    return;
  }
  const { labels } = template.metadata;
  if (Object.entries(selector).some(([key, value]) => labels?.[key] !== value)) {
    yield invalid(place.child("metadata", "labels"), labels, "`selector` does not match template `labels`");
  }
  yield* validateLastingTemplate(template, "ReplicationController", place);
}

export function* validateReplicationControllerStatus({
  status,
}: ReplicationController): Generator<FieldError> {
  yield* validateReplicaCounts(status, root.child("status"), [
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
  ]);
}
