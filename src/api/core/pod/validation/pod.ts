import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  root,
} from "../../../../meta/field-error.ts";
import { validateAnnotations, validateLabels } from "../../../../meta/validation/labels.ts";
import type { Pod } from "../schema.ts";
import type { PodSpec, PodTemplateSpec } from "../spec.ts";
import { validateImageSpacing } from "./container.ts";
import { validatePodSpec } from "./spec.ts";

const specPath = root.child("spec");

export const annotationsPath: FieldPath = root.child("metadata", "annotations");

/** The annotation of mirror Pods, which represent static Pods of a kubelet. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";

/** Validates a Pod on create and update. */
export function* validatePod({ metadata, spec }: Pod): Generator<FieldError> {
  yield* validateSpecialAnnotations(metadata.annotations, spec, annotationsPath);
  yield* validatePodSpec(spec, metadata.name ?? "", specPath);
  if (spec.serviceAccountName === undefined) yield* validateNoTokens(spec);
  for (const list of ["containers", "initContainers"] as const) {
    for (const [i, { image }] of (spec[list] ?? []).entries()) {
      yield* validateImageSpacing(image, specPath.child(list).index(i));
    }
  }
}

/** Further validation of a new Pod. */
export function* validatePodCreate({ spec }: Pod): Generator<FieldError> {
  if (spec.ephemeralContainers !== undefined) {
    yield forbidden(specPath.child("ephemeralContainers"), "cannot be set on create");
  }
  if (spec.nodeName !== undefined && spec.schedulingGates !== undefined) {
    yield forbidden(specPath.child("nodeName"), "cannot be set until all schedulingGates have been cleared");
  }
}

function* validateNoTokens({ volumes = [] }: PodSpec): Generator<FieldError> {
  for (const [i, { projected }] of volumes.entries()) {
    for (const [j, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
      if (serviceAccountToken === undefined) continue;
      yield forbidden(
        specPath
          .child("volumes")
          .index(i)
          .child("projected", "sources")
          .index(j)
          .child("serviceAccountToken"),
        "must not be specified when serviceAccountName is not set",
      );
    }
  }
}

function* validateSpecialAnnotations(
  annotations: Readonly<Record<string, string>> = {},
  spec: PodSpec,
  path: FieldPath,
): Generator<FieldError> {
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && spec.nodeName === undefined) {
    yield invalid(
      path.key(mirrorAnnotation),
      mirror,
      "must set spec.nodeName if mirror pod annotation is set",
    );
  }
  const cost = annotations[deletionCost];
  if (cost !== undefined && (!/^(0|-?[1-9]\d*)$/.test(cost) || (Number(cost) | 0) !== Number(cost))) {
    yield invalid(path.key(deletionCost), cost, "must be a 32bit integer");
  }
}

export function* validatePodTemplate(
  { metadata, spec }: PodTemplateSpec,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateLabels(metadata.labels, path.child("labels"));
  yield* validateAnnotations(metadata.annotations, path.child("annotations"));
  yield* validateSpecialAnnotations(metadata.annotations, spec, path.child("annotations"));
  yield* validatePodSpec(spec, undefined, path.child("spec"));
  if (spec.ephemeralContainers !== undefined) {
    yield forbidden(
      path.child("spec", "ephemeralContainers"),
      "ephemeral containers not allowed in pod template",
    );
  }
}

/**
 * Validates the template of a controller that keeps Pods running. `kind` is the controller's kind in
 * messages.
 */
export function* validateLastingTemplate(
  template: PodTemplateSpec,
  kind: string,
  path: FieldPath,
): Generator<FieldError> {
  yield* validatePodTemplate(template, path);
  const { restartPolicy, activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== "Always") {
    yield notSupported(path.child("spec", "restartPolicy"), restartPolicy ?? "", ["Always"]);
  }
  if (activeDeadlineSeconds !== undefined) {
    yield forbidden(
      path.child("spec", "activeDeadlineSeconds"),
      `activeDeadlineSeconds in ${kind} is not Supported`,
    );
  }
}
