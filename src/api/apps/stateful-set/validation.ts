import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { validateCountOrPercent, validateNonNegative } from "../../../meta/validation/number.ts";
import { validateDnsLabel } from "../../../meta/validation/report.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { validateClaimSpec } from "../../core/persistent-volume-claim/validation.ts";
import type { PodTemplateSpec } from "../../core/pod/spec.ts";
import { validateCollisionCount, validateReplicaCounts } from "../../core/validation/replica-counts.ts";
import { amountOf, validateAtMostAll } from "../deployment/validation.ts";
import { validateSelectedTemplate, validateSelector } from "../validation.ts";
import type { RollingUpdateStatefulSetStrategy, StatefulSet, StatefulSetSpec } from "./schema.ts";

const path = root.child("spec");

const statusPath = root.child("status");

export function* validateStatefulSet({ spec }: StatefulSet): Generator<FieldError> {
  const management: string = spec.podManagementPolicy ?? "";
  const managementPath = path.child("podManagementPolicy");
  if (management === "") yield requiredValue(managementPath);
  else if (management !== "OrderedReady" && management !== "Parallel") {
    yield invalid(managementPath, management, "must be 'OrderedReady' or 'Parallel'");
  }
  yield* validateUpdateStrategy(spec, path.child("updateStrategy"));
  for (const name of ["whenDeleted", "whenScaled"] as const) {
    const policy = spec.persistentVolumeClaimRetentionPolicy?.[name];
    if (policy !== undefined && policy !== "Retain" && policy !== "Delete") {
      const place = path.child("persistentVolumeClaimRetentionPolicy", name);
      yield notSupported(place, policy, ["Retain", "Delete"]);
    }
  }
  for (const [i, claim] of (spec.volumeClaimTemplates ?? []).entries()) {
    yield* validateClaimSpec(claim.spec, path.child("volumeClaimTemplates").index(i).child("spec"));
  }
  yield* validateNonNegative(spec.replicas, path.child("replicas"));
  yield* validateNonNegative(spec.minReadySeconds, path.child("minReadySeconds"));
  yield* validateNonNegative(spec.ordinals?.start, path.child("ordinals.start"));
  yield* validateSelector(spec.selector, "statefulset", path.child("selector"));
  yield* validateSelectedTemplate(
    spec.selector,
    templateWithClaims(spec),
    "StatefulSet",
    path.child("template"),
  );
}

/** Validates the name on create only, because stored names may be older than the rule. */
export function* validateServiceName({ spec: { serviceName } }: StatefulSet): Generator<FieldError> {
  if (serviceName !== "") yield* validateDnsLabel(serviceName, path.child("serviceName"));
}

/** The template of the Pods as the controller creates them: claims become volumes, and the Pod has a name. */
function templateWithClaims({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { hostname: _, subdomain: __, ...spec } = template.spec;
  if (volumeClaimTemplates.length === 0) return { ...template, spec };
  const names = volumeClaimTemplates.map(({ metadata }) => metadata.name ?? "");
  const claims = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const claimed = new Set(names);
  const others = (spec.volumes ?? []).filter(({ name }) => !claimed.has(name));
  return { ...template, spec: { ...spec, volumes: [...claims, ...others] } };
}

function* validateUpdateStrategy(
  { updateStrategy }: StatefulSetSpec,
  place: FieldPath,
): Generator<FieldError> {
  const { type, rollingUpdate } = updateStrategy;
  if (type === undefined) yield requiredValue(place);
  else if (type === "OnDelete") {
    if (rollingUpdate !== undefined) {
      yield invalid(
        place.child("rollingUpdate"),
        rollingUpdate,
        "only allowed for updateStrategy 'RollingUpdate'",
      );
    }
  } else if (type !== "RollingUpdate") {
    yield invalid(place, updateStrategy, "must be 'RollingUpdate' or 'OnDelete'");
  } else if (rollingUpdate !== undefined) yield* validatePace(rollingUpdate, place.child("rollingUpdate"));
}

function* validatePace(
  { partition, maxUnavailable }: RollingUpdateStatefulSetStrategy,
  place: FieldPath,
): Generator<FieldError> {
  yield* validateNonNegative(partition, place.child("partition"));
  if (maxUnavailable === undefined) return;
  const unavailable = place.child("maxUnavailable");
  yield* validateCountOrPercent(maxUnavailable, unavailable);
  if (amountOf(maxUnavailable) === 0) yield invalid(unavailable, maxUnavailable, "cannot be 0");
  yield* validateAtMostAll(maxUnavailable, unavailable);
}

const changeable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
] as const;

export function* validateStatefulSetUpdate(
  { spec }: StatefulSet,
  { spec: old }: StatefulSet,
): Generator<FieldError> {
  const kept = Object.fromEntries(changeable.map((name) => [name, old[name]]));
  if (!deepEqual({ ...spec, ...kept }, old)) {
    const [last = "", ...names] = changeable.map((name) => `'${name}'`).toReversed();
    yield forbidden(
      path,
      `updates to statefulset spec for fields other than ${names.toReversed().join(", ")} and ${last} are forbidden`,
    );
  }
}

export function* validateStatefulSetStatus(
  { status }: StatefulSet,
  { status: old }: StatefulSet,
): Generator<FieldError> {
  const parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"] as const;
  yield* validateReplicaCounts(status, statusPath, parts, "status.readyReplicas");
  yield* validateCollisionCount(status.collisionCount, old.collisionCount, statusPath);
}
