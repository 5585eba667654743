import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import { type Out, list, map, messages, optional, quantity, required, string } from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const LimitRangeItem = message("LimitRangeItem", "A limit range item.", {
  type: required(1, string, "The type."),
  max: optional(2, map(quantity), "The max."),
  min: optional(3, map(quantity), "The min."),
  default: optional(4, map(quantity), "The default."),
  defaultRequest: optional(5, map(quantity), "The default request."),
  maxLimitRequestRatio: optional(6, map(quantity), "The max limit request ratio."),
});
export type LimitRangeItem = Out<typeof LimitRangeItem>;

export const LimitRangeSpec = message("LimitRangeSpec", "A limit range spec.", {
  limits: required(1, list(LimitRangeItem), "The limits."),
});
export type LimitRangeSpec = Out<typeof LimitRangeSpec>;

export const LimitRange = message("LimitRange", "A limit range.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, LimitRangeSpec, "The spec."),
});

export const limitRanges = defineKind(LimitRange, {
  group: "",
  version: "v1",
  kind: "LimitRange",
  plural: "limitranges",
  namespaced: true,
  shortNames: ["limits"],
});
export type LimitRange = ObjectOf<typeof limitRanges>;
