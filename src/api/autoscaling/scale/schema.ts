import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, int32, messages, optional, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.autoscaling.v1");

export const ScaleSpec = message("ScaleSpec", "The desired size.", {
  replicas: optional(1, int32, "The desired number of replicas."),
});
export type ScaleSpec = Out<typeof ScaleSpec>;

export const ScaleStatus = message("ScaleStatus", "The current size.", {
  replicas: required(1, int32, "The current number of replicas."),
  selector: optional(2, string, "The label selector of the Pods, as a string."),
});
export type ScaleStatus = Out<typeof ScaleStatus>;

export const Scale = message("Scale", "The size of a scalable resource.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, ScaleSpec, "The desired size."),
  status: optional(3, ScaleStatus, "The current size."),
});

/** The body of the `scale` subresource. It has no resource of its own. */
export const scales = defineKind(Scale, {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  plural: "scales",
  namespaced: true,
  verbs: [],
});
export type Scale = ObjectOf<typeof scales>;
