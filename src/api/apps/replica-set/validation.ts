import { type FieldError, root } from "../../../meta/field-error.ts";
import { validateNonNegative } from "../../../meta/validation/number.ts";
import { validateReplicaCounts } from "../../core/validation/replica-counts.ts";
import { validateSelectedTemplate, validateSelector } from "../validation.ts";
import type { ReplicaSet } from "./schema.ts";

const path = root.child("spec");

const statusPath = root.child("status");

export function* validateReplicaSet({ spec }: ReplicaSet): Generator<FieldError> {
  yield* validateNonNegative(spec.replicas, path.child("replicas"));
  yield* validateNonNegative(spec.minReadySeconds, path.child("minReadySeconds"));
  // Upstream's message says "deployment" for ReplicaSets, too.
  yield* validateSelector(spec.selector, "deployment", path.child("selector"));
  yield* validateSelectedTemplate(spec.selector, spec.template, "ReplicaSet", path.child("template"));
}

export function* validateReplicaSetStatus({ status }: ReplicaSet): Generator<FieldError> {
  const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const;
  yield* validateReplicaCounts(status, statusPath, parts);
}
