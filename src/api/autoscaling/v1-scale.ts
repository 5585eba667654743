import { defineKind, type ObjectOf } from "../../meta/kind.ts";
import { type Out, int32, messages, optional, required, string } from "../../meta/schema.ts";
import { ObjectMeta } from "../../meta/v1.ts";

const message = messages("io.k8s.api.autoscaling.v1");

export const ScaleSpec = message("ScaleSpec", "A scale spec.", {
  replicas: optional(1, int32, "The replicas."),
});
export type ScaleSpec = Out<typeof ScaleSpec>;

export const ScaleStatus = message("ScaleStatus", "A scale status.", {
  replicas: required(1, int32, "The replicas."),
  selector: optional(2, string, "The selector."),
});
export type ScaleStatus = Out<typeof ScaleStatus>;

export const Scale = message("Scale", "A scale.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, ScaleSpec, "The spec."),
  status: optional(3, ScaleStatus, "The status."),
});

/** The body of the `scale` subresource; there is no resource of its own. */
export const scales = defineKind(Scale, {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  plural: "scales",
  namespaced: true,
  verbs: [],
});
export type Scale = ObjectOf<typeof scales>;
