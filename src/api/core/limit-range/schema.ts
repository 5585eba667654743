import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, amount, list, map, messages, optional, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const LimitRangeItem = message("LimitRangeItem", "Bounds for one type of object.", {
  type: required(1, string, "The type that the bounds apply to: Pod, Container or PersistentVolumeClaim."),
  max: optional(2, map(amount), "The maximum amounts."),
  min: optional(3, map(amount), "The minimum amounts."),
  default: optional(4, map(amount), "Default limits of containers."),
  defaultRequest: optional(5, map(amount), "Default requests of containers."),
  maxLimitRequestRatio: optional(6, map(amount), "The maximum ratio of limit to request."),
});
export type LimitRangeItem = Out<typeof LimitRangeItem>;

export const LimitRangeSpec = message(
  "LimitRangeSpec",
  "Bounds on the resources of objects in a namespace.",
  {
    limits: required(1, list(LimitRangeItem), "The bounds."),
  },
);
export type LimitRangeSpec = Out<typeof LimitRangeSpec>;

export const LimitRange = message(
  "LimitRange",
  "Bounds on the resources of each Pod, container or claim in a namespace.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, LimitRangeSpec, "The desired state."),
  },
);

export const limitRanges = defineKind(LimitRange, {
  group: "",
  version: "v1",
  kind: "LimitRange",
  plural: "limitranges",
  namespaced: true,
  shortNames: ["limits"],
});
export type LimitRange = ObjectOf<typeof limitRanges>;
